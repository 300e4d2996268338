// The panel's state: the view as the host's events fold it, and the drafts. Tells when there is something new to draw.
import type { PanelEvent } from "../src/protocol/events.ts";
import type { Decision } from "../src/protocol/messages.ts";
import { emptyView, isRunning, pendingCalls, reduce } from "../src/protocol/view.ts";
import type { View } from "../src/protocol/view.ts";
import type { ToHost, ToWebview } from "../src/protocol/wire.ts";
import type { Bridge } from "./bridge.ts";
import { readUi, withFold } from "./ui.ts";
import type { Ui } from "./ui.ts";

/** Where a palette command wants the focus. */
export type Wish =
  | { readonly at: "composer" }
  | { readonly at: "call"; readonly id: string; readonly part: "modify" | "reject" | "row" };

export interface State {
  readonly view: View;
  readonly ui: Ui;
  /** The first snapshot has come. */
  readonly ready: boolean;
  /** Calls whose decision is on its way to the host. */
  readonly sending: ReadonlySet<string>;
  readonly wish: Wish | null;
}

export interface Store {
  readonly state: () => State;
  readonly post: (message: ToHost) => void;
  readonly submit: (text: string) => void;
  readonly decide: (id: string, decision: Decision) => void;
  readonly approveAll: () => void;
  readonly setUi: (change: Partial<Ui>) => void;
  /** Remembers a fold without drawing: the row has drawn itself. */
  readonly fold: (key: string, open: boolean) => void;
  readonly wishDone: () => void;
  /** Writes the drafts down at once. */
  readonly save: () => void;
}

/** Milliseconds that typing may wait before it is written down. */
const saveDelay = 150;

/**
 * Opens the panel's state on a bridge.
 * @param changed called after every change that can be seen, as often as it happens
 */
export function createStore(bridge: Bridge, changed: (by: "person" | "host") => void): Store {
  let state: State = { view: emptyView, ui: readUi(bridge.load()), ready: false, sending: new Set(), wish: null };
  let timer: number | undefined;

  const save = (): void => {
    clearTimeout(timer);
    timer = undefined;
    bridge.save(state.ui);
  };
  const set = (next: State, by: "person" | "host" | null): void => {
    if (next.ui !== state.ui) timer ??= window.setTimeout(save, saveDelay);
    state = next;
    if (by) changed(by);
  };
  const setUi = (change: Partial<Ui>): void => set({ ...state, ui: { ...state.ui, ...change } }, "person");

  bridge.listen((message) => set(receive(state, message), "host"));
  return {
    state: () => state,
    post: bridge.post,
    submit: (text) => {
      if (text.trim() === "" || isBusy(state)) return;
      bridge.post({ type: "prompt:submit", text });
      setUi({ sent: text, draft: state.ui.draft === text ? "" : state.ui.draft });
    },
    decide: (id, decision) => {
      if (state.sending.has(id)) return;
      bridge.post({ type: "call:decide", toolCallId: id, decision });
      set({ ...state, sending: new Set([...state.sending, id]) }, "person");
    },
    approveAll: () => {
      // One by one: a call that has come meanwhile and was not seen is not approved with them.
      const shown = pendingCalls(state.view).filter(({ id }) => !state.sending.has(id));
      for (const { id: toolCallId } of shown)
        bridge.post({ type: "call:decide", toolCallId, decision: { kind: "approve" } });
      set({ ...state, sending: new Set([...state.sending, ...shown.map(({ id }) => id)]) }, "person");
    },
    setUi,
    fold: (key, open) => set({ ...state, ui: { ...state.ui, folds: withFold(state.ui.folds, key, open) } }, null),
    wishDone: () => set({ ...state, wish: null }, null),
    save,
  };
}

/** True while a run is on, or a prompt is on its way to become one. */
export function isBusy(state: State): boolean {
  return state.ui.sent !== null || isRunning(state.view);
}

function receive(state: State, message: ToWebview): State {
  switch (message.type) {
    case "snapshot":
      return { ...settle({ ...state, view: message.view, ui: keepPrompt(state.ui, message.view) }), ready: true };
    case "events":
      return settle(message.events.reduce(fold, state));
    case "composer:focus":
      return { ...state, wish: { at: "composer" } };
    case "call:focus": {
      const waits = pendingCalls(state.view).some((call) => call.id === message.toolCallId);
      return waits ? { ...state, wish: { at: "call", id: message.toolCallId, part: message.part } } : state;
    }
  }
}

function fold(state: State, event: PanelEvent): State {
  const next = { ...state, view: reduce(state.view, event) };
  if (event.type === "call:decided" && event.problem !== undefined) return undecided(next, event.toolCallId);
  if (event.type === "loop:start") return { ...next, ui: started(state.ui, event.message) };
  if (event.type === "panel:failure") return { ...next, ui: returned(state.ui) };
  return next;
}

function undecided(state: State, id: string): State {
  return { ...state, sending: new Set([...state.sending].filter((other) => other !== id)) };
}

/** The prompt has become a run: nothing of it has to be kept. */
function started(ui: Ui, message: string): Ui {
  if (ui.sent === null) return ui;
  return { ...ui, sent: null, draft: ui.draft === message ? "" : ui.draft };
}

/** The prompt was refused: it goes back to where it was typed, unless something else is there by now. */
function returned(ui: Ui): Ui {
  if (ui.sent === null) return ui;
  return { ...ui, sent: null, draft: ui.draft === "" ? ui.sent : ui.draft };
}

function keepPrompt(ui: Ui, view: View): Ui {
  if (ui.sent === null) return ui;
  return view.turns.at(-1)?.user === ui.sent ? started(ui, ui.sent) : returned(ui);
}

/** Lets go of drafts and decisions of calls that wait no more. */
function settle(state: State): State {
  const { forms, reasons } = state.ui;
  if (state.sending.size === 0 && isEmpty(forms) && isEmpty(reasons)) return state;
  const pending = new Set(pendingCalls(state.view).map((call) => call.id));
  const stays = ([id]: [string, unknown]): boolean => pending.has(id);
  return {
    ...state,
    sending: new Set([...state.sending].filter((id) => pending.has(id))),
    ui: {
      ...state.ui,
      forms: Object.fromEntries(Object.entries(forms).filter(stays)),
      reasons: Object.fromEntries(Object.entries(reasons).filter(stays)),
    },
  };
}

function isEmpty(record: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(record).length === 0;
}
