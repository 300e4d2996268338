// The conversation the panel shows: one session at a time, one run at a time, and what waits for its turn.
import type { Followed } from "../brain/follow.ts";
import type { ForkPoint } from "../brain/forkEntries.ts";
import type { Clock } from "../engine/ports.ts";
import { startRun, type Outcome } from "../engine/run.ts";
import type { Composition } from "../compose.ts";
import { loopDefaults, type AgentLoopConfig } from "../protocol/config.ts";
import { LoopError, toFailure } from "../protocol/errors.ts";
import type { LoopEvent, PanelEvent, Setup } from "../protocol/events.ts";
import type { TodoEdit } from "../protocol/todos.ts";
import type { SubmitHow } from "../protocol/wire.ts";
import { beginCompaction, revise } from "./compaction.ts";
import { createDispatch, type DispatchedRun, type Sent } from "./dispatch.ts";
import type { Fold } from "./fold.ts";
import { createFollowing } from "./following.ts";
import { editTodos, handTodos, showEdited } from "./todos.ts";
import { shownQueue } from "./queue.ts";
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
type StoredSessions = Followed & Pick<Composition["sessions"], "fork">;

export interface ChatOptions {
  readonly fold: Fold;
  readonly workspace: ChatWorkspace;
  readonly remembered: Remembered;
  readonly queues: Queues;
  readonly limits: () => Partial<AgentLoopConfig>;
  readonly ids: () => string;
  readonly clock: Clock;
  readonly log: (message: string) => void;
}

interface ForkedChat extends Sent {
  /** The session that was copied. */
  readonly from: string;
}

export interface Chat {
  agent(): string;
  running(): boolean;
  /**
   * Runs a task in the open session. While a run is going on the message waits, goes into the run or ends it.
   * @returns null when it did not start at once; where it was not taken, the panel says why
   */
  submit(message: string, how?: SubmitHow, parts?: Sent["parts"]): Promise<Outcome | null>;
  /** Sends a waiting message now. */
  sendQueued(id: string, how: SubmitHow): Promise<void>;
  removeQueued(id: string): void;
  /** Gives a waiting message another text. What does not work is said in the panel. */
  editQueued(id: string, text: string): Promise<void>;
  /** Moves a waiting message so many places back, or to the front. */
  moveQueued(id: string, by: number): void;
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
  /** Changes one of the to-dos of the open session. What does not work is said in the panel. */
  editTodos(edit: TodoEdit): Promise<void>;
  /** Shows the runs before the first one that is shown. */
  showEarlier(): Promise<void>;
  /** Shows the runs from this one on; false when there is no such run, or it cannot be read: then the panel says why. */
  showRun(runId: string): Promise<boolean>;
  /** Asks whoever else writes the open session to stop, so that this window may write it. */
  takeOver(): Promise<void>;
  /**
   * Changes the open session while nothing runs in it; until that is done no message is taken.
   * @returns null when it failed: then the panel says why
   */
  change<T>(work: () => Promise<T>): Promise<T | null>;
  newSession(): Promise<void>;
  openSession(id: string): Promise<void>;
  /**
   * Opens a copy of the open session. A run that is going on is ended first.
   * @returns what was said at that point and the session that was copied; null when it failed: then the panel says why
   */
  forkAt(point: ForkPoint): Promise<ForkedChat | null>;
  /** Shows the session that was open when the window was last closed. */
  restore(): Promise<void>;
  pickAgent(name: string): Promise<void>;
  /** Tells the panel anew what workspace, agent and model it has. */
  readonly refresh: () => Promise<void>;
  /** Follows no session any more. */
  end(): void;
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
  const sessions = (): Followed => workspace.open().composition.sessions;
  const following = createFollowing({ ...options, sessions, idle: dispatch.idle });
  /** Only where this window may write. */
  const ours = <T>(work: () => Promise<T>): Promise<T | null> =>
    fold.guard(async () => {
      following.checkOurs();
      return work();
    });
  const show = async (id: string): Promise<void> => open(options, id, await following.show(id));
  const refresh = async (): Promise<void> => {
    await fold.guard(async () =>
      fold.event({ type: "panel:setup", setup: await workspace.describe(agentOf(remembered)) }),
    );
  };
  return {
    agent: () => agentOf(remembered),
    running: dispatch.running,
    submit: (text, how = "queue", parts) => ours(() => dispatch.submit(text, how, parts)),
    sendQueued: async (id, how) => void (await ours(() => dispatch.send(id, how))),
    removeQueued: dispatch.remove,
    editQueued: async (id, text) => void (await fold.guard(async () => dispatch.edit(id, text))),
    moveQueued: dispatch.move,
    stop: dispatch.stop,
    compact: (instructions) =>
      ours(() => dispatch.work(() => beginCompaction({ ...options, agent: agentOf(remembered) }, instructions))),
    reviseCompaction: async (id, summary) =>
      void (await ours(() => dispatch.change(() => revise(options, id, summary)))),
    editTodos: async (edit) => void (await ours(() => editTodos(options, dispatch, edit))),
    change: (work) => ours(() => dispatch.change(work)),
    showEarlier: async () => void (await fold.guard(following.earlier)),
    showRun: async (runId) => (await fold.guard(() => following.reach(runId))) ?? false,
    takeOver: async () => void (await fold.guard(following.takeOver)),
    newSession: () => dispatch.leave(async () => open(options, null, [emptySession(null)])),
    openSession: async (id) => void (await fold.guard(() => dispatch.leave(() => show(id)))),
    forkAt: (point) => fold.guard(() => dispatch.leave(() => fork(options, point, show))),
    restore: () => restore(options, (id) => dispatch.leave(() => show(id))),
    async pickAgent(name) {
      remembered.set("agent", name);
      await refresh();
    },
    refresh,
    end: following.end,
  };
}

function open(options: ChatOptions, id: string | null, events: readonly PanelEvent[]): void {
  const { fold, remembered, queues } = options;
  for (const event of events) fold.event(event);
  showEdited(options);
  remembered.set("session", id ?? undefined);
  const queue = shownQueue(queues.of(id));
  if (queue.length > 0) fold.event({ type: "queue:changed", queue });
}

async function restore(options: ChatOptions, show: (id: string) => Promise<void>): Promise<void> {
  const id = options.remembered.get("session");
  if (id === undefined) return;
  await show(id).catch((error: unknown) => {
    const failure = toFailure(error);
    options.log(`The last session could not be shown: ${failure.message}`);
    // Nothing was written of it yet, but somebody has typed into it.
    const typed = options.queues.of(id).queue.length > 0;
    if (failure.code === "session_not_found" && typed) open(options, id, [emptySession(id)]);
  });
}

async function fork(
  { fold, workspace }: ChatOptions,
  point: ForkPoint,
  show: (id: string) => Promise<void>,
): Promise<ForkedChat> {
  const from = fold.view().session.id;
  if (from === null) throw new LoopError("session_not_found", "No session is open.");
  const { summary, ...said } = await workspace.open().composition.sessions.fork(from, point);
  await show(summary.id);
  return { ...said, from };
}

function agentOf(remembered: Remembered): string {
  return remembered.get("agent") ?? "coder";
}

function emptySession(sessionId: string | null): PanelEvent {
  return { type: "session:open", sessionId, title: "" };
}

function begin(options: ChatOptions, { text: message, parts }: Sent, heard: (event: LoopEvent) => void): DispatchedRun {
  const { fold, workspace, remembered, limits } = options;
  const { composition } = workspace.open();
  const { id } = fold.view().session;
  // The id of a session whose first run failed at the door is used again: nothing was made for it yet.
  const request = { message, parts, agent: agentOf(remembered), ...(id !== null && { sessionId: id, create: true }) };
  const run = startRun(request, composition.ports, { ...loopDefaults, ...limits() }, (event) => {
    fold.event(event);
    heard(event);
  });
  remembered.set("session", run.sessionId);
  handTodos(options, run);
  return run;
}
