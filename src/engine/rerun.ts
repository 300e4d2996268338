// Runs what a transcript records once more, on the real loop: its model, tools and people give what is recorded (C-09).
import type { AgentDefinition } from "../protocol/agents.ts";
import { LoopError, storedFailure } from "../protocol/errors.ts";
import type { LoopEvent } from "../protocol/events.ts";
import type { Entry, UserEntry } from "../protocol/messages.ts";
import { differences, type Difference } from "./differences.ts";
import type { Clock, Effect, Ports, Ruling, SessionHandle } from "./ports.ts";
import { pausesOf, recordedRuns, type Line, type RecordedCall, type RecordedRun } from "./recorded.ts";
import { latentOutput, latentProblems, wasAsked } from "./recordedCalls.ts";
import { recordedModel } from "./recordedModel.ts";
import { attachedTo, recordedConfig, steeringOf, stopOf, timesOf } from "./recordedSetup.ts";
import { recordedTools } from "./recordedTools.ts";
import { priceOf, usageOf } from "./recordedUsage.ts";
import { startRun } from "./run.ts";
import { createStage, type Stage } from "./stage.ts";
import { onAbort } from "./timers.ts";

export interface RerunPorts {
  /** A clock that shows this time at first, and jumps to its next timer when nothing else can happen. */
  readonly clockAt: (start: number) => Clock;
  readonly validate: Ports["validate"];
}

export interface Rerun {
  readonly runId: string;
  /** How many lines of the run were compared: its own, without its delegates'. */
  readonly lines: number;
  /** True: the record breaks off, and what the loop does after that is not compared. */
  readonly cutOff: boolean;
  /** What the loop writes now. */
  readonly entries: readonly Entry[];
  readonly differences: readonly Difference[];
}

/** Virtual milliseconds after the end of its record in which a run must have ended. */
const patience = 10_000;

/**
 * Reruns each run of a session, oldest first, each with what is recorded before it as its history. Nothing is read, written,
 * run, sent or asked. Never rejects.
 */
export async function rerunAll(lines: readonly Line[], ports: RerunPorts): Promise<readonly Rerun[]> {
  const reruns: Rerun[] = [];
  for (const run of recordedRuns(lines)) {
    const first = lines.findIndex(({ entry }) => entry.runId === run.runId);
    const history = lines.slice(0, first).map(({ entry }) => entry);
    const entries = run.message ? await rerun(run, run.message, history, ports) : [];
    const { runId, end } = run;
    const cutOff = end === null;
    reruns.push({ runId, lines: run.lines.length, cutOff, entries, differences: differences(run, entries) });
  }
  return reruns;
}

async function rerun(
  run: RecordedRun,
  message: UserEntry,
  history: readonly Entry[],
  { clockAt, validate }: RerunPorts,
): Promise<readonly Entry[]> {
  const clock = clockAt(Date.parse(message.timestamp) || 0);
  const times = timesOf(run);
  const steering = steeringOf(run);
  const written: Entry[] = [];
  const abort = new AbortController();
  const stop = (): void => abort.abort(run.end?.status === "timeout" ? "timeout" : "stopped");
  const stage = createStage(run, clock, times, (request) => steer(request));
  const stopping = stopOf(run, times);
  const heard = new Map<string, number>();
  const hear = (event: LoopEvent): void => {
    stage.hear(event);
    heard.set(event.type, (heard.get(event.type) ?? 0) + 1);
    if (stopping?.kind !== "event") return;
    if (Object.entries(stopping.counts).every(([type, count]) => (heard.get(type) ?? 0) >= count)) stop();
  };
  const ports = portsOf(run, { clock, stage, validate, session: inMemory(history, written) });
  const { content, agent, parts } = message;
  const request = { message: content, parts, sessionId: "recorded", agent, signal: abort.signal };
  const started = startRun(request, ports, recordedConfig(run), hear);
  const steer = (number: number): void => {
    for (const { content, parts } of steering.get(number) ?? []) started.steer(content, parts);
  };
  steer(0);
  const last = times.at(-1) ?? 0;
  const timers = [clock.after(last + patience, stop)];
  if (stopping?.kind === "time") timers.push(clock.after(stopping.time, stop));
  await started.result;
  for (const cancel of timers) cancel();
  return written;
}

interface Setting {
  readonly clock: Clock;
  readonly stage: Stage;
  readonly validate: Ports["validate"];
  readonly session: SessionHandle;
}

function portsOf(run: RecordedRun, { clock, stage, validate, session }: Setting): Ports {
  const { end, requests } = run;
  const agent = agentOf(run);
  const model = recordedModel(run, stage, { price: priceOf(run), usage: usageOf(run) });
  const tools = recordedTools(run, stage);
  let ids = 0;
  return {
    model() {
      const { error } = end ?? {};
      if (!error || requests > 0) return Promise.resolve(model);
      // It failed before anything was sent.
      const { code, message, details } = storedFailure(error);
      return Promise.reject(new LoopError(code, message, details && { details }));
    },
    tools: () => Promise.resolve(tools),
    ...people(run, stage),
    validate: (schema, value) => (schema === latentOutput ? latentProblems(run, value) : validate(schema, value)),
    sessions: { open: () => Promise.resolve(session) },
    memory: { read: () => Promise.resolve("") },
    agents: { resolve: () => Promise.resolve(agent) },
    attach: (said) => Promise.resolve({ attachments: attachedTo(run, said), notices: [] }),
    clock,
    ids: () => `${run.runId}-${++ids}`,
    project: () => Promise.resolve(""),
    log: () => undefined,
  };
}

/** What a rule allowed needs its rule again; what was put before somebody is put before them again. */
function recordedRuling(recorded: RecordedCall | null, effect: Effect): Ruling {
  const result = recorded?.result;
  const { rule } = result?.verdict ?? {};
  if (rule !== undefined) return { kind: "allow", rule };
  if (effect !== "read" || (recorded && wasAsked(recorded))) return { kind: "ask", why: "It was asked about." };
  return { kind: "allow" };
}

/** Who decides: as it is recorded, when it is recorded. What is not recorded was never decided, or never asked. */
function people(run: RecordedRun, stage: Stage): Pick<Ports, "policy" | "approve" | "approvePlan" | "choose"> {
  const pauses = [...pausesOf(run)];
  const nobody = {
    decision: { kind: "reject", reason: "The record has no decision about this." },
    by: "policy",
  } as const;
  const stopped = run.end === null || run.end.status === "aborted";
  const unanswered = async <T>(answer: T, signal: AbortSignal): Promise<T> => {
    if (stopped) await onAbort(signal).aborted;
    return answer;
  };
  const asked = new Set<string>();
  return {
    policy: ({ toolCallId, effect }) => recordedRuling(stage.call(toolCallId), effect),
    async approve({ toolCallId }, signal) {
      const recorded = stage.call(toolCallId);
      const { verdict, status } = recorded?.result ?? {};
      if (!recorded || !verdict) return unanswered(nobody, signal);
      if (status === "rejected") await stage.until(recorded.index);
      return { decision: verdict.decision, by: verdict.by };
    },
    async approvePlan({ planId }, signal) {
      const plan = stage.reply()?.plan;
      // What was accepted then and cannot run now would be asked about for ever.
      if (!plan || asked.has(planId)) return unanswered(nobody, signal);
      asked.add(planId);
      await stage.until(plan.index);
      return { decision: plan.entry.decision, by: plan.entry.by };
    },
    ...(pauses.length > 0 && {
      async choose(_pause, signal) {
        const pause = pauses.shift();
        if (!pause) return unanswered("stop", signal);
        await stage.until(pause.index);
        return pause.entry.choice;
      },
    }),
  };
}

function agentOf({ message }: RecordedRun): AgentDefinition {
  const name = message?.agent ?? "";
  const output = message?.setup?.output;
  return { id: "recorded", name, identity: "", source: null, ...(output && { output }) };
}

function inMemory(history: readonly Entry[], written: Entry[]): SessionHandle {
  return {
    id: "recorded",
    history,
    earlier: () => Promise.resolve([]),
    repairs: [],
    append(entries) {
      written.push(...entries);
      return Promise.resolve();
    },
    release: () => Promise.resolve(),
  };
}
