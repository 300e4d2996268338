// The calls that wait for a person, above the composer: a list with one tab stop, decided by key or by button.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Decision } from "../src/protocol/messages.ts";
import { pendingCalls } from "../src/protocol/view.ts";
import type { CallItem } from "../src/protocol/viewTurn.ts";
import { useTools } from "./context.ts";
import { focusComposer } from "./focus.ts";
import { firstDraft } from "./formModel.ts";
import { Button } from "./icon.tsx";
import { PendingRow } from "./pendingRow.tsx";
import type { Part } from "./pendingRow.tsx";
import { isField, keepTabStop, moveByKey, rememberRow, rowsOf } from "./roving.ts";
import type { State } from "./store.ts";
import { without } from "./ui.ts";

interface Props {
  readonly calls: readonly CallItem[];
  readonly state: State;
}

/** So many calls are shown with what they would do before a person comes to them. */
const few = 2;

export function PendingList({ calls, state }: Props) {
  const list = useRef<HTMLUListElement>(null);
  const [active, setActive] = useState<string | null>(null);
  const [opened, setOpened] = useState<{ readonly id: string; readonly part: Part } | null>(null);
  const current = calls.some((call) => call.id === active) ? active : (calls[0]?.id ?? null);
  const actions = usePendingActions(list, calls, (open) => {
    setOpened(open);
    if (open) setActive(open.id);
  });
  useWish(state, list, actions.open);
  useFocusKept(list, calls);

  const onFocusIn = (event: FocusEvent): void => {
    if (!list.current) return;
    rememberRow(event, list.current);
    // A button keeps its place while it is pressed: only coming to the row itself changes how it is drawn.
    if (event.target instanceof HTMLElement && event.target.dataset["call"] !== undefined) {
      setActive(event.target.dataset["call"]);
    }
  };
  return (
    <section class="waiting" aria-label="Waiting for you">
      <div class="waiting-head">
        <h2>
          Waiting for you <span class="badge">{calls.length}</span>
        </h2>
        {calls.length > 1 && (
          <Button kind="link" title="Approve every call in this list" onClick={actions.approveAll}>
            Approve all
          </Button>
        )}
      </div>
      <ul
        ref={list}
        class="pending-list"
        onKeyDown={actions.onKeyDown}
        onClickCapture={actions.onClickCapture}
        onFocusIn={onFocusIn}
      >
        {calls.map((call) => (
          <PendingRow
            key={call.id}
            call={call}
            active={call.id === current}
            opens={calls.length <= few}
            sending={state.sending.has(call.id)}
            form={state.ui.forms[call.id]}
            reason={state.ui.reasons[call.id]}
            takesFocus={opened?.id === call.id ? opened.part : null}
            open={actions.open}
            close={actions.close}
            decide={actions.decide}
          />
        ))}
      </ul>
    </section>
  );
}

interface Actions {
  readonly open: (call: CallItem, part: Part) => void;
  readonly close: (call: CallItem) => void;
  readonly decide: (call: CallItem, decision: Decision) => void;
  readonly approveAll: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  /** Swallows the second press of a double click. */
  readonly onClickCapture: (event: MouseEvent) => void;
}

function usePendingActions(
  list: { readonly current: HTMLUListElement | null },
  calls: readonly CallItem[],
  setOpened: (opened: { readonly id: string; readonly part: Part } | null) => void,
): Actions {
  const { store } = useTools();
  const ui = (): State["ui"] => store.state().ui;

  const open: Actions["open"] = (call, part) => {
    const { forms, reasons } = ui();
    const { ask, id } = call;
    if (part === "reject") store.setUi({ reasons: { ...reasons, [id]: reasons[id] ?? "" }, forms: without(forms, id) });
    else if (ask) {
      store.setUi({ forms: { ...forms, [id]: forms[id] ?? firstDraft(ask) }, reasons: without(reasons, id) });
    }
    setOpened({ id, part });
  };
  const close: Actions["close"] = ({ id }) => {
    const { forms, reasons } = ui();
    store.setUi({ forms: without(forms, id), reasons: without(reasons, id) });
    setOpened(null);
    rowOf(list.current, id)?.focus();
  };
  const decide: Actions["decide"] = ({ id }, decision) => {
    if (store.state().sending.has(id)) return;
    store.decide(id, decision);
    if (list.current?.contains(document.activeElement)) moveOn(list.current, id, store.state().sending);
  };
  const approveAll = (): void => {
    store.approveAll();
    focusComposer();
  };
  const onClickCapture = (event: MouseEvent): void => {
    // The next call may have come under the pointer by the second press.
    if (event.detail > 1) event.stopPropagation();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!list.current || moveByKey(event, list.current)) return;
    const target = event.target;
    if (!(target instanceof HTMLElement) || isField(target) || isNoPress(event)) return;
    const call = calls.find(({ id }) => id === target.closest<HTMLElement>("[data-call]")?.dataset["call"]);
    if (call && press(event.key, call, target.dataset["row"] !== undefined)) event.preventDefault();
  };
  function press(key: string, call: CallItem, onRow: boolean): boolean {
    if (key === "Enter" && onRow) decide(call, { kind: "approve" });
    else if (key === "e" || key === "E") open(call, "modify");
    else if (key === "Backspace" || key === "Delete") open(call, "reject");
    else return false;
    return true;
  }
  return { open, close, decide, approveAll, onKeyDown, onClickCapture };
}

/** With another key, or held down: a key that repeats must not decide the next call too. */
function isNoPress(event: KeyboardEvent): boolean {
  return event.ctrlKey || event.metaKey || event.altKey || event.repeat;
}

function rowOf(list: HTMLElement | null, id: string): HTMLElement | null {
  return list?.querySelector<HTMLElement>(`[data-call="${CSS.escape(id)}"]`) ?? null;
}

/** To the next call that is not decided, else to one before it, else to the composer. */
function moveOn(list: HTMLElement, id: string, decided: ReadonlySet<string>): void {
  const rows = rowsOf(list);
  const index = rows.findIndex((row) => row.dataset["call"] === id);
  const free = (row: HTMLElement): boolean => !decided.has(row.dataset["call"] ?? "");
  const next = rows.slice(index + 1).find(free) ?? rows.slice(0, Math.max(index, 0)).findLast(free);
  if (next) next.focus();
  else focusComposer();
}

/** Does what a palette command asks for, once the call is on the screen. */
function useWish(state: State, list: { readonly current: HTMLUListElement | null }, open: Actions["open"]): void {
  const { store } = useTools();
  const { wish, view } = state;
  useLayoutEffect(() => {
    if (wish?.at !== "call") return;
    store.wishDone();
    const call = pendingCalls(view).find(({ id }) => id === wish.id);
    if (wish.part === "row") rowOf(list.current, wish.id)?.focus();
    else if (call) open(call, wish.part);
  });
}

/** When the row with the focus is decided elsewhere, the focus goes on to its neighbour instead of getting lost. */
function useFocusKept(list: { readonly current: HTMLUListElement | null }, calls: readonly CallItem[]): void {
  useLayoutEffect(() => {
    const element = list.current;
    return () => {
      if (element?.contains(document.activeElement)) focusComposer();
    };
  }, [list]);
  const last = useRef<{ readonly id: string; readonly index: number } | null>(null);
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    keepTabStop(element, "first");
    const focused = document.activeElement?.closest<HTMLElement>("[data-call]");
    const gone = last.current !== null && !calls.some(({ id }) => id === last.current?.id);
    if (gone && document.activeElement === document.body) {
      const rows = rowsOf(element);
      (rows[last.current?.index ?? 0] ?? rows.at(-1))?.focus();
    }
    const id = focused?.dataset["call"];
    last.current = id === undefined ? null : { id, index: calls.findIndex((call) => call.id === id) };
  });
}
