// The panel's state: the view as the host's events fold it, and the drafts. Tells when there is something new to draw.
import type { PanelEvent, QueuedMessage } from "../src/protocol/events.ts";
import type { Decision } from "../src/protocol/messages.ts";
import { emptyView, isRunning, pendingCalls, reduce } from "../src/protocol/view.ts";
import type { View } from "../src/protocol/view.ts";
import type { Sought } from "../src/protocol/sessions.ts";
import type { SelectedLines, Suggestion } from "../src/protocol/suggestions.ts";
import type { SentPart, SubmitHow, ToHost, ToWebview } from "../src/protocol/wire.ts";
import type { Bridge } from "./bridge.ts";
import { afterEvent, afterSnapshot, startsRun } from "./outbox.ts";
import type { Outbox, Outgoing, Sorted } from "./outbox.ts";
import { afterQueue } from "./queueEdits.ts";
import { mentionOfLines } from "./token.ts";
import { readUi, toKeep, withFold } from "./ui.ts";
import type { Ui } from "./ui.ts";
import { waitingIn } from "./waits.ts";

/** Where a palette command wants the focus, and the end where a person wants what comes next. */
export type Wish =
  | { readonly at: "composer" }
  | { readonly at: "trace" }
  | { readonly at: "find" }
  | { readonly at: "end" }
  | ({ readonly at: "sought"; readonly stay?: true } & Sought)
  /** A block of the conversation. */
  | { readonly at: "block"; readonly key: string }
  | { readonly at: "call"; readonly id: string; readonly part: "modify" | "reject" | "row" };

export interface State {
  readonly view: View;
  readonly ui: Ui;
  /** The first snapshot has come. */
  readonly ready: boolean;
  /** What was decided about and is on its way to the host, by id: calls, a plan, a choice, queued messages. */
  readonly sending: ReadonlySet<string>;
  readonly wish: Wish | null;
  /** What could be meant by what is being typed, for the question of that number. */
  readonly suggested: { readonly number: number; readonly found: readonly Suggestion[] } | null;
  /** What is selected in the editor. */
  readonly selected: SelectedLines | null;
  /** The trace that was asked for last, as it was then. */
  readonly trace: Extract<ToWebview, { type: "trace" }> | null;
}

export interface Store {
  readonly state: () => State;
  readonly post: (message: ToHost) => void;
  /**
   * @param how while a run is going on; without it the message is only for starting one
   * @param given what goes with it; with the draft that is what was given with that
   */
  readonly submit: (text: string, how?: SubmitHow, given?: readonly SentPart[]) => void;
  /** Answers what waits under an id, once. */
  readonly answer: (id: string, message: ToHost) => void;
  readonly decide: (id: string, decision: Decision) => void;
  readonly approveAll: () => void;
  readonly sendQueued: (message: QueuedMessage, how: SubmitHow) => void;
  /** Moves a waiting message so many places back, or to the front. */
  readonly moveQueued: (id: string, by: number) => void;
  /** Takes a message out that went into the run and was not read. */
  readonly takeOut: (message: Outgoing) => void;
  readonly setUi: (change: Partial<Ui>) => void;
  /** Remembers a fold without drawing: the row has drawn itself. */
  readonly fold: (key: string, open: boolean) => void;
  /** Remembers where the reader is, without drawing. */
  readonly stay: (place: Ui["place"]) => void;
  readonly wish: (wish: Wish) => void;
  readonly wishDone: () => void;
  /** Writes the drafts down at once. */
  readonly save: () => void;
}

/** Milliseconds that typing may wait before it is written down. */
const saveDelay = 150;

const empty: Omit<State, "ui"> = {
  view: emptyView,
  ready: false,
  sending: new Set(),
  wish: null,
  suggested: null,
  selected: null,
  trace: null,
};

/**
 * Opens the panel's state on a bridge.
 * @param changed called after every change that can be seen, as often as it happens
 */
export function createStore(bridge: Bridge, changed: (by: "person" | "host") => void): Store {
  let state: State = { ...empty, ui: readUi(bridge.load()) };
  let timer: number | undefined;

  const keep = keeping(bridge);
  const save = (): void => {
    clearTimeout(timer);
    timer = undefined;
    keep(state.ui);
  };
  const set = (next: State, by: "person" | "host" | null): void => {
    if (next.ui !== state.ui) timer ??= window.setTimeout(save, saveDelay);
    state = next;
    if (by) changed(by);
  };
  const setUi = (change: Partial<Ui>): void => set({ ...state, ui: { ...state.ui, ...change } }, "person");
  const answer: Store["answer"] = (id, message) => {
    if (state.sending.has(id)) return;
    bridge.post(message);
    set({ ...state, sending: new Set([...state.sending, id]) }, "person");
  };

  bridge.listen((message) => {
    const next = receive(state, message);
    if (next !== state) set(next, "host");
    if (message.type === "draft:left") keep(state.ui, true);
  });
  return {
    state: () => state,
    post: bridge.post,
    submit: (text, how, given) => {
      const into = isBusy(state) ? how : "start";
      if (text.trim() === "" || into === undefined || state.view.reading) return;
      const isDraft = state.ui.draft === text;
      const parts = given ?? (isDraft ? state.ui.parts : []);
      const sent = { text: withSelected(text, state), ...(parts.length > 0 && { parts }) };
      bridge.post({ type: "prompt:submit", ...sent, ...(into !== "start" && { how: into }) });
      const outbox: Outbox = [...state.ui.outbox, { ...sent, how: into, queued: null }];
      setUi({ outbox, ...(isDraft && { draft: "", parts: [], partsProblem: "", tooLate: false }) });
    },
    answer,
    decide: (id, decision) => answer(id, { type: "call:decide", toolCallId: id, decision }),
    approveAll: () => {
      // One by one: a call that has come meanwhile and was not seen is not approved with them.
      const shown = pendingCalls(state.view).filter(({ id }) => !state.sending.has(id));
      for (const { id: toolCallId } of shown)
        bridge.post({ type: "call:decide", toolCallId, decision: { kind: "approve" } });
      set({ ...state, sending: new Set([...state.sending, ...shown.map(({ id }) => id)]) }, "person");
    },
    sendQueued: (message, how) => {
      answer(message.id, { type: "queue:send", id: message.id, how });
      set(afterSending(state, message, how), "person");
    },
    moveQueued: (id, by) => bridge.post({ type: "queue:move", id, by }),
    takeOut: (message) => setUi({ outbox: state.ui.outbox.filter((one) => one !== message) }),
    setUi,
    fold: (key, open) => set({ ...state, ui: { ...state.ui, folds: withFold(state.ui.folds, key, open) } }, null),
    stay: (place) => set({ ...state, ui: { ...state.ui, place } }, null),
    wish: (wish) => set({ ...state, wish }, "person"),
    wishDone: () => set({ ...state, wish: null }, null),
    save,
  };
}

/** Writes down what outlives the page, and tells the host what is half written, where that has changed or anew. */
function keeping({ save, post }: Bridge): (ui: Ui, anew?: boolean) => void {
  let told: Ui | null = null;
  return (ui, anew = false) => {
    save(toKeep(ui));
    const known = anew ? null : told;
    const { draft: text, parts } = ui;
    if (text !== known?.draft || parts !== known.parts)
      post({ type: "panel:draft", text, ...(parts !== known?.parts && { parts }) });
    told = ui;
  };
}

/** A message that has waited is on its way into the run, or its own run is what is to be seen. */
function afterSending(state: State, { id, text }: QueuedMessage, how: SubmitHow): State {
  if (how !== "steer") return { ...state, wish: { at: "end" } };
  return { ...state, ui: { ...state.ui, outbox: [...state.ui.outbox, { text, how, queued: id }] } };
}

/** The lines that are selected go along as a mention, as the chip over the field says. */
function withSelected(text: string, { selected, ui }: State): string {
  if (!selected || ui.withoutSelection) return text;
  const mention = mentionOfLines(selected);
  return text.includes(mention) ? text : `${text.trimEnd()} ${mention}`;
}

/** True while a run is on, or a prompt is on its way to become one. */
export function isBusy(state: State): boolean {
  return isRunning(state.view) || state.ui.outbox.some(startsRun);
}

function receive(state: State, message: ToWebview): State {
  switch (message.type) {
    case "snapshot": {
      const ui = withOutbox(state.ui, afterSnapshot(state.ui.outbox, message.view));
      return { ...settle({ ...state, view: message.view, ui }), ready: true };
    }
    case "earlier": {
      const { turns, more } = message;
      return { ...state, view: { ...state.view, turns: [...turns, ...state.view.turns], more } };
    }
    case "ping":
    case "code:used":
    case "sessions:rows":
    case "session:found":
      return state;
    case "find:show":
      return { ...state, wish: { at: "find" } };
    case "sessions:show":
      return { ...state, ui: { ...state.ui, sessions: { text: "", deleted: message.deleted } } };
    case "events":
      return settle(message.events.reduce(fold, state));
    case "trace":
      return { ...state, trace: message };
    case "trace:show":
      return { ...state, ui: { ...state.ui, trace: message.runId }, wish: { at: "trace" } };
    case "composer:focus":
      return wishing(state, { at: "composer" });
    case "sought:show":
      return wishing(state, { ...message, at: "sought" });
    case "suggested":
      return { ...state, suggested: message };
    case "selection":
      return { ...state, selected: message.selected };
    case "composer:insert": {
      const { draft } = state.ui;
      const gap = draft === "" || /\s$/.test(draft) ? "" : " ";
      const ui = { ...state.ui, draft: `${draft}${gap}${message.text} ` };
      return wishing({ ...state, ui }, { at: "composer" });
    }
    case "draft:left": {
      // It may have come before, and the answer have been lost.
      const text = state.ui.draft.includes(message.text) ? "" : message.text;
      const parts = message.parts.filter(({ value }) => !state.ui.parts.some((one) => one.value === value));
      const returned = text === "" && parts.length === 0 ? [] : [{ text, parts }];
      return { ...state, ui: withOutbox(state.ui, { outbox: state.ui.outbox, returned }) };
    }
    case "composer:write": {
      const ui = withOutbox(state.ui, { outbox: state.ui.outbox, returned: [message] });
      return wishing({ ...state, ui }, { at: "composer" });
    }
    case "call:focus": {
      const waits = pendingCalls(state.view).some((call) => call.id === message.toolCallId);
      return waits ? wishing(state, { at: "call", id: message.toolCallId, part: message.part }) : state;
    }
  }
}

/** The focus is wanted in the conversation: it is there again. */
function wishing(state: State, wish: Wish): State {
  return { ...state, ui: { ...state.ui, sessions: null }, wish };
}

function fold(state: State, event: PanelEvent): State {
  const ui = withOutbox(state.ui, afterEvent(state.ui.outbox, event, state.view));
  const next = { ...state, ui, view: reduce(state.view, event) };
  if (event.type === "call:decided" && event.problem !== undefined) return undecided(next, [event.toolCallId]);
  if (event.type === "plan:decided" && event.problem !== undefined) return undecided(next, [event.planId]);
  // Whatever was asked of the queue has been answered by then.
  const answered = event.type === "queue:changed" || event.type === "loop:end" || event.type === "panel:failure";
  return answered
    ? undecided(
        next,
        next.view.queue.map(({ id }) => id),
      )
    : next;
}

/** What waits under these ids can be answered again. */
function undecided(state: State, ids: readonly string[]): State {
  return { ...state, sending: new Set([...state.sending].filter((id) => !ids.includes(id))) };
}

/** What was refused, or is to be written anew, goes back to where it was typed, before what is being typed by now. */
function withOutbox(ui: Ui, { outbox, returned }: Sorted): Ui {
  if (outbox === ui.outbox && returned.length === 0) return ui;
  const texts = [...returned.map(({ text }) => text), ui.draft];
  const parts = [...returned.flatMap((one) => one.parts ?? []), ...ui.parts];
  return { ...ui, outbox, draft: texts.filter((text) => text !== "").join("\n\n"), parts };
}

/** Lets go of drafts and answers of what waits no more. */
function settle(state: State): State {
  const { forms, reasons, replacements, plans, edits } = state.ui;
  if (state.sending.size === 0 && [forms, reasons, replacements, plans, edits].every(isEmpty)) return state;
  const waiting = new Set([...waitingIn(state.view), ...state.view.queue].map(({ id }) => id));
  const only = <T>(drafts: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(drafts).filter(([id]) => waiting.has(id)));
  return {
    ...state,
    sending: new Set([...state.sending].filter((id) => waiting.has(id))),
    ui: {
      ...afterQueue(state.ui, state.view.queue),
      forms: only(forms),
      reasons: only(reasons),
      replacements: only(replacements),
      plans: only(plans),
    },
  };
}

function isEmpty(record: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(record).length === 0;
}
