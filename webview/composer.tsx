// Where a person writes, while a run is on too: the message, which agent and model read it, how full the window is, Stop.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Setup } from "../src/protocol/events.ts";
import { mostParts } from "../src/protocol/viewParts.ts";
import { useTools } from "./context.ts";
import { composerId, focusComposer } from "./focus.ts";
import { recalled, sentIn } from "./history.ts";
import { Icon } from "./icon.tsx";
import { isMac } from "./keys.ts";
import { Send } from "./send.tsx";
import { isBusy } from "./store.ts";
import type { State, Store } from "./store.ts";
import { useLazy } from "./lazy.ts";
import { useSuggesting } from "./suggesting.ts";
import { t } from "./l10n.ts";

interface Props {
  readonly state: State;
}

export function Composer({ state }: Props) {
  const { store, later } = useTools();
  const parts = useLazy(later);
  const busy = isBusy(state);
  const hint = whyNot(state);
  const written = state.ui.draft.trim() !== "";
  const given = state.ui.parts.length > 0 || state.ui.partsProblem !== "";
  return (
    <div class="composer">
      <div
        class="composer-box"
        onDragOver={(event) => parts?.carriesFiles(event) && event.preventDefault()}
        onDrop={(event) => parts?.drop(event, store)}
        onPaste={(event) => parts?.paste(event, store)}
      >
        {parts && state.selected && <parts.Selected lines={state.selected} off={state.ui.withoutSelection} />}
        {parts && given && <parts.GivenParts ui={state.ui} />}
        <Field state={state} busy={busy} maySend={hint === null} />
        <div id="composer-hint" class="hint">
          {written && (hint ?? (busy ? howToSend() : ""))}
        </div>
        <Foot state={state} busy={busy} written={written} hint={hint} />
      </div>
    </div>
  );
}

interface FootProps extends Props {
  readonly busy: boolean;
  readonly written: boolean;
  readonly hint: string | null;
}

function Foot({ state: { view }, busy, written, hint }: FootProps) {
  const parts = useLazy(useTools().later);
  return (
    <div class="composer-foot">
      {view.setup && <Pickers setup={view.setup} />}
      <span class="grow" />
      {parts && <parts.Cost view={view} />}
      {parts && <parts.Meter context={view.context} busy={busy} />}
      {parts && busy && written && hint === null && <parts.SendWhileRunning />}
      {busy && !view.reading ? <Stop /> : <Send disabled={hint !== null || !written} hint={hint} />}
    </div>
  );
}

interface FieldProps extends Props {
  readonly busy: boolean;
  readonly maySend: boolean;
}

function Field({ state, busy, maySend }: FieldProps) {
  const { store, later } = useTools();
  const parts = useLazy(later);
  const field = useRef<HTMLTextAreaElement>(null);
  const offers = useSuggesting(state, store, field);
  const { draft } = state.ui;
  useLayoutEffect(() => {
    if (state.wish?.at !== "composer") return;
    store.wishDone();
    focusComposer();
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const { key, shiftKey } = event;
    const sends = key === "Enter" && !shiftKey;
    const used = offers.press(shiftKey ? "" : key) || recall(event, state, store);
    if (used || sends) event.preventDefault();
    if (sends && maySend && !used) store.submit(draft, event.ctrlKey || event.metaKey ? "steer" : "queue");
  };
  const open = offers.found.length > 0 && parts !== null;
  return (
    <>
      {open && <parts.Suggestions id={listId} offers={offers} />}
      <textarea
        ref={field}
        id={composerId}
        aria-autocomplete="list"
        aria-controls={open ? listId : undefined}
        aria-activedescendant={open ? `${listId}-${offers.active}` : undefined}
        rows={1}
        value={draft}
        aria-label={t("Message to Brain")}
        aria-describedby="composer-hint"
        placeholder={busy ? t("Say more, or what comes next") : t("Ask Brain, @ for context, / for commands")}
        onInput={(event) => {
          store.setUi({ draft: event.currentTarget.value });
          offers.look(event.currentTarget);
        }}
        onKeyDown={onKeyDown}
        onKeyUp={(event) => offers.moved(event.currentTarget)}
        onClick={(event) => offers.moved(event.currentTarget)}
        onBlur={offers.close}
      />
    </>
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

/** Why a message cannot be sent now, in a few words; null when it can. */
function whyNot(state: State): string | null {
  if (!state.ready) return t("Brain is starting.");
  if (state.view.reading) return t("Another window has this session. What you type is kept.");
  if (state.ui.parts.length > mostParts) return t("{0} images and PDFs at most.", mostParts);
  return state.view.setup?.workspace === "none" ? t("Open a folder first.") : null;
}

function howToSend(): string {
  return t("Enter queues it. {0} sends it now.", isMac() ? "⌘Enter" : t("Ctrl+Enter"));
}

function Stop() {
  const { store } = useTools();
  return (
    <button
      type="button"
      class="button secondary stop"
      title={t("Stop this run")}
      onClick={() => store.post({ type: "run:stop" })}
    >
      <Icon name="debug-stop" /> {t("Stop")}
    </button>
  );
}

interface PickersProps {
  readonly setup: Setup;
}

function Pickers({ setup }: PickersProps) {
  const { store } = useTools();
  const model = setup.model === "" ? t("Select model") : setup.model;
  return (
    <div class="pickers">
      <button
        type="button"
        class="picker"
        title={t("Agent: {0}. Click to choose another.", setup.agent)}
        onClick={() => store.post({ type: "command:run", command: "selectAgent" })}
      >
        <span class="picker-name">{setup.agent}</span>
        <Icon name="chevron-down" />
      </button>
      <button
        type="button"
        class="picker"
        title={t("Model: {0} at {1}. Click to choose another.", model, setup.provider)}
        onClick={() => store.post({ type: "command:run", command: "selectModel" })}
      >
        <span class="picker-name">{model}</span>
        <Icon name="chevron-down" />
      </button>
      {setup.scripted && (
        <span class="tag" title={t("This model follows a script; its tools and edits are real")}>
          {t("scripted")}
        </span>
      )}
    </div>
  );
}
