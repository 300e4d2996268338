// A plan that waits for a person: its calls and how they depend on each other, and whether any of it may start.
import type { ToolInfo } from "../src/protocol/events.ts";
import type { PlanDecision } from "../src/protocol/messages.ts";
import type { Item, PlanItem } from "../src/protocol/viewTurn.ts";
import { Button, Icon } from "./icon.tsx";
import { callsOfPlan, planTitle } from "./plan.ts";
import { useStepEditing } from "./planEditing.tsx";
import { PlanWays } from "./planWays.tsx";
import { ReasonBox } from "./reasonBox.tsx";
import { t, told } from "./l10n.ts";

interface Props {
  readonly plan: PlanItem;
  readonly items: readonly Item[];
  readonly tools: readonly ToolInfo[];
  /** The one that the keys are for. */
  readonly active: boolean;
  readonly sending: boolean;
  readonly reason: string | undefined;
  /** A person opened the reason box just now. */
  readonly takesFocus: boolean;
  readonly open: (plan: PlanItem) => void;
  readonly close: (plan: PlanItem) => void;
  readonly decide: (plan: PlanItem, decision: PlanDecision) => void;
}

export function PlanAsk(props: Props) {
  const { plan, items, tools, active, sending, reason, takesFocus, close, decide } = props;
  const editing = useStepEditing(plan, tools, sending);
  return (
    <li
      class={`pending-row${active ? " active" : ""}${sending ? " sending" : ""}`}
      data-row=""
      data-call={plan.id}
      tabIndex={-1}
      aria-label={`${planTitle(plan)}. ${explanation} ${t("Enter runs the plan, A runs all without asking, Backspace rejects.")}`}
    >
      <div class="pending-title">
        <div class="pending-name">
          <Icon name="type-hierarchy" class="state pending" />
          <span class="verb">{planTitle(plan)}</span>
        </div>
        {reason === undefined && <Decisions {...props} />}
      </div>
      <p class="why">{explanation}</p>
      {plan.problem !== null && (
        <p class="problem">
          <Icon name="error" />
          <span>{told(plan.problem)}</span>
        </p>
      )}
      {reason !== undefined && (
        <ReasonBox
          id={plan.id}
          what={t("this plan")}
          text={reason}
          sending={sending}
          takesFocus={takesFocus}
          onReject={(decision) => decide(plan, decision)}
          onCancel={() => close(plan)}
        />
      )}
      <PlanWays plan={plan} calls={callsOfPlan(plan, items)} editing={editing} />
    </li>
  );
}

const explanation = t(
  "Nothing of it has started. Take steps out or change them first, if you like. “Run plan” asks you about each call as usual.",
);

function Decisions({ plan, active, sending, open, decide }: Props) {
  return (
    <div class="decisions">
      <Button
        inList
        kind={active ? "primary" : "secondary"}
        title={t("Let the plan begin; you are asked about each call as usual (Enter)")}
        disabled={sending}
        onClick={() => decide(plan, { kind: "approve" })}
      >
        {t("Run plan")} <kbd>⏎</kbd>
      </Button>
      <Button
        inList
        title={t("Let the plan begin and approve its calls as they are shown here (A)")}
        disabled={sending}
        onClick={() => decide(plan, { kind: "approveAll" })}
      >
        {t("Run all without asking")} <kbd>A</kbd>
      </Button>
      <Button
        inList
        title={t("Reject the whole plan, with a reason if you like (Backspace)")}
        disabled={sending}
        onClick={() => open(plan)}
      >
        {t("Reject…")} <kbd>⌫</kbd>
      </Button>
    </div>
  );
}
