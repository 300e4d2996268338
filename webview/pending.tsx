// What waits for a person, above the composer: a list with one tab stop, decided by key or by button.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { pendingCalls } from "../src/protocol/view.ts";
import { useTools } from "./context.ts";
import { delegatesOf } from "./delegates.ts";
import { focusComposer } from "./focus.ts";
import { Button } from "./icon.tsx";
import { PauseAsk } from "./pauseAsk.tsx";
import { rowOf, usePendingActions } from "./pendingActions.ts";
import type { Actions, Opened } from "./pendingActions.ts";
import { PendingRow } from "./pendingRow.tsx";
import { PlanAsk } from "./planAsk.tsx";
import { keepTabStop, rememberRow, rowsOf } from "./roving.ts";
import type { State } from "./store.ts";
import { isCall } from "./waits.ts";
import type { Waiting } from "./waits.ts";
import { t } from "./l10n.ts";

interface Props {
  readonly waiting: readonly Waiting[];
  readonly state: State;
}

/** So many calls are shown with what they would do before a person comes to them. */
const few = 2;

export function PendingList({ waiting, state }: Props) {
  const list = useRef<HTMLUListElement>(null);
  const [active, setActive] = useState<string | null>(null);
  const [opened, setOpened] = useState<Opened | null>(null);
  const current = waiting.some(({ id }) => id === active) ? active : (waiting[0]?.id ?? null);
  const actions = usePendingActions(list, waiting, (open) => {
    setOpened(open);
    if (open) setActive(open.id);
  });
  useWish(state, list, actions.open);
  useFocusKept(list, waiting);

  const onFocusIn = (event: FocusEvent): void => {
    if (!list.current) return;
    rememberRow(event, list.current);
    // A button keeps its place while it is pressed: only coming to the row itself changes how it is drawn.
    if (event.target instanceof HTMLElement && event.target.dataset["call"] !== undefined) {
      setActive(event.target.dataset["call"]);
    }
  };
  return (
    <section class="waiting" aria-label={t("Waiting for you")}>
      <div class="waiting-head">
        <h2>
          {t("Waiting for you")} <span class="badge">{waiting.length}</span>
        </h2>
        {waiting.filter(isCall).length > 1 && (
          <Button kind="link" title={t("Approve every call in this list")} onClick={actions.approveAll}>
            {t("Approve all")}
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
        {waiting.map((item) => (
          <Row
            key={item.id}
            item={item}
            active={item.id === current}
            opens={waiting.length <= few}
            opened={opened?.id === item.id ? opened : null}
            state={state}
            actions={actions}
          />
        ))}
      </ul>
    </section>
  );
}

interface RowProps {
  readonly item: Waiting;
  readonly active: boolean;
  readonly opens: boolean;
  readonly opened: Opened | null;
  readonly state: State;
  readonly actions: Actions;
}

function Row({ item, active, opens, opened, state, actions }: RowProps) {
  const { view, ui } = state;
  const items = view.turns.at(-1)?.items ?? [];
  const common = { active, sending: state.sending.has(item.id) };
  switch (item.kind) {
    case "pause":
      return <PauseAsk {...common} pause={item} choose={actions.choose} />;
    case "plan":
      return (
        <PlanAsk
          {...common}
          plan={item}
          items={items}
          tools={view.tools}
          reason={ui.reasons[item.id]}
          takesFocus={opened?.part === "reject"}
          open={(plan) => actions.open(plan, "reject")}
          close={actions.close}
          decide={actions.decidePlan}
        />
      );
    case "call":
      return (
        <PendingRow
          {...common}
          call={item}
          tools={view.tools}
          within={delegatesOf(item, items)}
          opens={opens}
          form={ui.forms[item.id]}
          replacement={ui.replacements[item.id]}
          reason={ui.reasons[item.id]}
          takesFocus={opened?.part ?? null}
          open={actions.open}
          close={actions.close}
          decide={actions.decide}
          allow={actions.allow}
        />
      );
  }
}

/** Does what a palette command asks for, once the call is on the screen. */
function useWish(state: State, list: { readonly current: HTMLUListElement | null }, open: Actions["open"]): void {
  const { store } = useTools();
  const { wish, view } = state;
  useLayoutEffect(() => {
    // This list may be drawn again by itself: what was done once must not take the focus back.
    if (wish?.at !== "call" || wish !== store.state().wish) return;
    store.wishDone();
    const call = pendingCalls(view).find(({ id }) => id === wish.id);
    if (wish.part === "row") rowOf(list.current, wish.id)?.focus();
    else if (call) open(call, wish.part);
  });
}

/** When the row with the focus is decided elsewhere, the focus goes on to its neighbour instead of getting lost. */
function useFocusKept(list: { readonly current: HTMLUListElement | null }, waiting: readonly Waiting[]): void {
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
    const gone = last.current !== null && !waiting.some(({ id }) => id === last.current?.id);
    if (gone && document.activeElement === document.body) {
      const rows = rowsOf(element);
      (rows[last.current?.index ?? 0] ?? rows.at(-1))?.focus();
    }
    const id = focused?.dataset["call"];
    last.current = id === undefined ? null : { id, index: waiting.findIndex((item) => item.id === id) };
  });
}
