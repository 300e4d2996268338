// The conversation the panel shows: one session at a time, one run at a time.
import { startRun, type Outcome, type Run } from "../engine/run.ts";
import { loopDefaults, type AgentLoopConfig } from "../protocol/config.ts";
import { LoopError, toFailure } from "../protocol/errors.ts";
import type { PanelEvent } from "../protocol/events.ts";
import { replay } from "../protocol/replay.ts";
import { titleOf } from "../protocol/view.ts";
import type { Fold } from "./fold.ts";
import type { OpenWorkspace, WorkspaceAccess } from "./workspace.ts";

/** What is remembered of a workspace between windows: the session that was open and the agent that was picked. */
export interface Remembered {
  get(key: "session" | "agent"): string | undefined;
  set(key: "session" | "agent", value: string | undefined): void;
}

export interface ChatOptions {
  readonly fold: Fold;
  readonly workspace: WorkspaceAccess;
  readonly remembered: Remembered;
  readonly limits: () => Partial<AgentLoopConfig>;
  readonly log: (message: string) => void;
}

export interface Chat {
  agent(): string;
  running(): boolean;
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
  readonly refresh: () => Promise<void>;
}

export function createChat(options: ChatOptions): Chat {
  const { fold, workspace, remembered } = options;
  let current: Run | null = null;
  const stop = async (): Promise<void> => {
    current?.stop();
    await current?.result;
  };
  const run = async (message: string): Promise<Outcome> => {
    if (current) throw new LoopError("session_busy", "A run is going on in this window.");
    current = begin(options, message);
    try {
      remembered.set("session", current.sessionId);
      return await current.result;
    } finally {
      current = null;
    }
  };
  const show = async (id: string): Promise<void> => {
    await stop();
    for (const event of await stored(workspace.open(), id)) fold.event(event);
    remembered.set("session", id);
  };
  const refresh = async (): Promise<void> => {
    await fold.guard(async () =>
      fold.event({ type: "panel:setup", setup: await workspace.describe(agentOf(remembered)) }),
    );
  };
  return {
    agent: () => agentOf(remembered),
    running: () => current !== null,
    submit: (message) => fold.guard(() => run(message)),
    stop,
    async newSession() {
      await stop();
      remembered.set("session", undefined);
      fold.event({ type: "session:open", sessionId: null, title: "" });
    },
    openSession: async (id) => void (await fold.guard(() => show(id))),
    async restore() {
      const id = remembered.get("session");
      if (id === undefined) return;
      await show(id).catch((error: unknown) => {
        options.log(`The last session could not be shown: ${toFailure(error).message}`);
      });
    },
    async pickAgent(name) {
      remembered.set("agent", name);
      await refresh();
    },
    refresh,
  };
}

function agentOf(remembered: Remembered): string {
  return remembered.get("agent") ?? "coder";
}

function begin({ fold, workspace, remembered, limits }: ChatOptions, message: string): Run {
  const { composition } = workspace.open();
  const { id } = fold.view().session;
  // The id of a session whose first run failed at the door is used again: nothing was made for it yet.
  const request = { message, agent: agentOf(remembered), ...(id !== null && { sessionId: id, create: true }) };
  return startRun(request, composition.ports, { ...loopDefaults, ...limits() }, fold.event);
}

async function stored({ composition }: OpenWorkspace, id: string): Promise<PanelEvent[]> {
  const entries = await composition.sessions.read(id);
  const first = entries.find((entry) => "role" in entry && entry.role === "user");
  const title = typeof first?.["content"] === "string" ? titleOf(first["content"]) : "";
  return replay(entries, { id, title });
}
