// “Always allow”: what a waiting call would need, what that would have allowed before, and approving all that it allows now.
import type { Policy, PendingCall } from "../engine/ports.ts";
import type { RuleOffer } from "../protocol/events.ts";
import { rulesInWords, ruleText, type Rule, type RuleScope } from "../protocol/rules.ts";
import type { CallItem } from "../protocol/viewCall.ts";
import type { Approvals } from "./approvals.ts";
import type { Fold } from "./fold.ts";
import type { Rules } from "./rules.ts";

interface AllowingParts {
  readonly approvals: Approvals;
  readonly fold: Fold;
  readonly rules: Rules;
  /** The policy of the workspace, if only these rules counted. */
  readonly policyUnder: (rules: readonly Rule[]) => Policy;
}

export interface Allowing {
  /** Tells the panel what could be made of a call that begins to wait. Never rejects. */
  readonly offer: (call: PendingCall) => Promise<void>;
  /**
   * Makes the rules of an offer and approves the call, and what else waits and is allowed by them.
   * @returns false when the call does not wait any more, or has no such offer
   */
  readonly allow: (toolCallId: string, offer: number, scope: RuleScope) => Promise<boolean>;
}

export function createAllowing(parts: AllowingParts): Allowing {
  const { approvals, fold, rules } = parts;
  return {
    async offer({ runId, toolCallId, offers = [] }) {
      if (offers.length === 0) return;
      const earlier = callsBefore(fold, toolCallId);
      const shown = await Promise.all(offers.map((list) => describe(list, earlier, parts.policyUnder(list))));
      fold.event({ type: "call:offers", runId, toolCallId, offers: shown });
    },
    async allow(toolCallId, offer, scope) {
      const call = approvals.waiting().calls.find((waiting) => waiting.toolCallId === toolCallId);
      const made = call?.offers?.[offer];
      if (!call || !made) return false;
      rules.add(made, scope, call.runId);
      const approved = approvals.decide(toolCallId, { kind: "approve" });
      await Promise.all(approvals.waiting().calls.map((waiting) => lookAgain(waiting, approvals)));
      return approved;
    },
  };
}

async function lookAgain(call: PendingCall, approvals: Approvals): Promise<void> {
  const ruling = await call.again?.();
  if (ruling?.kind === "allow" && ruling.rule !== undefined) approvals.allowedBy(call, ruling.rule);
}

/** How many earlier calls are looked at, and how many of them are shown. */
const most = { seen: 300, shown: 20 };

function callsBefore(fold: Fold, toolCallId: string): readonly CallItem[] {
  const items = fold.view().turns.flatMap((turn) => turn.items);
  return items
    .filter((item): item is CallItem => item.kind === "call" && item.id !== toolCallId && item.params !== null)
    .slice(-most.seen);
}

async function describe(rules: readonly Rule[], calls: readonly CallItem[], policy: Policy): Promise<RuleOffer> {
  const matches = new Set<string>();
  for (const { id: toolCallId, toolName, preview, label } of calls) {
    const touches = { reads: [], writes: [], runs: false };
    const about = { runId: "", toolCallId, toolName, effect: "run", touches, narrowing: [] } as const;
    const { kind } = await policy({ ...about, ...(preview && { preview: unconfined(preview) }) });
    if (kind === "allow") matches.add(`${label.verb} ${label.subject}`.trim());
  }
  const shown = [...matches].slice(-most.shown);
  return { text: rules.map(ruleText).join(", "), words: rulesInWords(rules), matches: shown };
}

/** What would have run anyway says nothing about a rule. */
function unconfined(preview: NonNullable<CallItem["preview"]>): NonNullable<CallItem["preview"]> {
  return preview.kind === "command" ? { ...preview, confined: false } : preview;
}
