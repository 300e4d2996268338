// Where a person writes, while a run is on too: the message, which agent and model read it, how full the window is, Stop.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Setup } from "../src/protocol/events.ts";
import type { SelectedLines } from "../src/protocol/suggestions.ts";
import type { View } from "../src/protocol/view.ts";
import { useTools } from "./context.ts";
import { composerId, focusComposer } from "./focus.ts";
import { recalled, sentIn } from "./history.ts";
import { Icon } from "./icon.tsx";
import { isMac } from "./keys.ts";
import { Send, SendWhileRunning } from "./send.tsx";
import { isBusy } from "./store.ts";
import type { State, Store } from "./store.ts";
import { useLazy } from "./lazy.ts";
import { useSuggesting } from "./suggesting.ts";
import { number } from "./words.ts";

interface Props {
  readonly state: State;
}

export function Composer({ state }: Props) {
  const { store, later } = useTools();
  const parts = useLazy(later);
  const field = useRef<HTMLTextAreaElement>(null);
  const offers = useSuggesting(state, store, field);
  const { draft } = state.ui;
  const busy = isBusy(state);
  const hint = whyNot(state);
  const written = draft.trim() !== "";
  useLayoutEffect(() => {
    if (state.wish?.at !== "composer") return;
    store.wishDone();
    focusComposer();
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const { key, shiftKey } = event;
    const sends = key === "Enter" && !shiftKey;
    if (offers.press(shiftKey ? "" : key) || recall(event, state, store) || sends) event.preventDefault();
    else return;
    if (!sends || offers.found.length > 0 || hint !== null) return;
    store.submit(draft, event.ctrlKey || event.metaKey ? "steer" : "queue");
  };
  const open = offers.found.length > 0 && parts !== null;
  return (
    <footer class="composer">
      {open && (
        <parts.Suggestions
          id={listId}
          found={offers.found}
          active={offers.active}
          onPoint={offers.point}
          onTake={offers.take}
        />
      )}
      <div
        class="composer-box"
        onDragOver={(event) => carriesFiles(event) && event.preventDefault()}
        onDrop={(event) => drop(event, store)}
      >
        {state.selected && <Selected lines={state.selected} off={state.ui.withoutSelection} />}
        <textarea
          ref={field}
          id={composerId}
          aria-autocomplete="list"
          aria-controls={open ? listId : undefined}
          aria-activedescendant={open ? `${listId}-${offers.active}` : undefined}
          rows={1}
          value={draft}
          aria-label="Message to Brain"
          aria-describedby="composer-hint"
          placeholder={busy ? "Say more, or what comes next" : "Ask Brain, @ for context, / for commands"}
          onInput={(event) => {
            store.setUi({ draft: event.currentTarget.value });
            offers.look(event.currentTarget);
          }}
          onKeyDown={onKeyDown}
          onSelect={(event) => offers.look(event.currentTarget)}
          onBlur={offers.close}
        />
        <div id="composer-hint" class="hint">
          {written && (hint ?? (busy ? howToSend() : ""))}
        </div>
        <div class="composer-foot">
          {state.view.setup && <Pickers setup={state.view.setup} />}
          <span class="grow" />
          <Meter context={state.view.context} busy={busy} />
          {busy && written && hint === null && <SendWhileRunning />}
          {busy && !state.view.reading ? <Stop /> : <Send disabled={hint !== null || !written} hint={hint} />}
        </div>
      </div>
    </footer>
  );
}

const listId = "composer-suggestions";

/** ArrowUp in an empty field brings back what was sent before. True when it did. */
function recall({ key, target }: KeyboardEvent, { view, ui }: State, store: Store): boolean {
  if ((key !== "ArrowUp" && key !== "ArrowDown") || !(target instanceof HTMLTextAreaElement)) return false;
  const edge = key === "ArrowUp" ? 0 : ui.draft.length;
  if (target.selectionStart !== edge && target.selectionStart !== ui.draft.length) return false;
  const draft = recalled(sentIn(view), ui.draft, key);
  if (draft !== null) store.setUi({ draft });
  return draft !== null;
}

/** How VS Code and others name what is dragged. */
const uriLists = ["application/vnd.code.uri-list", "text/uri-list"];

function carriesFiles({ dataTransfer }: DragEvent): boolean {
  return uriLists.some((type) => dataTransfer?.types.includes(type));
}

function drop(event: DragEvent, store: Store): void {
  const lists = uriLists.map((type) => event.dataTransfer?.getData(type) ?? "");
  const list = lists.find((text) => text !== "");
  if (list === undefined) return;
  event.preventDefault();
  store.post({ type: "files:drop", uris: list.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#")) });
}

interface SelectedProps {
  readonly lines: SelectedLines;
  readonly off: boolean;
}

/** The lines that are selected in the editor: they go along unless a person takes them out. */
function Selected({ lines: { path, from, to }, off }: SelectedProps) {
  const { store } = useTools();
  const name = `${path.slice(path.lastIndexOf("/") + 1)}:${from === to ? from : `${from}–${to}`}`;
  const state = off ? "Not sent along. Click to send it along." : "Sent along. Click to leave it out.";
  return (
    <button
      type="button"
      class={off ? "chip off" : "chip"}
      aria-pressed={!off}
      aria-label={`Selection ${name}`}
      title={`The selection in the editor, ${path}. ${state}`}
      onClick={() => store.setUi({ withoutSelection: !off })}
    >
      <span>{name}</span>
      <Icon name={off ? "eye-closed" : "eye"} />
    </button>
  );
}

/** Why a message cannot be sent now, in a few words; null when it can. */
function whyNot(state: State): string | null {
  if (!state.ready) return "Brain is starting.";
  if (state.view.reading) return "Another window has this session. What you type is kept.";
  return state.view.setup?.workspace === "none" ? "Open a folder first." : null;
}

function howToSend(): string {
  return `Enter queues it. ${isMac() ? "⌘Enter" : "Ctrl+Enter"} sends it now.`;
}

function Stop() {
  const { store } = useTools();
  return (
    <button
      type="button"
      class="button secondary stop"
      title="Stop this run"
      onClick={() => store.post({ type: "run:stop" })}
    >
      <Icon name="debug-stop" /> Stop
    </button>
  );
}

interface PickersProps {
  readonly setup: Setup;
}

function Pickers({ setup }: PickersProps) {
  const { store } = useTools();
  const model = setup.model === "" ? "Select model" : setup.model;
  return (
    <div class="pickers">
      <button
        type="button"
        class="picker"
        title={`Agent: ${setup.agent}. Click to choose another.`}
        onClick={() => store.post({ type: "command:run", command: "selectAgent" })}
      >
        <span class="picker-name">{setup.agent}</span>
        <Icon name="chevron-down" />
      </button>
      <button
        type="button"
        class="picker"
        title={`Model: ${model} at ${setup.provider}. Click to choose another.`}
        onClick={() => store.post({ type: "command:run", command: "selectModel" })}
      >
        <span class="picker-name">{model}</span>
        <Icon name="chevron-down" />
      </button>
      {setup.scripted && (
        <span class="tag" title="This model follows a script; its tools and edits are real">
          scripted
        </span>
      )}
    </div>
  );
}

interface MeterProps {
  readonly context: View["context"];
  readonly busy: boolean;
}

/** From here on room can be made by hand; from the second on it is scarce. */
const marks = { compact: 0.7, full: 0.8 } as const;

const radius = 5;
const around = 2 * Math.PI * radius;

function Meter({ context, busy }: MeterProps) {
  const { store } = useTools();
  if (!context || context.window === 0) return null;
  const part = Math.min(context.tokens / context.window, 1);
  const percent = part > 0 && part < 0.01 ? "< 1" : String(Math.round(part * 100));
  const words = `${number(context.tokens)} of ${number(context.window)} tokens of the model’s window are used`;
  const look = part > marks.full ? "meter full" : "meter";
  const label = `Context: ${percent} %. ${words}.`;
  const picture = (
    <>
      <svg viewBox="0 0 14 14" width="14" height="14" aria-hidden="true">
        <circle class="meter-track" cx="7" cy="7" r={radius} />
        <circle
          class="meter-part"
          cx="7"
          cy="7"
          r={radius}
          stroke-dasharray={`${part * around} ${around}`}
          transform="rotate(-90 7 7)"
        />
      </svg>
      <span>{percent} %</span>
    </>
  );
  if (busy || part <= marks.compact)
    return (
      <span class={look} title={words} role="img" aria-label={label}>
        {picture}
      </span>
    );
  return (
    <button
      type="button"
      class={`${look} picker`}
      title={`${words}. Compact: sum the older part up, so that there is room again.`}
      aria-label={`Context: ${percent} % · Compact. ${words}.`}
      onClick={() => store.post({ type: "command:run", command: "compactConversation" })}
    >
      {picture} <span>· Compact</span>
    </button>
  );
}
