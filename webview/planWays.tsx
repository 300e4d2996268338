// A plan in one of two ways, as a person likes it: drawn, or as a list.
import type { PlanItem } from "../src/protocol/viewTurn.ts";
import { useFold, useMore } from "./context.ts";
import { Icon, IconButton } from "./icon.tsx";
import { edgesOf } from "./plan.ts";
import type { PlanCalls } from "./plan.ts";
import { PlanSteps } from "./planSteps.tsx";
import type { StepEditing } from "./planSteps.tsx";
import { t } from "./l10n.ts";

interface Props {
  readonly plan: PlanItem;
  readonly calls: PlanCalls;
  /** While it waits: what can be done with each step. */
  readonly editing?: StepEditing;
}

/** Remembered for all plans, but those that wait begin as a list: there a step can be changed. */
export function PlanWays({ plan, calls, editing }: Props) {
  const [drawn, toggle] = useFold(editing ? "flow-waiting" : "flow", !editing);
  const [large, enlarge] = useFold("flow-large", false);
  const more = useMore(drawn);
  if (edgesOf(plan.steps) === 0) return <PlanSteps plan={plan} calls={calls} editing={editing} />;
  return (
    <>
      <div class="plan-ways">
        <button
          type="button"
          class="toggle"
          tabIndex={-1}
          aria-pressed={drawn}
          title={drawn ? t("Show the calls as a list") : t("Draw how the calls feed each other")}
          onClick={toggle}
        >
          <Icon name="type-hierarchy" /> {t("Flow")}
        </button>
        {drawn && (
          <IconButton
            name={large ? "screen-normal" : "screen-full"}
            label={large ? t("Make the drawing small again") : t("Enlarge the drawing")}
            onClick={enlarge}
          />
        )}
      </div>
      {drawn && more ? (
        <more.FlowView plan={plan} calls={calls} large={large} />
      ) : (
        <PlanSteps plan={plan} calls={calls} editing={editing} />
      )}
    </>
  );
}
