// What a person does about the length of the open session: has it summed up, rewrites a summary, or undoes one.
import { compactSession, reviseCompaction } from "../engine/compactSession.ts";
import type { Run } from "../engine/run.ts";
import { loopDefaults } from "../protocol/config.ts";
import { LoopError } from "../protocol/errors.ts";
import type { LoopEvent } from "../protocol/events.ts";
import type { View } from "../protocol/view.ts";
import type { CompactionItem } from "../protocol/viewContext.ts";
import type { ChatOptions } from "./chat.ts";

interface Options extends Pick<ChatOptions, "fold" | "workspace" | "limits"> {
  /** Name of the agent whose model is asked. */
  readonly agent: string;
}

/**
 * Starts the run that sums the open session up.
 * @throws LoopError `session_not_found` when none is open, `no_workspace`
 */
export function beginCompaction({ fold, workspace, agent, limits }: Options, instructions: string): Run {
  const request = { sessionId: openSession(fold.view()), instructions, agent };
  const { ports } = workspace.open().composition;
  return compactSession(request, ports, { ...loopDefaults, ...limits() }, fold.event);
}

/**
 * Rewrites the summary of a compaction of the open session, or undoes it, under the session's lock.
 * @param summary null: it is undone
 * @throws LoopError `session_not_found`, `session_busy`, `summary_refused`, `disk_write`
 */
export async function revise(
  { fold, workspace }: Pick<Options, "fold" | "workspace">,
  compactionId: string,
  summary: string | null,
): Promise<void> {
  const { ports } = workspace.open().composition;
  const sessionId = openSession(fold.view());
  const event = await reviseCompaction({ sessionId, compactionId, summary }, ports);
  const { context } = fold.view();
  const before = roomTaken(fold.view(), compactionId);
  fold.event(event);
  if (!context || context.window === 0) return;
  const tokenEstimate = context.tokens + roomTaken(fold.view(), compactionId) - before;
  fold.event(estimate(event, tokenEstimate, context.window));
}

function estimate({ runId }: LoopEvent, tokenEstimate: number, contextWindow: number): LoopEvent {
  return { type: "context:estimate", runId, tokenEstimate, contextWindow };
}

/** Tokens of what the model reads because of a compaction: the summed up, or all of it where that was undone. */
function roomTaken({ turns }: View, id: string): number {
  const items = turns.flatMap((turn) => turn.items);
  const item = items.find((one): one is CompactionItem => one.kind === "compaction" && one.id === id);
  if (!item) return 0;
  return item.state === "undone" ? item.tokensBefore : item.tokensAfter;
}

function openSession({ session }: View): string {
  if (session.id === null) throw new LoopError("session_not_found", "There is no conversation yet.");
  return session.id;
}
