// A plan as a drawing: a box for each call with its state, lines from call to call, one tab stop that arrows move along the lines.
import { useMemo, useRef, useState } from "preact/hooks";
import type { PlanItem } from "../src/protocol/viewTurn.ts";
import { StateIcon } from "./callState.tsx";
import { useTools } from "./context.ts";
import { stateNames } from "./stateNames.ts";
import { layoutOf, neighbour, pathOf, size } from "./flowLayout.ts";
import type { FlowBox } from "./flowLayout.ts";
import { planTitle } from "./plan.ts";
import type { PlanCalls } from "./plan.ts";
import { hasModifier } from "./roving.ts";
import { title, verbOf } from "./words.ts";
import { t } from "./l10n.ts";

/** What is fetched with the first plan that is unfolded. */
export interface Flow {
  readonly FlowView: typeof FlowView;
}

interface Props {
  readonly plan: PlanItem;
  readonly calls: PlanCalls;
  readonly large: boolean;
}

export function FlowView({ plan, calls, large }: Props) {
  const { store } = useTools();
  const drawing = useMemo(() => layoutOf(plan.steps), [plan.steps]);
  const [active, setActive] = useState<string | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const { boxes, lines, width, height } = drawing;
  const stop = boxes.some(({ step }) => step.toolCallId === active) ? active : boxes[0]?.step.toolCallId;
  const stateOf = (id: string): ReturnType<typeof stateIn> => stateIn(calls, id);
  const go = (id: string): void => {
    const turn = store.state().view.turns.find(({ items }) => items.some((item) => item.id === plan.id));
    if (turn) void import("./seek.ts").then(({ seek, placesTo }) => seek(turn, placesTo(id, turn.items), store));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const id = event.target instanceof HTMLElement ? event.target.dataset["box"] : undefined;
    if (id === undefined || hasModifier(event)) return;
    const next = neighbour(drawing, id, event.key);
    if (next === null && !/^Arrow|^Home$|^End$/.test(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (next !== null) list.current?.querySelector<HTMLElement>(`[data-box="${CSS.escape(next)}"]`)?.focus();
  };
  return (
    <div class={large ? "flow-frame large" : "flow-frame"}>
      <svg class="flow-lines" viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
        {lines.map((line) => (
          <path
            key={`${line.from} ${line.to}`}
            d={pathOf(line)}
            class={stateOf(line.from) === "succeeded" ? "flowed" : ""}
          />
        ))}
      </svg>
      <ul
        ref={list}
        class="flow-boxes"
        aria-label={t("{0}, drawn", planTitle(plan))}
        onKeyDown={onKeyDown}
        onFocusIn={({ target }) => setActive(target instanceof HTMLElement ? (target.dataset["box"] ?? null) : null)}
      >
        {boxes.map((box) => (
          <Box
            key={box.step.toolCallId}
            box={box}
            call={calls.get(box.step.toolCallId)}
            state={stateOf(box.step.toolCallId)}
            stop={box.step.toolCallId === stop}
            go={go}
          />
        ))}
      </ul>
    </div>
  );
}

/** Before its call has been heard of it is as good as ready. */
function stateIn(calls: PlanCalls, id: string): keyof typeof stateNames {
  return calls.get(id)?.state ?? "ready";
}

interface BoxProps {
  readonly box: FlowBox;
  readonly call: ReturnType<PlanCalls["get"]>;
  readonly state: keyof typeof stateNames;
  /** The one that Tab comes to. */
  readonly stop: boolean;
  /** Goes to a call, by id. */
  readonly go: (id: string) => void;
}

function Box({ box, call, state, stop, go }: BoxProps) {
  const { step, after, x, y } = box;
  const label = call && call.state !== "streaming" ? call.label : step.label;
  const words = [title({ label }), call ? stateNames[state] : t("to come")];
  const names = after.map(title).join(` ${t("and")} `);
  const name = [...words, ...(names === "" ? [] : [t("after {0}", names)])].join(", ");
  const { width, height } = size;
  return (
    <li class="flow-place" style={{ left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` }}>
      <button
        type="button"
        class={`flow-box ${state}`}
        data-box={step.toolCallId}
        tabIndex={stop ? 0 : -1}
        title={t("{0}. Enter goes to the call.", name)}
        onClick={() => go(step.toolCallId)}
      >
        <StateIcon state={state} />
        <span class="flow-words" aria-hidden="true">
          <span class="verb">{verbOf(label)}</span> <span class="subject">{label.subject.split("/").at(-1)}</span>
        </span>
        <span class="for-readers">{name}</span>
      </button>
    </li>
  );
}
