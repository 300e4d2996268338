// The steps of a plan as a list: what comes after what as rails, and the state of each call as a picture and a word.
import { stateNames } from "./stateNames.ts";
import type { PlanItem } from "../src/protocol/viewTurn.ts";
import { StateIcon } from "./callState.tsx";
import { planTitle } from "./plan.ts";
import type { PlanCalls } from "./plan.ts";
import { lanesOf, rowsOfPlan } from "./rails.ts";
import type { PlanRow } from "./rails.ts";
import { title, verbOf } from "./words.ts";
import { t } from "./l10n.ts";

interface StepsProps {
  readonly plan: PlanItem;
  readonly calls: PlanCalls;
}

export function PlanSteps({ plan, calls }: StepsProps) {
  const rows = rowsOfPlan(plan.steps);
  const lanes = lanesOf(rows);
  return (
    <ol class="steps" aria-label={planTitle(plan)}>
      {rows.map((row) => (
        <Step key={row.step.toolCallId} row={row} lanes={lanes} state={calls.get(row.step.toolCallId)?.state ?? null} />
      ))}
    </ol>
  );
}

interface StepProps {
  readonly row: PlanRow;
  readonly lanes: number;
  /** Null before its call has been heard of. */
  readonly state: Parameters<typeof StateIcon>[0]["state"] | null;
}

function Step({ row, lanes, state }: StepProps) {
  const { step, after } = row;
  const names = after.map(title).join(` ${t("and")} `);
  const tooltip = names === "" ? title(step) : t("{0}, after {1}", title(step), names);
  return (
    <li class={`step ${state ?? "ready"}`} title={tooltip}>
      {lanes > 0 && <Rail row={row} lanes={lanes} />}
      <StateIcon state={state ?? "ready"} />
      <span class="call-name">
        <span class="verb">{verbOf(step.label)}</span>{" "}
        {step.label.subject !== "" && <span class="subject">{step.label.subject}</span>}
      </span>
      <span class="step-state">{state === null ? t("to come") : stateNames[state]}</span>
      {names !== "" && <span class={lanes > 0 ? "for-readers" : "step-after"}>{t("after {0}", names)}</span>}
    </li>
  );
}

/** Pixels from lane to lane, and from row to row. */
const across = 12;
const down = 24;
const middle = down / 2;

interface RailProps {
  readonly row: PlanRow;
  readonly lanes: number;
}

/** The lines of one row, like those of a graph of commits. What they say stands in words for readers. */
function Rail({ row, lanes }: RailProps) {
  const x = (lane: number): number => lane * across + across / 2;
  const { lane, through, into, leads } = row;
  const lines = [
    ...through.filter((one) => one !== lane || !leads).map((one) => `M${x(one)} 0V${down}`),
    ...into.map((one) => (one === lane ? `M${x(one)} 0V${middle}` : bend(x(one), x(lane)))),
    ...(leads ? [`M${x(lane)} ${middle}V${down}`] : []),
  ];
  const width = lanes * across;
  return (
    <svg class="rail" viewBox={`0 0 ${width} ${down}`} width={width} height={down} aria-hidden="true">
      <path d={lines.join("")} />
      <circle cx={x(lane)} cy={middle} r="3" />
    </svg>
  );
}

/** Down from one lane and round into the dot of another. */
function bend(from: number, to: number): string {
  const radius = to > from ? across / 2 : -across / 2;
  return `M${from} 0V${middle - across / 2}Q${from} ${middle} ${from + radius} ${middle}H${to}`;
}
