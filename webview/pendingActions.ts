// What keys and buttons of the pending list do: answers, opens and closes parts, and says where the focus goes then.
import type { Decision, PauseChoice, PlanDecision } from "../src/protocol/messages.ts";
import type { RuleScope } from "../src/protocol/rules.ts";
import type { CallItem } from "../src/protocol/viewCall.ts";
import type { PauseItem, PlanItem } from "../src/protocol/viewTurn.ts";
import type { ToHost } from "../src/protocol/wire.ts";
import { useTools } from "./context.ts";
import { focusComposer } from "./focus.ts";
import { firstDraft } from "./formModel.ts";
import { decisionWith } from "./planDraft.ts";
import { moveByKey } from "./moving.ts";
import { isField, rowsOf } from "./roving.ts";
import type { State } from "./store.ts";
import { without } from "./ui.ts";
import type { Waiting } from "./waits.ts";

/** What can be unfolded below a row. */
export type Part = "modify" | "replace" | "reject" | "allow";

export interface Opened {
  readonly id: string;
  readonly part: Part;
}

export interface Actions {
  readonly open: (item: CallItem | PlanItem, part: Part) => void;
  readonly close: (item: CallItem | PlanItem) => void;
  readonly decide: (call: CallItem, decision: Decision) => void;
  /** Shows its change in an editor. */
  readonly review: (call: CallItem) => void;
  /** Makes the rules of one of its offers, and approves it. */
  readonly allow: (call: CallItem, offer: number, scope: RuleScope) => void;
  readonly decidePlan: (plan: PlanItem, decision: PlanDecision) => void;
  readonly choose: (pause: PauseItem, choice: PauseChoice) => void;
  readonly approveAll: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  /** Swallows the second press of a double click. */
  readonly onClickCapture: (event: MouseEvent) => void;
}

type List = { readonly current: HTMLElement | null };

export function usePendingActions(
  list: List,
  waiting: readonly Waiting[],
  setOpened: (opened: Opened | null) => void,
): Actions {
  const { store } = useTools();
  const { open, close } = useParts(list, setOpened);
  const answer = (id: string, message: ToHost): void => {
    if (store.state().sending.has(id)) return;
    store.answer(id, message);
    if (list.current?.contains(document.activeElement)) moveOn(list.current, id, store.state().sending);
  };
  const actions: Press = {
    open,
    allow: ({ id }, offer, scope) => answer(id, { type: "call:allow", toolCallId: id, offer, scope }),
    decide: ({ id }, decision) => answer(id, { type: "call:decide", toolCallId: id, decision }),
    review: ({ id, review }) => void (review && store.post({ type: "call:review", toolCallId: id })),
    decidePlan: (plan, decision) => {
      const made = decisionWith(decision, plan, store.state().ui.plans[plan.id]);
      answer(plan.id, { type: "plan:decide", planId: plan.id, decision: made });
    },
    choose: ({ id }, choice) => answer(id, { type: "pause:choose", choice }),
  };
  return {
    ...actions,
    close,
    approveAll: () => {
      store.approveAll();
      focusComposer();
    },
    onClickCapture: (event) => {
      // The next call may have come under the pointer by the second press.
      if (event.detail > 1) event.stopPropagation();
    },
    onKeyDown: (event) => {
      if (!list.current || moveByKey(event, list.current)) return;
      const target = event.target;
      if (!(target instanceof HTMLElement) || isField(target) || isNoPress(event)) return;
      const item = waiting.find(({ id }) => id === target.closest<HTMLElement>("[data-call]")?.dataset["call"]);
      // Enter on a button presses the button.
      const onRow = target.dataset["row"] !== undefined;
      if (item && (onRow || event.key !== "Enter") && press(event.key, item, actions)) event.preventDefault();
    },
  };
}

/** Opens and closes what unfolds below a row; at most one part of a row is open. */
function useParts(list: List, setOpened: (opened: Opened | null) => void): Pick<Actions, "open" | "close"> {
  const { store } = useTools();
  const closed = (id: string): Pick<State["ui"], "forms" | "reasons" | "replacements"> => {
    const { ui } = store.state();
    return {
      forms: without(ui.forms, id),
      reasons: without(ui.reasons, id),
      replacements: without(ui.replacements, id),
    };
  };
  const show = (item: CallItem | PlanItem, part: Part): void => {
    const { id } = item;
    const { ui } = store.state();
    const rest = closed(id);
    if (part === "reject") {
      store.setUi({ ...rest, reasons: { ...rest.reasons, [id]: ui.reasons[id] ?? "" } });
    } else if (part === "allow") {
      store.setUi(rest);
    } else if (part === "replace") {
      const fresh = { search: "", tool: null, form: null };
      store.setUi({ ...rest, replacements: { ...rest.replacements, [id]: ui.replacements[id] ?? fresh } });
    } else {
      const ask = item.kind === "call" ? item.ask : null;
      const draft = ui.forms[id] ?? (ask && firstDraft(ask));
      if (!draft) return;
      store.setUi({ ...rest, forms: { ...rest.forms, [id]: draft } });
    }
    setOpened({ id, part });
  };
  return {
    open: (item, part) => {
      if (item.kind === "plan" && part !== "reject") return;
      if ((part === "replace" || part === "modify") && isHost(item)) return;
      if (part === "replace" && store.state().view.tools.length === 0) return;
      if (part === "allow" && !isOffered(item)) return;
      show(item, part);
    },
    close: ({ id }) => {
      store.setUi(closed(id));
      setOpened(null);
      rowOf(list.current, id)?.focus();
    },
  };
}

/** Whether a rule can allow it from now on. */
export function isOffered(item: CallItem | PlanItem): boolean {
  return item.kind === "call" && (item.ask?.offers?.length ?? 0) > 0;
}

/** A question about a host: it can only be allowed or refused. */
export function isHost(item: CallItem | PlanItem): boolean {
  return item.kind === "call" && item.preview?.kind === "host";
}

type Press = Pick<Actions, "open" | "decide" | "review" | "allow" | "decidePlan" | "choose">;

/** Does what a key means for a row; false when it means nothing. */
function press(key: string, item: Waiting, actions: Press): boolean {
  const name = key === "Delete" ? "Backspace" : key.length === 1 ? key.toLowerCase() : key;
  const act = keysOf(item, actions)[name];
  act?.();
  return act !== undefined;
}

function keysOf(item: Waiting, actions: Press): Readonly<Record<string, () => void>> {
  switch (item.kind) {
    case "call":
      return {
        Enter: () => actions.decide(item, { kind: "approve" }),
        v: () => actions.review(item),
        a: () => actions.open(item, "allow"),
        e: () => actions.open(item, "modify"),
        r: () => actions.open(item, "replace"),
        Backspace: () => actions.open(item, "reject"),
      };
    case "plan":
      return {
        Enter: () => actions.decidePlan(item, { kind: "approve" }),
        a: () => actions.decidePlan(item, { kind: "approveAll" }),
        Backspace: () => actions.open(item, "reject"),
      };
    case "pause": {
      const keys: Record<PauseChoice, string> = { continue: "Enter", sumUp: "s", stop: "Backspace" };
      return Object.fromEntries(item.choices.map((choice) => [keys[choice], () => actions.choose(item, choice)]));
    }
  }
}

/** With another key, or held down: a key that repeats must not decide the next call too. */
function isNoPress(event: KeyboardEvent): boolean {
  return event.ctrlKey || event.metaKey || event.altKey || event.repeat;
}

export function rowOf(list: HTMLElement | null, id: string): HTMLElement | null {
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
