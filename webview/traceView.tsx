// The trace of a run: its sums, and each request and call as a bar on one axis of time.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Trace } from "../src/protocol/trace.ts";
import type { Turn } from "../src/protocol/viewTurn.ts";
import { useTools } from "./context.ts";
import { focusComposer } from "./focus.ts";
import { IconButton } from "./icon.tsx";
import type { State, Store } from "./store.ts";
import { TraceGrid } from "./traceGrid.tsx";
import { detailOf, totalsOf } from "./traceWords.ts";
import { t } from "./l10n.ts";

interface Props {
  readonly turn: Turn;
  readonly state: State;
}

/** Milliseconds after which a run that goes on is looked at again. */
const lookEvery = 2_000;

export function TraceView({ turn, state }: Props) {
  const { store } = useTools();
  const box = useRef<HTMLElement>(null);
  const told = state.trace?.runId === turn.runId ? state.trace : null;
  useReading(turn, store);
  useFocus(box, told !== null, state, store);
  const close = (): void => {
    const opener = document.querySelector<HTMLElement>(`[data-trace="${CSS.escape(turn.runId)}"]`);
    store.setUi({ trace: null });
    if (opener) opener.focus();
    else focusComposer();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
  };
  const trace = told?.trace ?? null;
  return (
    <section ref={box} class="trace" aria-label={t("Timeline of the run")} onKeyDown={onKeyDown}>
      <div class="trace-head">
        <h2>{t("Timeline")}</h2>
        {trace && <Totals trace={trace} />}
        <span class="trace-buttons">
          {trace && <CopyButton trace={trace} />}
          <IconButton name="close" label={t("Close the timeline (Esc)")} onClick={close} stop />
        </span>
      </div>
      {told && !trace && <p class="quiet trace-note">{t("There is nothing of this run in the transcript.")}</p>}
      {trace && <Body trace={trace} turn={turn} />}
    </section>
  );
}

function Body({ trace, turn }: { readonly trace: Trace; readonly turn: Turn }) {
  const [shown, show] = useState("");
  const detail = trace.spans.find(({ id }) => id === shown);
  const words = detail ? detailOf(detail) : noteOf(trace);
  return (
    <>
      <TraceGrid trace={trace} turn={turn} onShow={show} />
      {/* What scrolls can be reached by key. */}
      <p class="trace-detail" title={words} tabIndex={0}>
        {words}
      </p>
    </>
  );
}

/** What stands where the numbers of a row will. */
function noteOf({ isAbout }: Trace): string {
  return isAbout
    ? t("Not all times of this run were recorded: they are told from the order of what was.")
    : t("Enter shows a row in the conversation.");
}

function Totals({ trace }: { readonly trace: Trace }) {
  return (
    <dl class="trace-totals">
      {totalsOf(trace).map(({ name, value, more }) => (
        <div key={name}>
          <dt>{name}</dt> <dd title={more}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function CopyButton({ trace }: { readonly trace: Trace }) {
  const { store } = useTools();
  const copy = (): void => store.post({ type: "text:copy", text: JSON.stringify(trace, null, 2) });
  return <IconButton name="copy" label={t("Copy as JSON")} onClick={copy} stop />;
}

/** Asks for the trace when it is opened and when something of the run has begun or ended, and now and then while it goes on. */
function useReading({ runId, items, end }: Turn, store: Store): void {
  const changes = items.map((item) => (item.kind === "call" ? item.state : item.kind)).join(" ");
  const isOver = end !== null;
  useEffect(() => {
    const read = (): void => store.post({ type: "trace:read", runId });
    read();
    if (isOver) return undefined;
    const timer = setInterval(read, lookEvery);
    return () => clearInterval(timer);
  }, [runId, changes, isOver, store]);
}

/** Who has opened it is taken to it; who finds it open is left where they are. */
function useFocus(box: { readonly current: HTMLElement | null }, isHere: boolean, { wish }: State, store: Store): void {
  const asked = useRef(document.activeElement?.hasAttribute("data-trace") ?? false);
  asked.current ||= wish?.at === "trace";
  useLayoutEffect(() => {
    if (!asked.current || !isHere) return;
    asked.current = false;
    if (wish?.at === "trace") store.wishDone();
    (
      box.current?.querySelector<HTMLElement>("[data-span][tabindex='0']") ?? box.current?.querySelector("button")
    )?.focus();
  });
}
