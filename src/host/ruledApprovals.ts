// What waits for a person, the rules that answer for them, and what they could allow from now on.
import type { Approve, Policy } from "../engine/ports.ts";
import type { Rule } from "../protocol/rules.ts";
import { createAllowing, type Allowing } from "./allowing.ts";
import { createApprovals, type Approvals, type Review } from "./approvals.ts";
import type { Fold } from "./fold.ts";
import { createRules, type RuleMemory, type Rules } from "./rules.ts";

export interface RuledParts {
  readonly fold: Fold;
  readonly settings: () => readonly Rule[];
  readonly memory: RuleMemory;
  /** The policy of the workspace, if only these rules counted. */
  readonly policyUnder: (rules: readonly Rule[]) => Policy;
  readonly log: (message: string) => void;
}

export interface RuledApprovals {
  readonly approvals: Approvals;
  readonly rules: Rules;
  readonly allowing: Allowing;
  /** The engine's port: the call waits, and the panel is told what could be made of it. */
  readonly approve: Approve;
}

/** @param changed told whenever what waits has changed */
export function createRuledApprovals(
  { fold, settings, memory, policyUnder, log }: RuledParts,
  changed: (approvals: Approvals) => void,
  review?: Review,
): RuledApprovals {
  const approvals: Approvals = createApprovals(() => changed(approvals), review);
  const rules = createRules({ settings, memory, session: () => fold.view().session.id });
  const allowing = createAllowing({ approvals, fold, rules, policyUnder });
  const approve: Approve = (call, signal) => {
    allowing.offer(call).catch((error: unknown) => log(`What could be allowed is not known: ${String(error)}`));
    return approvals.approve(call, signal);
  };
  return { approvals, rules, allowing, approve };
}
