// Where a person writes, while a run is on too: the message, which agent and model read it, how full the window is, Stop.
import { useLayoutEffect } from "preact/hooks";
import type { Setup } from "../src/protocol/events.ts";
import type { View } from "../src/protocol/view.ts";
import { useTools } from "./context.ts";
import { composerId, focusComposer } from "./focus.ts";
import { Icon } from "./icon.tsx";
import { isMac } from "./keys.ts";
import { Send, SendWhileRunning } from "./send.tsx";
import { isBusy } from "./store.ts";
import type { State } from "./store.ts";
import { number } from "./words.ts";

interface Props {
  readonly state: State;
}

export function Composer({ state }: Props) {
  const { store } = useTools();
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
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (hint === null) store.submit(draft, event.ctrlKey || event.metaKey ? "steer" : "queue");
  };
  return (
    <div class="composer">
      <div class="composer-box">
        <textarea
          id={composerId}
          rows={1}
          value={draft}
          aria-label="Message to Brain"
          aria-describedby="composer-hint"
          placeholder={busy ? "Say more, or what comes next" : "Ask Brain to do something in this folder"}
          onInput={(event) => store.setUi({ draft: event.currentTarget.value })}
          onKeyDown={onKeyDown}
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
    </div>
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
