// The conversation the panel shows: one session at a time, one run at a time, and the fold of everything that happened in it.
import { startRun, type Outcome, type Run } from "../engine/run.ts";
import { loopDefaults, type AgentLoopConfig } from "../protocol/config.ts";
import { LoopError, toFailure } from "../protocol/errors.ts";
import type { PanelEvent } from "../protocol/events.ts";
import { replay } from "../protocol/replay.ts";
import { emptyView, reduce, titleOf, type View } from "../protocol/view.ts";
import type { OpenWorkspace, WorkspaceAccess } from "./workspace.ts";

/** What is remembered of a workspace between windows: the session that was open and the agent that was picked. */
export interface Remembered {
  get(key: "session" | "agent"): string | undefined;
  set(key: "session" | "agent", value: string | undefined): void;
}

export interface ChatOptions {
  readonly workspace: WorkspaceAccess;
  readonly remembered: Remembered;
  readonly limits: () => Partial<AgentLoopConfig>;
  readonly log: (message: string) => void;
  /** Told of every event after it was folded. */
  readonly heard: (event: PanelEvent) => void;
}

export interface Chat {
  view(): View;
  running(): boolean;
  agent(): string;
  /** Runs a task in the open session. Null when it could not start; the panel then says why. */
  submit(message: string): Promise<Outcome | null>;
  /** Ends the run, if there is one, and waits until it has ended. */
  stop(): Promise<void>;
  newSession(): Promise<void>;
  openSession(id: string): Promise<void>;
  /** Shows the session that was open when the window was last closed. */
  restore(): Promise<void>;
  pickAgent(name: string): Promise<void>;
  /** Tells the panel anew what workspace, agent and model it has. */
  refresh(): Promise<void>;
  fail(error: unknown): void;
}

export function createChat(options: ChatOptions): Chat {
  const { workspace, remembered, heard, log } = options;
  let view = emptyView;
  let current: Run | null = null;

  const fold = (event: PanelEvent): void => {
    view = reduce(view, event);
    heard(event);
  };
  const fail = (error: unknown): void => {
    const failure = toFailure(error);
    if (failure.code === "internal") log(error instanceof Error ? (error.stack ?? error.message) : String(error));
    fold({ type: "panel:failure", failure });
  };
  const agent = (): string => remembered.get("agent") ?? "coder";
  const show = (id: string | null, title: string): void => {
    remembered.set("session", id ?? undefined);
    fold({ type: "session:open", sessionId: id, title });
  };
  const guarded = async <T>(work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      fail(error);
      return null;
    }
  };
  const stop = async (): Promise<void> => {
    current?.stop();
    await current?.result;
  };
  const openSession = async (id: string): Promise<void> => {
    await stop();
    for (const event of await stored(workspace.open(), id)) fold(event);
    remembered.set("session", id);
  };

  return {
    view: () => view,
    running: () => current !== null,
    agent,
    fail,
    stop,
    submit: (message) =>
      guarded(async () => {
        if (current) throw new LoopError("session_busy", "A run is going on in this window.");
        const { composition } = workspace.open();
        const { id } = view.session;
        const config = { ...loopDefaults, ...options.limits() };
        // The id of a session whose first run failed at the door is used again: nothing was made for it yet.
        const request = { message, agent: agent(), ...(id !== null && { sessionId: id, create: true }) };
        current = startRun(request, composition.ports, config, fold);
        try {
          remembered.set("session", current.sessionId);
          return await current.result;
        } finally {
          current = null;
        }
      }),
    async newSession() {
      await stop();
      show(null, "");
    },
    openSession: async (id) => void (await guarded(() => openSession(id))),
    async restore() {
      const id = remembered.get("session");
      if (id === undefined) return;
      await openSession(id).catch((error: unknown) => {
        log(`The last session could not be shown: ${toFailure(error).message}`);
        show(null, "");
      });
    },
    async pickAgent(name) {
      remembered.set("agent", name);
      await guarded(async () => fold({ type: "panel:setup", setup: await workspace.describe(agent()) }));
    },
    refresh: async () => {
      await guarded(async () => fold({ type: "panel:setup", setup: await workspace.describe(agent()) }));
    },
  };
}

async function stored({ composition }: OpenWorkspace, id: string): Promise<PanelEvent[]> {
  const entries = await composition.sessions.read(id);
  const first = entries.find((entry) => "role" in entry && entry.role === "user");
  const title = typeof first?.["content"] === "string" ? titleOf(first["content"]) : "";
  return replay(entries, { id, title });
}
