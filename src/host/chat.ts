// The conversation the panel shows: one session at a time, one run at a time, and what waits for its turn.
import type { ForkPoint } from "../brain/forkEntries.ts";
import { startRun, type Outcome } from "../engine/run.ts";
import type { Composition } from "../compose.ts";
import { loopDefaults, type AgentLoopConfig } from "../protocol/config.ts";
import { LoopError, toFailure } from "../protocol/errors.ts";
import type { LoopEvent, PanelEvent, Setup } from "../protocol/events.ts";
import type { TitleEntry } from "../protocol/messages.ts";
import { replay } from "../protocol/replay.ts";
import { titleOf } from "../protocol/view.ts";
import type { SubmitHow } from "../protocol/wire.ts";
import { beginCompaction, revise } from "./compaction.ts";
import { createDispatch, type DispatchedRun } from "./dispatch.ts";
import type { Fold } from "./fold.ts";
import type { Queues } from "./queues.ts";

/** What is remembered of a workspace between windows: the session that was open and the agent that was picked. */
export interface Remembered {
  get(key: "session" | "agent"): string | undefined;
  set(key: "session" | "agent", value: string | undefined): void;
}

/** What a chat needs of the folder that it works in. */
export interface ChatWorkspace {
  open(): { readonly composition: Pick<Composition, "ports"> & { readonly sessions: StoredSessions } };
  describe(agent: string): Promise<Setup>;
}
type StoredSessions = Pick<Composition["sessions"], "read" | "fork">;

export interface ChatOptions {
  readonly fold: Fold;
  readonly workspace: ChatWorkspace;
  readonly remembered: Remembered;
  readonly queues: Queues;
  readonly limits: () => Partial<AgentLoopConfig>;
  readonly ids: () => string;
  readonly log: (message: string) => void;
}

export interface Chat {
  agent(): string;
  running(): boolean;
  /**
   * Runs a task in the open session. While a run is going on the message waits, goes into the run or ends it.
   * @returns null when it did not start at once; where it was not taken, the panel says why
   */
  submit(message: string, how?: SubmitHow): Promise<Outcome | null>;
  /** Sends a waiting message now. */
  sendQueued(id: string, how: SubmitHow): Promise<void>;
  removeQueued(id: string): void;
  /** Ends the run, if there is one, and waits until it has ended. What waits is kept and not sent. */
  stop(): Promise<void>;
  /**
   * Sums the open session up, in a run of its own.
   * @param instructions what the summary should pay attention to; may be empty
   * @returns null when it could not be begun: then the panel says why
   */
  compact(instructions: string): Promise<Outcome | null>;
  /** Rewrites the summary of a compaction; `null` undoes it. What does not work is said in the panel. */
  reviseCompaction(compactionId: string, summary: string | null): Promise<void>;
  /**
   * Changes the open session while nothing runs in it; until that is done no message is taken.
   * @returns null when it failed: then the panel says why
   */
  change<T>(work: () => Promise<T>): Promise<T | null>;
  newSession(): Promise<void>;
  openSession(id: string): Promise<void>;
  /**
   * Opens a copy of the open session. A run that is going on is ended first.
   * @returns the text at that point and the session that was copied; null when it failed: then the panel says why
   */
  forkAt(point: ForkPoint): Promise<{ readonly text: string; readonly from: string } | null>;
  /** Shows the session that was open when the window was last closed. */
  restore(): Promise<void>;
  pickAgent(name: string): Promise<void>;
  /** Tells the panel anew what workspace, agent and model it has. */
  readonly refresh: () => Promise<void>;
}

export function createChat(options: ChatOptions): Chat {
  const { fold, workspace, remembered, queues } = options;
  const openId = (): string | null => fold.view().session.id;
  const dispatch = createDispatch({
    start: (message, heard) => begin(options, message, heard),
    openSession: openId,
    queues,
    changed: (queue) => fold.event({ type: "queue:changed", queue }),
    failed: fold.fail,
    ids: options.ids,
  });
  const open: OpenSession = (id, events) => {
    for (const event of events) fold.event(event);
    remembered.set("session", id ?? undefined);
    const { queue } = queues.of(id);
    if (queue.length > 0) fold.event({ type: "queue:changed", queue });
  };
  const show = (id: string): Promise<void> =>
    dispatch.leave(async () => open(id, await stored(workspace.open().composition.sessions, id)));
  const refresh = async (): Promise<void> => {
    await fold.guard(async () =>
      fold.event({ type: "panel:setup", setup: await workspace.describe(agentOf(remembered)) }),
    );
  };
  return {
    agent: () => agentOf(remembered),
    running: dispatch.running,
    submit: (message, how = "queue") => fold.guard(() => dispatch.submit(message, how)),
    sendQueued: async (id, how) => void (await fold.guard(() => dispatch.send(id, how))),
    removeQueued: dispatch.remove,
    stop: dispatch.stop,
    compact: (instructions) =>
      fold.guard(() => dispatch.work(() => beginCompaction({ ...options, agent: agentOf(remembered) }, instructions))),
    reviseCompaction: async (id, summary) =>
      void (await fold.guard(() => dispatch.change(() => revise(options, id, summary)))),
    change: (work) => fold.guard(() => dispatch.change(work)),
    newSession: () => dispatch.leave(async () => open(null, [emptySession(null)])),
    openSession: async (id) => void (await fold.guard(() => show(id))),
    forkAt: (point) => fold.guard(() => dispatch.leave(() => fork(options, point, open))),
    async restore() {
      const id = remembered.get("session");
      if (id === undefined) return;
      await show(id).catch((error: unknown) => {
        const failure = toFailure(error);
        options.log(`The last session could not be shown: ${failure.message}`);
        // Nothing was written of it yet, but somebody has typed into it.
        if (failure.code === "session_not_found" && queues.of(id).queue.length > 0) open(id, [emptySession(id)]);
      });
    },
    async pickAgent(name) {
      remembered.set("agent", name);
      await refresh();
    },
    refresh,
  };
}

type OpenSession = (id: string | null, events: readonly PanelEvent[]) => void;

async function fork(
  { fold, workspace }: ChatOptions,
  point: ForkPoint,
  open: OpenSession,
): Promise<{ readonly text: string; readonly from: string }> {
  const from = fold.view().session.id;
  if (from === null) throw new LoopError("session_not_found", "No session is open.");
  const { sessions } = workspace.open().composition;
  const { summary, text } = await sessions.fork(from, point);
  open(summary.id, await stored(sessions, summary.id));
  return { text, from };
}

function agentOf(remembered: Remembered): string {
  return remembered.get("agent") ?? "coder";
}

function emptySession(sessionId: string | null): PanelEvent {
  return { type: "session:open", sessionId, title: "" };
}

function begin(options: ChatOptions, message: string, heard: (event: LoopEvent) => void): DispatchedRun {
  const { fold, workspace, remembered, limits } = options;
  const { composition } = workspace.open();
  const { id } = fold.view().session;
  // The id of a session whose first run failed at the door is used again: nothing was made for it yet.
  const request = { message, agent: agentOf(remembered), ...(id !== null && { sessionId: id, create: true }) };
  const run = startRun(request, composition.ports, { ...loopDefaults, ...limits() }, (event) => {
    fold.event(event);
    heard(event);
  });
  remembered.set("session", run.sessionId);
  return run;
}

async function stored(sessions: StoredSessions, id: string): Promise<PanelEvent[]> {
  const entries = await sessions.read(id);
  const given = entries.findLast((entry): entry is TitleEntry => "type" in entry && entry.type === "title");
  const first = entries.find((entry) => "role" in entry && entry.role === "user");
  const title = typeof first?.["content"] === "string" ? titleOf(first["content"]) : "";
  return replay(entries, { id, title: given?.title ?? title });
}
