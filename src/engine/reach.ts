// A host that a call at work wants to reach: what the rules say of it, and where they say nothing, one question to a person.
import type { Label, Preview } from "../protocol/calls.ts";
import type { CallStatus, Verdict } from "../protocol/messages.ts";
import { nestedId } from "../protocol/replay.ts";
import { rulingOn } from "./policy.ts";
import type { Approval, CallContext, HostTarget, Reached, Ruling } from "./ports.ts";
import { timestamp, type Running } from "./running.ts";
import { onAbort, type Deadline } from "./timers.ts";

/** What a question about a host is called among the calls. No model can call it. */
const toolName = "reach_host";
/** A command that asks for more hosts than this gets no further ones: nobody could decide about them. */
const mostAsked = 20;

const inBackground = "it goes on in the background, where nobody is asked: a rule has to allow the host";
const unasked = "no rule names it";

/** The call that wants to reach hosts. */
interface Asking {
  readonly id: string;
  readonly label: Label;
}

type Clocks = Pick<Deadline, "pause" | "resume">;

/** Makes a call's way to ask for hosts. Each question stands under the call, and is decided like a call. */
export function createReach(asking: Asking, clocks: Clocks, run: Running): CallContext["reach"] {
  const answers = new Map<string, Promise<Reached>>();
  return async (target, signal) => {
    const ruling = await judge(asking, target, run);
    if (ruling.kind === "allow") return { kind: "allowed" };
    if (ruling.kind === "deny") return refused(ruling.why);
    if (target.ruled) return refused(unasked);
    const name = `${target.host}:${target.port}`;
    const known = answers.get(name);
    if (known) return known;
    if (signal.aborted) return refused(inBackground);
    if (answers.size >= mostAsked) return refused(`it has asked for ${mostAsked} other hosts already`);
    const question = { asking, target, id: `host-${answers.size + 1}`, name, ruling };
    const answer = ask(question, { clocks, signal }, run);
    answers.set(name, answer);
    return answer;
  };
}

function refused(why: string): Reached {
  return { kind: "refused", why };
}

function judge({ id }: Asking, { host, port }: HostTarget, run: Running): Ruling | Promise<Ruling> {
  const { runId, narrowing, ports } = run;
  const touches = { reads: [], writes: [], runs: false };
  const preview = { kind: "host", host, port } as const;
  return rulingOn(
    { runId, toolCallId: id, toolName, effect: "run", preview, touches, narrowing },
    { repaired: false },
    ports.policy,
  );
}

interface Question {
  readonly asking: Asking;
  readonly target: HostTarget;
  /** Inside of the call. */
  readonly id: string;
  /** Host and port. */
  readonly name: string;
  readonly ruling: Extract<Ruling, { kind: "ask" }>;
}

interface Waiting {
  readonly clocks: Clocks;
  readonly signal: AbortSignal;
}

/** How the question is shown. */
function shownOf({ target, name }: Question): {
  label: Label;
  params: { host: string; port: number };
  preview: Preview;
} {
  const { host, port } = target;
  return { label: { verb: "Reach", subject: name }, params: { host, port }, preview: { kind: "host", host, port } };
}

async function ask(question: Question, { clocks, signal }: Waiting, run: Running): Promise<Reached> {
  const { asking } = question;
  const about = { runId: run.runId, toolCallId: nestedId(asking.id, question.id) };
  const { label, params, preview } = shownOf(question);
  run.emit({ type: "call:streaming", ...about, toolName, messageId: "", iteration: 0, within: asking.id });
  run.emit({ type: "call:ready", ...about, label, params, preview });
  const began = run.ports.clock.now();
  clocks.pause();
  try {
    const approval = await decide(question, signal, run);
    const ending = endingOf(approval);
    run.emit({ type: "tool:start", ...about, toolName, label });
    run.emit({ type: "tool:end", ...about, toolName, result: ending.content, duration: 0, status: ending.status });
    if (approval) record(question, { ...ending, approval, began }, run);
    return ending.status === "succeeded" ? { kind: "allowed" } : refused(ending.content);
  } finally {
    clocks.resume();
  }
}

/** Null when nobody waits for the answer any more. */
async function decide(question: Question, signal: AbortSignal, run: Running): Promise<Approval | null> {
  const { asking, target, id, name, ruling } = question;
  const about = { runId: run.runId, toolCallId: nestedId(asking.id, id) };
  const { label, params } = shownOf(question);
  const { verb, subject } = asking.label;
  const why = [`“${subject === "" ? verb : subject}” wants to reach ${name}.`, ruling.why].join(" ").trim();
  const call = { ...about, toolName, label, params, why };
  const again = (): Ruling | Promise<Ruling> => judge(asking, target, run);
  const { offers } = ruling;
  const stopped = AbortSignal.any([signal, run.signal]);
  const ended = onAbort(stopped);
  try {
    for (;;) {
      run.emit({ type: "call:pending", ...call, schema: {} });
      const answer = run.ports.approve({ ...call, again, ...(offers && { offers }) }, stopped);
      const approval = await Promise.race([answer, ended.aborted]);
      if (approval === "aborted") return null;
      const { decision, by, rule } = approval;
      const told = { type: "call:decided", ...about, decision, by, ...(rule !== undefined && { rule }) } as const;
      if (decision.kind === "approve" || decision.kind === "reject") {
        run.emit(told);
        return approval;
      }
      run.emit({ ...told, problem: "A host can only be allowed or refused." });
    }
  } catch (error) {
    if (!stopped.aborted) run.ports.log(`Asking about ${name} failed: ${String(error)}`);
    return null;
  } finally {
    ended.forget();
  }
}

interface HostEnding {
  readonly status: Extract<CallStatus, "succeeded" | "rejected" | "cancelled">;
  readonly content: string;
}

function endingOf(approval: Approval | null): HostEnding {
  if (!approval) return { status: "cancelled", content: "nobody decided about it before the call ended" };
  const { decision, by } = approval;
  if (decision.kind === "approve") return { status: "succeeded", content: "It may be reached." };
  const reason = decision.kind === "reject" ? (decision.reason ?? "").trim() : "";
  const who = by === "person" ? "the person refused it" : "policy refused it";
  return { status: "rejected", content: reason === "" ? who : `${who}: ${reason}` };
}

/** The decision goes into the transcript under the call. */
function record(
  question: Question,
  { status, content, approval, began }: HostEnding & { readonly approval: Approval; readonly began: number },
  run: Running,
): void {
  const { asking, id } = question;
  const { label, params, preview } = shownOf(question);
  const at = timestamp(run.ports);
  const { decision, by, rule } = approval;
  const verdict: Verdict = { decision, by, at, ...(rule !== undefined && { rule }) };
  const line = (): { id: string; runId: string; timestamp: string; within: string } => ({
    id: run.ports.ids(),
    runId: run.runId,
    timestamp: at,
    within: asking.id,
  });
  const call = { id, name: toolName, arguments: JSON.stringify(params) };
  void run.record({ ...line(), role: "assistant", content: "", tool_calls: [call], iteration: 0 });
  const about = { tool_call_id: id, name: toolName, label, preview, verdict };
  const waited = [{ at: new Date(began).toISOString(), duration: Math.max(0, run.ports.clock.now() - began) }];
  void run.record({ ...line(), role: "tool", ...about, content, status, at, duration: 0, waited });
}
