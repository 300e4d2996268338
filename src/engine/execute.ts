// EXECUTE: ask the model, run its calls, tell it the results, until it answers, a limit is reached or the run is stopped.
import { repetitions } from "../protocol/config.ts";
import type { Message, ToolCall, ToolEntry, Usage, UserEntry } from "../protocol/messages.ts";
import { checkpoint, type Passage } from "./checkpoint.ts";
import { conversation } from "./conversation.ts";
import { finalOutput } from "./output.ts";
import type { Tool } from "./ports.ts";
import type { Ending, Progress } from "./progress.ts";
import { repeated } from "./repetition.ts";
import { round } from "./round.ts";
import { isStopped, timestamp, type Running } from "./running.ts";

export interface ExecuteInput {
  readonly systemPrompt: string;
  /** The conversation up to and with the new message. */
  readonly history: readonly Message[];
}

export interface ExecuteOutput extends Ending {
  readonly messages: readonly Message[];
  readonly toolCalls: readonly ToolCall[];
  readonly toolResults: readonly ToolEntry[];
  readonly usage: Usage;
  /** Requests that were sent. */
  readonly iterations: number;
  /** Messages sent into the run that the model did not come to read. */
  readonly unread: readonly string[];
}

/** The stage of the specification. Never throws: what goes wrong is in the output's status and failure. */
export async function execute(input: ExecuteInput, run: Running): Promise<ExecuteOutput> {
  const progress: Progress = {
    messages: [...input.history],
    toolCalls: [],
    toolResults: [],
    rounds: [],
    notes: [],
    requests: 0,
    stalls: 0,
    reconsidered: false,
  };
  const tools = run.tools.filter(({ name }) => name !== finalOutput).map(infoOf);
  run.emit({ type: "loop:execute", runId: run.runId, toolCount: run.tools.length, tools });
  for (;;) {
    takeMessages(progress, run);
    const ending = await next(input.systemPrompt, progress, run);
    if (!ending) continue;
    const answered = ending.status === "completed" || ending.status === "completed_with_errors";
    if (answered && takeMessages(progress, run)) continue;
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
async function next(system: string, progress: Progress, run: Running): Promise<Ending | null> {
  if (isStopped(run)) return stopped(run);
  const count = (): number => repeated(progress.rounds);
  const forget = (): void => void (progress.rounds = []);
  const passage: Passage = await checkpoint(run, { count, forget });
  if (isStopped(run)) return stopped(run);
  if (passage.kind === "end") return { response: "", ...passage };
  const ending = await round({ system, sumUp: passage.kind === "sumUp" }, progress, run);
  if (isStopped(run)) return stopped(run, ending?.response);
  if (repeated(progress.rounds) === repetitions.tell) progress.notes = [...progress.notes, goingRound];
  if (ending && passage.kind === "sumUp" && ending.status === "completed") return { ...ending, status: passage.status };
  return ending;
}

const goingRound = `You have made the same calls ${repetitions.tell} times, with the same results. Do something else, or say what keeps you from going on.`;

/** What a person sent into the run becomes part of the conversation here, at the safe point. False when there was nothing. */
function takeMessages(progress: Progress, run: Running): boolean {
  if (isStopped(run)) return false;
  const { runId, ports } = run;
  const messages = run.steering.take();
  for (const content of messages) {
    const entry: UserEntry = {
      role: "user",
      content,
      timestamp: timestamp(ports),
      id: ports.ids(),
      runId,
      steering: true,
    };
    run.emit({ type: "message:user", runId, messageId: entry.id, content, timestamp: entry.timestamp });
    progress.messages.push(entry);
    void run.record(entry, { durable: true });
  }
  return messages.length > 0;
}

function stopped(run: Running, response = ""): Ending {
  return { response, status: run.signal.reason === "timeout" ? "timeout" : "aborted" };
}

function outputOf(ending: Ending, progress: Progress, run: Running): ExecuteOutput {
  const { toolCalls, toolResults, requests } = progress;
  return {
    ...ending,
    messages: conversation(progress.messages),
    toolCalls,
    toolResults,
    usage: run.budget.usage(),
    iterations: requests,
    unread: run.steering.close(),
  };
}
