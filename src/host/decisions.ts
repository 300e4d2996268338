// The palette's commands about what waits for a person: calls, plans and a paused run.
import * as vscode from "vscode";
import type { PendingCall, PlanQuestion } from "../engine/ports.ts";
import type { PanelEvent } from "../protocol/events.ts";
import type { CommandName } from "../protocol/commands.ts";
import type { ToWebview } from "../protocol/wire.ts";
import type { Allowing } from "./allowing.ts";
import type { Approvals } from "./approvals.ts";
import type { Fold } from "./fold.ts";
import { paramsFor } from "./params.ts";
import { allowCall, showRules } from "./ruleCommands.ts";
import { exportRules, importRules } from "./ruleFiles.ts";
import type { Rules } from "./rules.ts";
import { enterParams, pickCall, pickTool } from "./pick.ts";
import { inWords } from "./words.ts";

export interface DecisionParts {
  readonly approvals: Approvals;
  readonly allowing: Allowing;
  readonly rules: Rules;
  readonly fold: Fold;
  readonly ask: (message: ToWebview) => void;
}

export type DecisionCommand = Extract<
  CommandName,
  | "approveCall"
  | "approveAll"
  | "modifyCall"
  | "replaceCall"
  | "rejectCall"
  | "allowCall"
  | "showRules"
  | "exportRules"
  | "importRules"
  | "approvePlan"
  | "rejectPlan"
  | "continueRun"
>;

export function createDecisions(
  parts: DecisionParts,
): Readonly<Record<DecisionCommand, (argument?: unknown) => unknown>> {
  const { approvals } = parts;
  return {
    approveCall: (id) => withCall(approvals, id, (call) => approve(approvals, call)),
    approveAll: () => approvals.waiting().calls.map((call) => approvals.decide(call.toolCallId, { kind: "approve" })),
    modifyCall: (id) => withCall(approvals, id, (call) => focusCall(parts, call.toolCallId, "modify")),
    replaceCall: (id) => withCall(approvals, id, (call) => replace(parts, call)),
    rejectCall: (id) => withCall(approvals, id, (call) => reject(approvals, call)),
    allowCall: (argument) =>
      withCall(approvals, idIn(argument), (call) => allowCall(parts.allowing, call, scopeIn(argument))),
    showRules: () => showRules(parts.rules),
    exportRules: (argument) => exportRules(parts.rules, fileIn(argument)),
    importRules: (argument) => importRules(parts.rules, fileIn(argument)),
    approvePlan: (id) => withPlan(approvals, id, ({ planId }) => approvals.decidePlan(planId, { kind: "approve" })),
    rejectPlan: (id) => withPlan(approvals, id, (plan) => rejectPlan(approvals, plan)),
    continueRun: () =>
      approvals.choosePause("continue") ||
      void vscode.window.showInformationMessage(vscode.l10n.t("No run is paused.")),
  };
}

/** `{ id, scope }` from a key binding: neither has to be given. */
function idIn(argument: unknown): unknown {
  return typeof argument === "object" && argument !== null && "id" in argument ? argument.id : argument;
}

function scopeIn(argument: unknown): unknown {
  return typeof argument === "object" && argument !== null && "scope" in argument ? argument.scope : undefined;
}

/** Brings the panel to the front that a person used last, or that in the side bar. */
export function focusPanel(): Thenable<unknown> {
  return vscode.commands.executeCommand("brain.focusChat");
}

/** The named call, the only one that waits, or the one a person picks: nobody decides about what they have not seen. */
async function withCall<T>(
  approvals: Approvals,
  id: unknown,
  act: (call: PendingCall) => T | Promise<T>,
): Promise<T | undefined> {
  const waiting = approvals.waiting().calls;
  if (waiting.length === 0) return void vscode.window.showInformationMessage(vscode.l10n.t("No call waits for you."));
  const call = typeof id === "string" ? waiting.find(({ toolCallId }) => toolCallId === id) : await theOneOf(waiting);
  return call ? act(call) : undefined;
}

async function theOneOf(waiting: readonly PendingCall[]): Promise<PendingCall | undefined> {
  return waiting.length > 1 ? pickCall(waiting) : waiting[0];
}

/** The named plan, or the oldest: plans of delegates come one after the other into the panel, too. */
async function withPlan<T>(
  approvals: Approvals,
  id: unknown,
  act: (plan: PlanQuestion) => T | Promise<T>,
): Promise<T | undefined> {
  const { plans } = approvals.waiting();
  if (plans.length === 0) return void vscode.window.showInformationMessage(vscode.l10n.t("No plan waits for you."));
  const plan = typeof id === "string" ? plans.find(({ planId }) => planId === id) : plans[0];
  return plan ? act(plan) : undefined;
}

function approve(approvals: Approvals, { toolCallId, label }: PendingCall): boolean {
  const approved = approvals.decide(toolCallId, { kind: "approve" });
  if (approved) vscode.window.setStatusBarMessage(vscode.l10n.t("Brain: approved “{0}”", inWords(label)), 5_000);
  return approved;
}

async function focusCall({ ask }: DecisionParts, toolCallId: string, part: "modify" | "reject" | "row"): Promise<void> {
  await focusPanel();
  ask({ type: "call:focus", toolCallId, part });
}

async function reject(approvals: Approvals, { toolCallId, label }: PendingCall): Promise<void> {
  const reason = await enterReason(vscode.l10n.t("Reject: {0}", inWords(label)));
  if (reason === undefined) return;
  const decision = { kind: "reject", ...(reason !== "" && { reason }) } as const;
  if (!approvals.decide(toolCallId, decision)) tooLate("call");
}

async function rejectPlan(approvals: Approvals, { planId, steps }: PlanQuestion): Promise<void> {
  const reason = await enterReason(
    steps.length === 1
      ? vscode.l10n.t("Reject the plan of 1 call")
      : vscode.l10n.t("Reject the plan of {0} calls", steps.length),
  );
  if (reason === undefined) return;
  const decision = { kind: "reject", ...(reason !== "" && { reason }) } as const;
  if (!approvals.decidePlan(planId, decision)) tooLate("plan");
}

/** Undefined when the person left. */
async function enterReason(title: string): Promise<string | undefined> {
  const reason = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t("Why? The agent reads it. May be left empty."),
  });
  return reason?.trim();
}

/**
 * Asks for another call, again and again until it is one that can run, or the person leaves.
 * @returns whether the call was replaced
 */
async function replace({ approvals, fold }: DecisionParts, call: PendingCall): Promise<boolean> {
  const tool = await pickTool(fold.view().tools, call.toolName);
  if (!tool) return false;
  let params = paramsFor(tool, call.params);
  let problem = "";
  for (;;) {
    const entered = await enterParams(tool, params, problem);
    if (entered === undefined) return false;
    const decision = { kind: "replace", call: { name: tool.name, params: entered } } as const;
    if (!approvals.decide(call.toolCallId, decision)) {
      tooLate("call");
      return false;
    }
    const refusal = await fold.next((event) => verdictOn(call.toolCallId, event));
    if (refusal === null) return true;
    params = entered;
    problem = refusal;
  }
}

/** Why the decision was refused; null when it was taken, or the call is over. */
function verdictOn(toolCallId: string, event: PanelEvent): string | null | undefined {
  if (event.type === "loop:end") return null;
  if (event.type !== "call:decided" && event.type !== "tool:end") return undefined;
  if (event.toolCallId !== toolCallId) return undefined;
  return event.type === "call:decided" ? (event.problem ?? null) : null;
}

function tooLate(what: "call" | "plan"): void {
  void vscode.window.showInformationMessage(
    what === "call"
      ? vscode.l10n.t("This call does not wait for you any more.")
      : vscode.l10n.t("This plan does not wait for you any more."),
  );
}

/** `{ file }` from a key binding. */
function fileIn(argument: unknown): string | undefined {
  if (typeof argument !== "object" || argument === null || !("file" in argument)) return undefined;
  return typeof argument.file === "string" ? argument.file : undefined;
}
