// The calls of one reply as a plan: one line in the conversation that says how far it has come, unfolded all its steps.
import type { PlanDecision } from "../src/protocol/messages.ts";
import type { Item, PlanItem } from "../src/protocol/viewTurn.ts";
import { useFold } from "./context.ts";
import { Head } from "./head.tsx";
import { Icon } from "./icon.tsx";
import { callsOfPlan, edgesOf, planTitle, progressOf } from "./plan.ts";
import type { PlanCalls } from "./plan.ts";
import { t, told } from "./l10n.ts";
import { PlanWays } from "./planWays.tsx";

interface Props {
  readonly runId: string;
  readonly plan: PlanItem;
  readonly items: readonly Item[];
  readonly over: boolean;
}

/** Two calls, one after the other, need no picture. */
const fewest = 3;

/** Folded at first: the calls below it say themselves what they come after. A plan without connections says nothing. */
export function PlanLine({ runId, plan, items, over }: Props) {
  const key = `plan-${runId}/${plan.id}`;
  const [open, toggle] = useFold(key, false);
  const calls = callsOfPlan(plan, items);
  if (plan.state === "shown" && (plan.steps.length < fewest || edgesOf(plan.steps) === 0)) return null;
  const steps = `steps-${key}`;
  return (
    <div class={`plan ${plan.state}`}>
      <Head
        open={open}
        toggle={toggle}
        details={steps}
        title={open ? t("Hide the calls of this plan") : t("Show how the calls of this plan depend on each other")}
      >
        <Icon name={plan.state === "invalid" ? "error" : "type-hierarchy"} class={`state ${stateClass(plan, over)}`} />
        <span class="call-words">
          <span class="call-name">{planTitle(plan)}</span>{" "}
          <span class="call-note">{standingOf(plan, calls, over)}</span>
        </span>
      </Head>
      {plan.problem !== null && plan.state === "invalid" && <p class="plan-problem">{told(plan.problem)}</p>}
      {open && (
        <div class="plan-steps" id={steps}>
          <PlanWays plan={plan} calls={calls} />
        </div>
      )}
    </div>
  );
}

function stateClass({ state }: PlanItem, over: boolean): string {
  if (state === "invalid") return "failed";
  return state === "pending" && !over ? "pending" : "";
}

function standingOf(plan: PlanItem, calls: PlanCalls, over: boolean): string {
  switch (plan.state) {
    case "pending":
      return over ? t("was not decided") : t("waits for you");
    case "invalid":
      return t("cannot run");
    case "shown":
      return progressOf(plan, calls);
    case "decided":
      return plan.decided ? verdict(plan, plan.decided, calls) : "";
  }
}

function verdict(plan: PlanItem, { decision, by }: NonNullable<PlanItem["decided"]>, calls: PlanCalls): string {
  const person = by === "person";
  switch (decision.kind) {
    case "reject":
      return [
        person ? t("rejected by you") : t("rejected"),
        ...(decision.reason === undefined ? [] : [decision.reason]),
      ].join(": ");
    case "approve":
      return `${progressOf(plan, calls)} · ${changesIn(decision)}${person ? t("approved by you") : t("approved")}`;
    case "approveAll":
      return `${progressOf(plan, calls)} · ${changesIn(decision)}${person ? t("approved as a whole by you") : t("approved as a whole")}`;
  }
}

/** "1 removed, 2 changed · ", or nothing. */
function changesIn({ changes }: Exclude<PlanDecision, { kind: "reject" }>): string {
  if (!changes) return "";
  const { removed, changed } = changes;
  const words = [
    ...(removed.length > 0 ? [t("{0} removed", removed.length)] : []),
    ...(changed.length > 0 ? [t("{0} changed", changed.length)] : []),
  ];
  return `${words.join(", ")} · `;
}
