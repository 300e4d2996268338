// Between a call and its execution: arguments, schema, scope, policy, person; in that order, none skipped.
import type { Label, Preview } from "../protocol/calls.ts";
import type { CallError, CallStatus, Decision, Params, ToolCall, Verdict } from "../protocol/messages.ts";
import { parseArguments } from "./arguments.ts";
import { leavesSandbox, rulingOn } from "./policy.ts";
import type { Approval, LeftTexts, Prepared, Refusal, Ruling, Tool } from "./ports.ts";
import { timestamp, type Running } from "./running.ts";
import * as sentences from "./sentences.ts";
import { onAbort } from "./timers.ts";

/** A call that may run now. */
export interface Cleared {
  readonly kind: "cleared";
  readonly tool: Tool;
  readonly prepared: Prepared;
  readonly verdict: Verdict;
  /** What the model must know of the decision; goes in front of the result (LOOP-HITL-7). */
  readonly notice: string;
}

/** A call that ends without having run. */
export interface Ended {
  readonly kind: "ended";
  readonly status: CallStatus;
  readonly content: string;
  readonly error?: CallError["type"];
  readonly verdict?: Verdict;
  /** What was refused. */
  readonly preview?: Preview;
}

/** A call whose parameters are all there: references in them have given way to values. */
export interface Asked {
  readonly call: ToolCall;
  readonly params: Params;
  /** The engine's own fields, as the model wrote them. */
  readonly fields: Params;
  readonly reason: string | undefined;
  /** The arguments were no valid JSON and were mended. */
  readonly repaired: boolean;
  /** A person has approved it as it stands, with the plan that it is part of. */
  readonly approved: boolean;
  /** The parameters are a person's, given with that plan. */
  readonly changed?: Verdict;
}

/** Takes one call through every check (STYLE 3.4). Never throws. */
export async function passGate(asked: Asked, tool: Tool | undefined, run: Running): Promise<Cleared | Ended> {
  const { call, params, reason, repaired } = asked;
  if (!tool) return structural(sentences.noTool(call.name, namesOf(run.tools)));
  const prepared = await prepare(tool, { id: call.id, params }, run);
  if (prepared.kind === "refused") return refusal(prepared);
  announceReady(call, prepared, run);
  const again = (): Ruling | Promise<Ruling> => judge({ id: call.id, tool, prepared }, repaired, run);
  const judged = again();
  const ruling = judged instanceof Promise ? await judged : judged;
  const notice = noticeOf(asked);
  if (ruling.kind === "deny") return refusal({ kind: "refused", status: "denied", content: ruling.why });
  if (ruling.kind === "ask" && (!asked.approved || mustAsk(tool, prepared))) {
    const { offers } = ruling;
    const why = whyAsked(ruling.why, prepared);
    return ask(
      { call, tool, prepared, why, reason, notice, again, changed: asked.changed, ...(offers && { offers }) },
      run,
    );
  }
  return { kind: "cleared", tool, prepared, verdict: verdictOn(asked, ruling, run), notice };
}

/** Where the word about a whole plan is none about the call. */
function mustAsk({ alwaysAsks }: Tool, { preview }: Prepared): boolean {
  return alwaysAsks !== undefined || leavesSandbox(preview);
}

/** What the model must know of parameters that are not as it wrote them. */
function noticeOf({ params, repaired, changed }: Asked): string {
  if (changed?.decision.kind === "modify") return sentences.changed(changed.decision.params);
  return repaired ? sentences.mended(params) : "";
}

/** Nobody was asked about this one call: what was made of it with its plan is what was decided. */
function verdictOn({ call, changed }: Asked, ruling: Exclude<Ruling, { kind: "deny" }>, run: Running): Verdict {
  if (!changed) return allowed(call.id, ruling, run);
  const { decision, by } = changed;
  run.emit({ type: "call:decided", runId: run.runId, toolCallId: call.id, decision, by });
  return changed;
}

/** That nothing confines a command is part of the question. */
function whyAsked(why: string, { preview }: Prepared): string {
  const unconfined = preview?.kind === "command" ? (preview.unconfined?.why ?? "") : "";
  return [why, unconfined].filter(Boolean).join(" ");
}

/** What needs a rule is told, with the rule. */
function allowed(toolCallId: string, ruling: Exclude<Ruling, { kind: "deny" }>, run: Running): Verdict {
  const decision = { kind: "approve" } as const;
  const at = timestamp(run.ports);
  if (ruling.kind === "ask") return { decision, by: "person", at };
  if (ruling.rule === undefined) return { decision, by: "policy", at };
  const { rule } = ruling;
  run.emit({ type: "call:decided", runId: run.runId, toolCallId, decision, by: "policy", rule });
  return { decision, by: "policy", at, rule };
}

interface Judged {
  readonly id: string;
  readonly tool: Tool;
  readonly prepared: Prepared;
}

function judge({ id, tool, prepared }: Judged, repaired: boolean, run: Running): Ruling | Promise<Ruling> {
  const { runId, narrowing } = run;
  const { params, preview } = prepared;
  const about = { effect: tool.effect, touches: tool.touches(params, id), preview };
  const call = { runId, toolCallId: id, toolName: tool.name, ...about, narrowing };
  return rulingOn(call, { repaired, alwaysAsks: tool.alwaysAsks }, run.ports.policy);
}

function announceReady(call: ToolCall, { label, params, preview }: Prepared, run: Running): void {
  const about = { runId: run.runId, toolCallId: call.id };
  run.emit({ type: "call:ready", ...about, label, params, ...(preview && { preview }) });
}

interface Question {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly prepared: Prepared;
  readonly why: string;
  readonly reason: string | undefined;
  readonly notice: string;
  /** What a person made of it before, with its plan. */
  readonly changed: Verdict | undefined;
  readonly offers?: NonNullable<Extract<Ruling, { kind: "ask" }>["offers"]>;
  readonly again: () => Ruling | Promise<Ruling>;
}

async function ask(question: Question, run: Running): Promise<Cleared | Ended> {
  run.deadline.pause();
  try {
    for (;;) {
      announce(question, run);
      const approval = await decide(question, run);
      if (!approval)
        return {
          kind: "ended",
          status: "cancelled",
          content: sentences.cancelled.whileAsked,
        };
      const outcome = await settle(question, approval, run);
      if (outcome.kind !== "again") return outcome;
    }
  } finally {
    run.deadline.resume();
  }
}

function announce({ call, tool, prepared, why, reason }: Question, run: Running): void {
  run.emit({
    type: "call:pending",
    runId: run.runId,
    toolCallId: call.id,
    toolName: tool.name,
    label: prepared.label,
    params: prepared.params,
    schema: tool.parameters,
    why,
    ...(reason !== undefined && { reason }),
  });
}

/** Null when the run was stopped meanwhile. */
async function decide(question: Question, run: Running): Promise<Approval | null> {
  const { call, tool, prepared, why, offers, again } = question;
  const { aborted, forget } = onAbort(run.signal);
  const { params, label } = prepared;
  const { proposals } = prepared;
  const about = { params, label, why, again, ...(offers && { offers }), ...(proposals && { proposals }) };
  const pending = { runId: run.runId, toolCallId: call.id, toolName: tool.name, ...about };
  try {
    const approval = await Promise.race([run.ports.approve(pending, run.signal), aborted]);
    return approval === "aborted" ? null : approval;
  } catch (error) {
    if (!run.signal.aborted) run.ports.log(`Asking about ${call.name} failed: ${String(error)}`);
    return null;
  } finally {
    forget();
  }
}

async function settle(
  question: Question,
  { decision: made, by, rule, texts }: Approval,
  run: Running,
): Promise<Cleared | Ended | { kind: "again" }> {
  const decision: Decision = made.kind === "approve" && texts !== undefined ? { ...made, revised: true } : made;
  // Approved as a person has changed it: that they changed it is what is to be known of it.
  const plain = made.kind === "approve" && texts === undefined && made.note === undefined;
  const known = (plain && question.changed?.decision) || decision;
  const told = { decision: known, by, ...(rule !== undefined && { rule }) };
  const verdict: Verdict = { ...told, at: timestamp(run.ports) };
  const tell = (problem?: string): void =>
    run.emit({
      type: "call:decided",
      runId: run.runId,
      toolCallId: question.call.id,
      ...told,
      ...(problem !== undefined && { problem }),
    });
  const { preview } = question.prepared;
  switch (decision.kind) {
    case "reject":
      tell();
      return {
        kind: "ended",
        status: "rejected",
        content: rejection(decision.reason, by),
        verdict,
        ...(preview && { preview }),
      };
    case "approve":
      return approved(question, { texts, note: decision.note, verdict, tell }, run);
    default:
      return changedTo(question, { decision, verdict, tell }, run);
  }
}

interface Settling {
  readonly verdict: Verdict;
  /** Says that it is decided, or what is wrong with the decision. */
  readonly tell: (problem?: string) => void;
}

function approved(
  { call, tool, prepared, notice }: Question,
  {
    texts,
    note,
    verdict,
    tell,
  }: Settling & { readonly texts: LeftTexts | undefined; readonly note: string | undefined },
  run: Running,
): Cleared | { kind: "again" } {
  const left = texts === undefined ? prepared : revise(prepared, texts);
  if (left.kind === "refused") {
    tell(left.content);
    return { kind: "again" };
  }
  tell();
  if (left !== prepared) announceReady(call, left, run);
  return { kind: "cleared", tool, prepared: left, verdict, notice: withNote(notice, note) };
}

async function changedTo(
  { call, tool }: Question,
  { decision, verdict, tell }: Settling & { readonly decision: Extract<Decision, { kind: "modify" | "replace" }> },
  run: Running,
): Promise<Cleared | { kind: "again" }> {
  const changed = await prepareChanged({ id: call.id, tool }, decision, run);
  const judged = judgeChange(call.id, changed, run);
  const ruling = judged instanceof Promise ? await judged : judged;
  if (ruling.kind === "deny" || changed.prepared.kind === "refused") {
    tell(ruling.kind === "deny" ? ruling.why : "");
    return { kind: "again" };
  }
  tell();
  announceReady(call, changed.prepared, run);
  return { kind: "cleared", tool: changed.tool, prepared: changed.prepared, verdict, notice: changed.notice };
}

function revise(prepared: Prepared, texts: LeftTexts): Prepared | Refusal {
  const problem = "This call has no text that could be reviewed.";
  return prepared.revised?.(texts) ?? { kind: "refused", status: "failed", content: problem };
}

function withNote(notice: string, note: string | undefined): string {
  return note === undefined ? notice : sentences.underNotice(notice, sentences.noted(note));
}

/** What a rule denies stays denied, whoever asks for it. */
function judgeChange(id: string, { tool, prepared }: Change, run: Running): Ruling | Promise<Ruling> {
  if (prepared.kind === "refused") return { kind: "deny", why: prepared.content };
  return judge({ id, tool, prepared }, false, run);
}

interface Change {
  readonly tool: Tool;
  readonly prepared: Prepared | Refusal;
}

/** Changed input is input: it goes through the same checks again, but is not asked about twice. */
async function prepareChanged(
  { id, tool }: { readonly id: string; readonly tool: Tool },
  decision: Extract<Decision, { kind: "modify" | "replace" }>,
  run: Running,
): Promise<{ tool: Tool; prepared: Prepared | Refusal; notice: string }> {
  if (decision.kind === "modify") {
    const notice = sentences.changed(decision.params);
    return { tool, prepared: await prepare(tool, { id, params: decision.params }, run), notice };
  }
  const { name, params } = decision.call;
  const other = run.tools.find((candidate) => candidate.name === name);
  const notice = sentences.replaced(decision.call);
  if (!other)
    return {
      tool,
      prepared: { kind: "refused", status: "failed", content: `There is no tool named ${name}.` },
      notice,
    };
  return { tool: other, prepared: await prepare(other, { id, params }, run), notice };
}

async function prepare(
  tool: Tool,
  { id, params }: { readonly id: string; readonly params: Params },
  run: Running,
): Promise<Prepared | Refusal> {
  try {
    return await tool.prepare(params, run.signal, id);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: "refused", status: "failed", content: `${tool.name} could not be prepared: ${why}` };
  }
}

/** Words for a call before it is checked. */
export function labelOf({ call, changed }: Pick<Asked, "call" | "changed">, tool: Tool | undefined): Label {
  const parsed = parseArguments(call);
  if (!tool || parsed.kind === "malformed") return { verb: call.name, subject: "" };
  return tool.label(changed?.decision.kind === "modify" ? changed.decision.params : parsed.params);
}

/** The result of a call that was refused. */
export function rejection(reason: string | undefined, by: Verdict["by"]): string {
  const who = by === "person" ? "Rejected by the person" : "Rejected by policy";
  return reason === undefined || reason.trim() === "" ? `${who}. It did not run.` : `${who}: ${reason.trim()}`;
}

function refusal({ status, content }: Refusal): Ended {
  return status === "denied" ? { kind: "ended", status, content: sentences.denied(content) } : structural(content);
}

function structural(content: string): Ended {
  return { kind: "ended", status: "failed", content, error: "structural" };
}

function namesOf(tools: readonly Tool[]): readonly string[] {
  return tools.map((tool) => tool.name);
}
