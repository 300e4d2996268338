// Puts a plan before a person and waits for the answer; a plan that cannot run is answered without asking.
import type { EventOf } from "../protocol/events.ts";
import type { PlanDecision, PlanEntry, PlanStep, Verdict } from "../protocol/messages.ts";
import { planOf } from "./plan.ts";
import type { PlanApproval, PlanQuestion } from "./ports.ts";
import { revisePlan, type RevisedPlan } from "./revisePlan.ts";
import { timestamp, type Running } from "./running.ts";
import type { Slot } from "./slot.ts";
import { onAbort } from "./timers.ts";

/** What was made of a plan, by whom and when. */
export interface PlanRevision extends Pick<Verdict, "by" | "at"> {
  readonly plan: RevisedPlan;
}

export type PlanOutcome =
  | { readonly kind: "go"; readonly approved: boolean; readonly changes: PlanRevision | null }
  /** None of its calls runs; the sentence goes to the model. */
  | { readonly kind: "refused"; readonly status: "failed" | "rejected"; readonly content: string };

const go: PlanOutcome = { kind: "go", approved: false, changes: null };

/**
 * Decides whether the calls of a complete reply may start (LOOP-PLAN-3). Only a lazy plan with something to approve is
 * asked about; any other is shown when its calls depend on each other. Never throws.
 */
export async function decidePlan(slots: readonly Slot[], run: Running): Promise<PlanOutcome> {
  const { steps, problem } = planOf(slots, run);
  if (run.config.plan === "lazy") {
    if (problem !== null) {
      show("lazy", steps, run, { problem });
      return { kind: "refused", status: "failed", content: `The plan was not run. ${problem} Send a corrected plan.` };
    }
    if (slots.some(({ tool }) => tool !== undefined && tool.effect !== "read")) return put(slots, steps, run);
  }
  if (steps.some(({ after }) => after.length > 0)) show("eager", steps, run);
  return go;
}

type Shown = Pick<EventOf<"plan:proposed">, "params" | "problem">;

function show(mode: "eager" | "lazy", steps: readonly PlanStep[], run: Running, more: Shown = {}): string {
  const planId = run.ports.ids();
  const { runId } = run;
  run.emit({ type: "plan:proposed", runId, planId, mode, steps: [...steps], ...more });
  return planId;
}

/** Puts the plan before a person, again and again while what they make of it cannot run. */
async function put(slots: readonly Slot[], steps: readonly PlanStep[], run: Running): Promise<PlanOutcome> {
  const { runId } = run;
  const params = Object.fromEntries(slots.map(({ id, asked }) => [id, asked.params]));
  const planId = show("lazy", steps, run, { params });
  const asked = timestamp(run.ports);
  for (;;) {
    const approval = await ask({ runId, planId, steps }, run);
    if (!approval) return go;
    const { decision, by } = approval;
    const changes = changesOf(slots, approval, run);
    if (changes && changes.plan.problem !== null) {
      const { problem } = changes.plan;
      run.emit({ type: "plan:decided", runId, planId, decision, by, problem });
      continue;
    }
    const left = changes && [...changes.plan.steps];
    run.emit({ type: "plan:decided", runId, planId, decision, by, ...(left && { steps: left }) });
    const about = { id: planId, runId, timestamp: timestamp(run.ports) };
    const revised = left && { revised: left };
    const entry: PlanEntry = { type: "plan", ...about, asked, steps: [...steps], ...revised, decision, by };
    void run.record(entry, { durable: true });
    if (decision.kind === "reject") return { kind: "refused", status: "rejected", content: rejection(decision, by) };
    return { kind: "go", approved: decision.kind === "approveAll", changes };
  }
}

function changesOf(slots: readonly Slot[], { decision, by }: PlanApproval, run: Running): PlanRevision | null {
  if (decision.kind === "reject" || !decision.changes) return null;
  const about = { by, at: timestamp(run.ports) };
  return { ...about, plan: revisePlan(slots, decision.changes, about, run) };
}

/** Null when the run was stopped meanwhile: its calls then end as cancelled. */
async function ask(plan: PlanQuestion, run: Running): Promise<PlanApproval | null> {
  const { approvePlan } = run.ports;
  if (!approvePlan) return { decision: { kind: "approve" }, by: "policy" };
  const { aborted, forget } = onAbort(run.signal);
  run.deadline.pause();
  try {
    const approval = await Promise.race([approvePlan(plan, run.signal), aborted]);
    return approval === "aborted" ? null : approval;
  } catch (error) {
    if (!run.signal.aborted) run.ports.log(`Asking about a plan failed: ${String(error)}`);
    return run.signal.aborted ? null : { decision: { kind: "reject" }, by: "policy" };
  } finally {
    forget();
    run.deadline.resume();
  }
}

function rejection({ reason }: Extract<PlanDecision, { kind: "reject" }>, by: PlanApproval["by"]): string {
  const who = by === "person" ? "The person rejected the plan" : "The plan was rejected by policy";
  return reason === undefined || reason.trim() === ""
    ? `${who}. None of its calls ran.`
    : `${who}: ${reason.trim()} None of its calls ran.`;
}
