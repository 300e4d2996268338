// EXECUTE: ask the model, run its calls, tell it the results, until it answers, a limit is reached or the run is stopped.
import { repetitions } from "../protocol/config.ts";
import type { LoopEvent } from "../protocol/events.ts";
import type { Entry, Message, RunEndEntry, ToolCall, ToolEntry, UserEntry } from "../protocol/messages.ts";
import type { Usage } from "../protocol/usage.ts";
import { withAttachments } from "./attachments.ts";
import { checkpoint, type Passage } from "./checkpoint.ts";
import { conversation } from "./conversation.ts";
import type { Anchor } from "./estimate.ts";
import { fit, fitAgain, type Sending } from "./fit.ts";
import { finalOutput } from "./output.ts";
import type { Earlier, Tool } from "./ports.ts";
import { beginProgress, type Ending, type Progress } from "./progress.ts";
import { repeated } from "./repetition.ts";
import { round } from "./round.ts";
import { isStopped, timestamp, type Running } from "./running.ts";
import { takeTodos } from "./todos.ts";

export interface ExecuteInput {
  readonly systemPrompt: string;
  /** The transcript up to and with the new message. */
  readonly entries: readonly Entry[];
  readonly earlier: Earlier;
  /** What the first request is thought to take, in tokens. */
  readonly tokenEstimate: number;
  /** What the last request of the session took; null: not known. */
  readonly anchor: Anchor | null;
  /** Writes the system prompt anew, when memory may have grown. */
  readonly renew: () => Promise<string>;
}

export interface ExecuteOutput extends Ending {
  readonly messages: readonly Message[];
  readonly toolCalls: readonly ToolCall[];
  readonly toolResults: readonly ToolEntry[];
  readonly usage: Usage;
  readonly cost?: number;
  /** Requests that were sent. */
  readonly iterations: number;
  /** Messages sent into the run that the model did not come to read. */
  readonly unread: readonly string[];
  /** What the last request really took. */
  readonly took?: RunEndEntry["took"];
}

/** The stage of the specification. Never throws: what goes wrong is in the output's status and failure. */
export async function execute(input: ExecuteInput, run: Running): Promise<ExecuteOutput> {
  const { entries, earlier, systemPrompt: system, tokenEstimate: told, anchor, renew } = input;
  const progress = beginProgress({ entries, earlier, system, window: run.model.contextWindow, told, anchor });
  const tools = run.tools.filter(({ name }) => name !== finalOutput).map(infoOf);
  run.emit({ type: "loop:execute", runId: run.runId, toolCount: run.tools.length, tools });
  for (;;) {
    await takeMessages(progress, run);
    const ending = await next(renew, progress, run);
    if (!ending) continue;
    const answered = ending.status === "completed" || ending.status === "completed_with_errors";
    if (answered && (await takeMessages(progress, run))) continue;
    return outputOf(ending, progress, run);
  }
}

function infoOf({ name, description, parameters }: Tool): {
  name: string;
  description: string;
  schema: Tool["parameters"];
} {
  return { name, description, schema: parameters };
}

/** One step of the outer loop; null when it goes on. */
async function next(renew: Sending["renew"], progress: Progress, run: Running): Promise<Ending | null> {
  if (isStopped(run)) return stopped(run);
  const count = (): number => repeated(progress.rounds);
  const forget = (): void => void (progress.rounds = []);
  const passage: Passage = await checkpoint(run, { count, forget });
  if (isStopped(run)) return stopped(run);
  if (passage.kind === "end") return { response: "", ...passage };
  const ending = await send({ sumUp: passage.kind === "sumUp", renew }, progress, run);
  if (isStopped(run)) return stopped(run, ending?.response);
  if (!run.agent.bare && repeated(progress.rounds) === repetitions.tell)
    progress.notes = [...progress.notes, goingRound];
  if (ending && passage.kind === "sumUp" && ending.status === "completed") return { ...ending, status: passage.status };
  return ending;
}

/** Sends the next request once it fits; once more, and shorter, where the endpoint says that it does not (BRAIN-COMP-8). */
async function send(sending: Sending, progress: Progress, run: Running): Promise<Ending | null> {
  const fitted = await fit(sending, progress, run);
  if (fitted.kind === "ended") return fitted.ending;
  if (isStopped(run)) return stopped(run);
  const { notes } = progress;
  const ending = await round(fitted.request, sending, progress, run);
  if (ending?.failure?.code !== "context_overflow" || isStopped(run)) return ending;
  progress.notes = notes;
  const again = await fitAgain(fitted.request, sending, progress, run);
  if (again?.kind !== "fits" || isStopped(run)) return again?.kind === "ended" ? again.ending : ending;
  return round(again.request, sending, progress, run);
}

const goingRound = `You have made the same calls ${repetitions.tell} times, with the same results. Do something else, or say what keeps you from going on.`;

/** What a person sent into the run becomes part of the conversation here, at the safe point. False when there was nothing. */
async function takeMessages(progress: Progress, run: Running): Promise<boolean> {
  if (isStopped(run)) return false;
  takeTodos(progress, run);
  const { runId, ports } = run;
  const messages = run.steering.take();
  for (const { content, parts } of messages) {
    const said: UserEntry = {
      role: "user",
      content,
      ...(parts?.length && { parts: [...parts] }),
      timestamp: timestamp(ports),
      id: ports.ids(),
      runId,
      steering: true,
    };
    // It is shown once it can be written: what is said must not get lost while what it names is fetched.
    const told: LoopEvent[] = [];
    const entry = await withAttachments(said, ports, { ...run, emit: (event) => void told.push(event) });
    run.emit({ type: "message:user", runId, messageId: said.id, content, timestamp: said.timestamp });
    for (const event of told) run.emit(event);
    progress.entries.push(entry);
    void run.record(entry, { durable: true });
  }
  return messages.length > 0;
}

function stopped(run: Running, response = ""): Ending {
  return { response, status: run.signal.reason === "timeout" ? "timeout" : "aborted" };
}

function outputOf(ending: Ending, progress: Progress, run: Running): ExecuteOutput {
  takeTodos(progress, run);
  const { toolCalls, toolResults, requests, anchor } = progress;
  return {
    ...ending,
    messages: conversation(progress.entries),
    toolCalls,
    toolResults,
    ...run.budget.spent(),
    iterations: requests,
    unread: run.steering.close(),
    ...(anchor && { took: { model: run.model.id, ...anchor } }),
  };
}
