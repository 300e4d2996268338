// One row of a trace, with its bar; and the axis above all of them.
import type { Stretch, TraceSpan } from "../src/protocol/trace.ts";
import { StateIcon } from "./callState.tsx";
import { Icon } from "./icon.tsx";
import type { TraceRow } from "./traceRows.ts";
import { marksOf, stepOf } from "./traceRows.ts";
import { lengthOf, nameOf, stateOf, timesOf, tokensOf } from "./traceWords.ts";
import { dollars } from "./endWords.ts";
import { duration as words } from "./words.ts";
import { t } from "./l10n.ts";

/** Marks on the axis, beside its beginning: more would not have room for their words. */
const mostMarks = 4;

export function Axis({ duration }: { readonly duration: number }) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th class="trace-name">{t("What")}</th>
        <th class="trace-time">
          <span class="for-readers">{t("When")}</span>
          {marksOf(duration, mostMarks).map((mark) => (
            <span key={mark} class="trace-mark" aria-hidden="true" style={{ left: percent(mark, duration) }}>
              {mark === 0 ? "0" : words(mark)}
            </span>
          ))}
        </th>
        <th class="trace-length">{t("Took")}</th>
        <th class="trace-tokens">{t("Tokens")}</th>
        <th class="trace-cost">{t("Cost")}</th>
      </tr>
    </thead>
  );
}

interface Props {
  readonly row: TraceRow;
  /** Its number among those that are not folded away, and the pixels above it. */
  readonly place: { readonly index: number; readonly top: number };
  readonly duration: number;
  readonly active: boolean;
  readonly onFold: () => void;
  readonly onOpen: () => void;
  readonly onFocus: () => void;
  readonly onShow: (id: string) => void;
}

export function Row({ row: { span, fold }, place, duration, active, onFold, onOpen, onFocus, onShow }: Props) {
  return (
    <tr
      data-span={span.id}
      class={`trace-row of-${span.kind}`}
      style={{ top: `${place.top}px` }}
      tabIndex={active ? 0 : -1}
      aria-rowindex={place.index + 2}
      aria-level={span.depth + 1}
      aria-expanded={fold === "none" ? undefined : fold === "open"}
      onClick={onOpen}
      onFocus={onFocus}
      onPointerEnter={() => onShow(span.id)}
    >
      <th class="trace-name" scope="row" style={{ "--depth": String(span.depth) }}>
        {(fold !== "none" || span.depth === 0) && (
          <span
            class="trace-fold"
            aria-hidden="true"
            onClick={(event) => {
              if (fold === "none") return;
              event.stopPropagation();
              onFold();
            }}
          >
            {fold !== "none" && <Icon name={fold === "open" ? "chevron-down" : "chevron-right"} />}
          </span>
        )}
        <Picture span={span} />
        <span class="trace-words" title={nameOf(span)}>
          {nameOf(span)}
        </span>
        <span class="for-readers">{stateOf(span)}</span>
      </th>
      <td class="trace-time" style={{ backgroundSize: `${percent(stepOf(duration, mostMarks), duration)} 100%` }}>
        <Bars span={span} duration={duration} />
        <span class="for-readers">{timesOf(span)}</span>
      </td>
      <td class="trace-length">{words(lengthOf(span))}</td>
      <td class="trace-tokens">{tokensOf(span)}</td>
      <td class="trace-cost">{span.cost === null ? "" : dollars(span.cost)}</td>
    </tr>
  );
}

const pictures = { request: "comment", summary: "fold", notes: "note", plan: "type-hierarchy", pause: "debug-pause" };

function Picture({ span: { kind, state } }: { readonly span: TraceSpan }) {
  if (kind === "call") return <StateIcon state={state} />;
  return <Icon name={pictures[kind]} class={`state ${state === "succeeded" ? "" : state}`} />;
}

/** A line for all that stands under it, its own work, the part of that before the first word, and what waited for a person. */
function Bars({
  span: { all, work, waits, first, state },
  duration,
}: {
  readonly span: TraceSpan;
  readonly duration: number;
}) {
  const silent = work && first !== null ? { from: work.from, to: Math.min(work.to, work.from + first) } : null;
  return (
    <>
      <Bar kind="all" at={all} of={duration} />
      {work && <Bar kind={`work ${state}`} at={work} of={duration} />}
      {silent && <Bar kind="silent" at={silent} of={duration} />}
      {waits.map((wait) => (
        <Bar key={wait.from} kind="wait" at={wait} of={duration} />
      ))}
    </>
  );
}

function Bar({ kind, at, of }: { readonly kind: string; readonly at: Stretch; readonly of: number }) {
  const width = percent(at.to - at.from, of);
  return <span class={`trace-bar ${kind}`} aria-hidden="true" style={{ left: percent(at.from, of), width }} />;
}

function percent(part: number, of: number): string {
  return of === 0 ? "0%" : `${((part / of) * 100).toFixed(3)}%`;
}
