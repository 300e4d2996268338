// Where a person writes, while a run is on too: the message, which agent and model read it, how full the window is, Stop.
import { useLayoutEffect, useRef } from "preact/hooks";
import { mostParts } from "../src/protocol/viewParts.ts";
import type { SubmitHow } from "../src/protocol/wire.ts";
import { useTools } from "./context.ts";
import { composerId, focusComposer } from "./focus.ts";
import { carriesFiles, drop, paste } from "./given.ts";
import { GivenParts } from "./givenParts.tsx";
import { recall } from "./history.ts";
import { Icon } from "./icon.tsx";
import { isMac } from "./keys.ts";
import { Cost, Meter } from "./meter.tsx";
import { Pickers } from "./pickers.tsx";
import { Selected } from "./selected.tsx";
import { Send } from "./send.tsx";
import { SendWhileRunning } from "./sendWhileRunning.tsx";
import { isBusy } from "./store.ts";
import type { State } from "./store.ts";
import { useSuggesting } from "./suggesting.ts";
import { t } from "./l10n.ts";
import { Suggestions } from "./suggestions.tsx";

interface Props {
  readonly state: State;
}

export function Composer({ state }: Props) {
  const { store } = useTools();
  const busy = isBusy(state);
  const hint = whyNot(state);
  const written = state.ui.draft.trim() !== "";
  const given = state.ui.parts.length > 0 || state.ui.partsProblem !== "";
  return (
    <div class="composer">
      <div
        class="composer-box"
        onDragOver={(event) => carriesFiles(event) && event.preventDefault()}
        onDrop={(event) => drop(event, store)}
        onPaste={(event) => paste(event, store)}
      >
        {state.selected && <Selected lines={state.selected} off={state.ui.withoutSelection} />}
        {given && <GivenParts ui={state.ui} />}
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
  return (
    <div class="composer-foot">
      {view.setup && <Pickers setup={view.setup} />}
      <span class="grow" />
      <Cost view={view} />
      <Meter context={view.context} busy={busy} />
      {busy && written && hint === null && <SendWhileRunning />}
      {busy && !view.reading ? <Stop /> : <Send disabled={hint !== null || !written} hint={hint} />}
    </div>
  );
}

interface FieldProps extends Props {
  readonly busy: boolean;
  readonly maySend: boolean;
}

function Field({ state, busy, maySend }: FieldProps) {
  const { store } = useTools();
  const field = useRef<HTMLTextAreaElement>(null);
  const offers = useSuggesting(state, store, field);
  const { draft } = state.ui;
  useLayoutEffect(() => {
    if (state.wish?.at !== "composer" || state.wish !== store.state().wish) return;
    store.wishDone();
    focusComposer();
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, shiftKey } = event;
    const sends = key === "Enter" && !shiftKey;
    const used = offers.press(shiftKey ? "" : key) || recall(event, state, store);
    if (used || sends) event.preventDefault();
    if (sends && maySend && !used) store.submit(draft, howBy(event));
  };
  const open = offers.found.length > 0;
  return (
    <>
      {open && <Suggestions id={listId} offers={offers} />}
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

function howBy({ ctrlKey, metaKey }: KeyboardEvent): SubmitHow {
  return ctrlKey || metaKey ? "steer" : "queue";
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
