// The steps of a plan as a list: what comes after what as rails, and the state of each call as a picture and a word.
import type { ComponentChildren } from "preact";
import type { PlanStep } from "../src/protocol/messages.ts";
import type { PlanItem } from "../src/protocol/viewTurn.ts";
import { StateIcon } from "./callState.tsx";
import { IconButton } from "./icon.tsx";
import { planTitle } from "./plan.ts";
import type { PlanCalls } from "./plan.ts";
import { lanesOf, rowsOfPlan } from "./rails.ts";
import type { PlanRow } from "./rails.ts";
import { noDraft } from "./planDraft.ts";
import { t } from "./l10n.ts";
import { stateNames } from "./stateNames.ts";
import type { PlanDraft } from "./ui.ts";
import { inSentence, title, verbOf } from "./words.ts";

/** What can be done with the steps of a plan that waits. */
export interface StepEditing {
  readonly draft: PlanDraft;
  readonly disabled: boolean;
  /** A step can be changed: what its tool takes is known. */
  readonly canEdit: (step: PlanStep) => boolean;
  readonly onEdit: (step: PlanStep) => void;
  readonly onRemove: (step: PlanStep) => void;
  /** The form of the step that is being changed. */
  readonly form: ComponentChildren;
}

interface StepsProps {
  readonly plan: PlanItem;
  readonly calls: PlanCalls;
  readonly editing?: StepEditing | undefined;
}

export function PlanSteps({ plan, calls, editing }: StepsProps) {
  const rows = rowsOfPlan(plan.steps);
  const lanes = lanesOf(rows);
  return (
    <ol class="steps" aria-label={planTitle(plan)}>
      {rows.map((row) => (
        <Step
          key={row.step.toolCallId}
          row={row}
          lanes={lanes}
          state={calls.get(row.step.toolCallId)?.state ?? null}
          editing={editing}
        />
      ))}
    </ol>
  );
}

interface StepProps {
  readonly row: PlanRow;
  readonly lanes: number;
  /** Null before its call has been heard of. */
  readonly state: Parameters<typeof StateIcon>[0]["state"] | null;
  readonly editing: StepEditing | undefined;
}

function Step({ row, lanes, state, editing }: StepProps) {
  const { step } = row;
  const { removed, made, open } = standingOf(step, editing);
  const names = row.after.map(title).join(` ${t("and")} `);
  return (
    <li class={`step ${state ?? "ready"}${removed ? " removed" : ""}`} title={tooltipOf(step, names)}>
      {lanes > 0 && <Rail row={row} lanes={lanes} />}
      <StateIcon state={state ?? "ready"} />
      <span class="call-name">
        <span class="verb">{verbOf(step.label)}</span>{" "}
        {step.label.subject !== "" && <span class="subject">{step.label.subject}</span>}
      </span>
      <span class="step-state">{made === "" ? wordsFor(state) : made}</span>
      {editing && <StepButtons step={step} removed={removed} editing={editing} />}
      {names !== "" && <span class={lanes > 0 ? "for-readers" : "step-after"}>{t("after {0}", names)}</span>}
      {open && <div class="step-form">{open}</div>}
    </li>
  );
}

function tooltipOf(step: PlanStep, names: string): string {
  return names === "" ? title(step) : t("{0}, after {1}", title(step), names);
}

function wordsFor(state: StepProps["state"]): string {
  return state === null ? t("to come") : stateNames[state];
}

/** What a person has made of it so far. */
function standingOf({ toolCallId: id }: PlanStep, editing: StepEditing | undefined) {
  const { removed, changed, editing: open } = editing?.draft ?? noDraft;
  const gone = removed.includes(id);
  const made = gone ? t("removed") : id in changed ? t("changed") : "";
  return { removed: gone, made, open: open === id ? editing?.form : null };
}

interface StepButtonsProps {
  readonly step: PlanStep;
  readonly removed: boolean;
  readonly editing: StepEditing;
}

function StepButtons({ step, removed, editing }: StepButtonsProps) {
  const { disabled, canEdit, onEdit, onRemove } = editing;
  const what = inSentence(step);
  return (
    <span class="step-buttons">
      {!removed && canEdit(step) && (
        <IconButton name="edit" label={t("Change: {0}", what)} disabled={disabled} onClick={() => onEdit(step)} />
      )}
      <IconButton
        name={removed ? "discard" : "close"}
        label={removed ? t("Put back: {0}", what) : t("Take out of the plan: {0}", what)}
        disabled={disabled}
        onClick={() => onRemove(step)}
      />
    </span>
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
