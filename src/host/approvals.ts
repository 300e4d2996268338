// What waits for a person: calls, plans and pauses, each a question that the engine asks through a port.
import type {
  Approval,
  Approve,
  ApprovePlan,
  Choose,
  Enter,
  InputQuestion,
  Pause,
  PendingCall,
} from "../engine/ports.ts";
import type { PlanApproval, PlanQuestion } from "../engine/ports.ts";
import type { Decision, PauseChoice, PlanDecision } from "../protocol/messages.ts";
import { createQuestions } from "./questions.ts";

/** Oldest first. */
export interface WaitingQuestions {
  readonly calls: readonly PendingCall[];
  readonly plans: readonly PlanQuestion[];
  readonly pauses: readonly Pause[];
  /** Calls at work that wait for something to be typed. */
  readonly inputs: readonly InputQuestion[];
}

export interface Approvals {
  /** The engine's ports. */
  readonly approve: Approve;
  readonly approvePlan: ApprovePlan;
  readonly choose: Choose;
  readonly enter: Enter;
  /** Answers a waiting call; false when it does not wait any more. */
  readonly decide: (toolCallId: string, decision: Decision) => boolean;
  /** Approves a waiting call, because a rule allows it now. */
  readonly allowedBy: (call: PendingCall, rule: string) => void;
  /** Answers a waiting plan; false when it does not wait any more. */
  readonly decidePlan: (planId: string, decision: PlanDecision) => boolean;
  /** Answers the newest pause, which is the one that is shown; false when none waits or that is none of its choices. */
  readonly choosePause: (choice: PauseChoice) => boolean;
  /** Types into a call that waits for it, null ends its input; false when it does not wait any more. */
  readonly type: (toolCallId: string, text: string | null) => boolean;
  readonly waiting: () => WaitingQuestions;
}

/** Where a person has reviewed a call's change, what approving it means. */
export type Review = (toolCallId: string) => Omit<Approval, "by"> | null;

/** @param changed told whenever what waits has changed */
export function createApprovals(changed: () => void, review: Review = () => null): Approvals {
  const calls = createQuestions<PendingCall, Approval>(changed);
  const plans = createQuestions<PlanQuestion, PlanApproval>(changed);
  const pauses = createQuestions<Pause, PauseChoice>(changed);
  const inputs = createQuestions<InputQuestion, string | null>(changed);
  return {
    approve: calls.ask,
    approvePlan: plans.ask,
    choose: pauses.ask,
    enter: inputs.ask,
    decide(toolCallId, decision) {
      const call = calls.waiting().find((waiting) => waiting.toolCallId === toolCallId);
      const answer = decision.kind === "approve" ? review(toolCallId) : null;
      return calls.answer(call, { ...(answer ?? { decision }), by: "person" });
    },
    allowedBy: (call, rule) => void calls.answer(call, { decision: { kind: "approve" }, by: "policy", rule }),
    decidePlan(planId, decision) {
      const plan = plans.waiting().find((waiting) => waiting.planId === planId);
      return plans.answer(plan, { decision, by: "person" });
    },
    choosePause(choice) {
      const pause = pauses.waiting().at(-1);
      return pause?.choices.includes(choice) === true && pauses.answer(pause, choice);
    },
    type(toolCallId, text) {
      const input = inputs.waiting().find((waiting) => waiting.toolCallId === toolCallId);
      return inputs.answer(input, text);
    },
    waiting: () => ({
      calls: calls.waiting(),
      plans: plans.waiting(),
      pauses: pauses.waiting(),
      inputs: inputs.waiting(),
    }),
  };
}
