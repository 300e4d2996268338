// Messages that wait, above the composer: what was sent into the run, and what is sent when it has ended.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { QueuedMessage } from "../src/protocol/events.ts";
import { useTools } from "./context.ts";
import { focusComposer } from "./focus.ts";
import { Icon, IconButton } from "./icon.tsx";
import type { Outgoing } from "./outbox.ts";
import { keepTabStop, moveByKey, rememberRow, rowsOf } from "./roving.ts";
import { isBusy } from "./store.ts";
import type { State } from "./store.ts";
import { t } from "./l10n.ts";

interface Props {
  readonly state: State;
}

export function Queue({ state }: Props) {
  const list = useRef<HTMLUListElement>(null);
  const busy = isBusy(state);
  const { queue } = state.view;
  const into = state.ui.outbox.filter(({ how }) => how === "steer");
  const rest = queue.filter(({ id }) => !into.some(({ queued }) => queued === id));
  useFocusStays(list);
  if (into.length + rest.length === 0) return null;
  return (
    <section class="queue" aria-label={t("Messages that wait")}>
      <ul
        ref={list}
        onKeyDown={(event) => list.current && (moveByKey(event, list.current) || pressed(event))}
        onFocusIn={(event) => list.current && rememberRow(event, list.current)}
      >
        {into.map((message, index) => (
          <IntoRow key={`${index}-${message.text}`} message={message} busy={busy} />
        ))}
        {rest.map((message) => (
          <QueueRow key={message.id} message={message} busy={busy} sending={state.sending.has(message.id)} />
        ))}
      </ul>
      {rest.length > 0 && <p class="queue-hint">{busy ? waitsWords : keptWords}</p>}
    </section>
  );
}

const waitsWords = t("Sent one after the other when this run has ended.");
const keptWords = t("Kept. Sent with the next run, or by the button.");

/** Enter and Delete on a row press the button that stands for them. */
function pressed(event: KeyboardEvent): void {
  const row = event.target;
  if (!(row instanceof HTMLElement) || row.dataset["row"] === undefined || event.repeat) return;
  const which = event.key === "Enter" ? "first" : ["Delete", "Backspace"].includes(event.key) ? "last" : null;
  if (which === null) return;
  const buttons = [...row.querySelectorAll("button")];
  event.preventDefault();
  buttons.at(which === "first" ? 0 : -1)?.click();
}

interface QueueRowProps {
  readonly message: QueuedMessage;
  readonly busy: boolean;
  readonly sending: boolean;
}

function QueueRow({ message, busy, sending }: QueueRowProps) {
  const { store } = useTools();
  const given = (message.attached ?? []).map(({ label }) => label).join(", ");
  const keys = busy
    ? t("Enter sends it now, into the run, Delete removes it.")
    : t("Enter sends it, Delete removes it.");
  return (
    <li
      class={sending ? "queue-row sending" : "queue-row"}
      data-row=""
      tabIndex={-1}
      aria-label={`${given === "" ? t("Queued: {0}.", message.text) : t("Queued: {0}, with {1}.", message.text, given)} ${keys}`}
    >
      <Icon name="list-ordered" class="state" />
      <span class="queue-text" title={message.text}>
        {message.text}
      </span>
      {given !== "" && (
        <span class="queue-state" title={given}>
          <Icon name="attach" />
        </span>
      )}
      {busy ? (
        <>
          <IconButton
            name="send"
            label={t("Send now: the model reads it before its next step")}
            disabled={sending}
            onClick={() => store.sendQueued(message, "steer")}
          />
          <IconButton
            name="debug-restart"
            label={t("Stop and send: end this run and start the next with it")}
            disabled={sending}
            onClick={() => store.sendQueued(message, "interrupt")}
          />
        </>
      ) : (
        <IconButton
          name="send"
          label={t("Send this message")}
          disabled={sending}
          onClick={() => store.sendQueued(message, "queue")}
        />
      )}
      <IconButton
        name="close"
        label={t("Remove from the queue")}
        disabled={sending}
        onClick={() => store.answer(message.id, { type: "queue:remove", id: message.id })}
      />
    </li>
  );
}

interface IntoRowProps {
  readonly message: Outgoing;
  readonly busy: boolean;
}

/** Sent into the run; when that has ended without reading it, the message is still the person's to send. */
function IntoRow({ message, busy }: IntoRowProps) {
  const { store } = useTools();
  const { text } = message;
  const words = busy ? t("read before the next step") : t("not read any more");
  const send = (): void => {
    store.takeOut(message);
    store.submit(text, "queue", message.parts ?? []);
  };
  return (
    <li class="queue-row" data-row="" tabIndex={-1} aria-label={t("Sent into the run: {0}. {1}.", text, words)}>
      <Icon name={busy ? "debug-step-into" : "warning"} class="state" />
      <span class="queue-text" title={text}>
        {text}
      </span>
      <span class="queue-state">{words}</span>
      {!busy && (
        <>
          <IconButton name="send" label={t("Send this message")} onClick={send} />
          <IconButton name="close" label={t("Remove")} onClick={() => store.takeOut(message)} />
        </>
      )}
    </li>
  );
}

/** When the row with the focus goes, the focus goes to its neighbour, and from the last one to the composer. */
function useFocusStays(list: { readonly current: HTMLUListElement | null }): void {
  const at = useRef(-1);
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) {
      if (at.current !== -1) focusComposer();
      at.current = -1;
      return;
    }
    keepTabStop(element, "first");
    const rows = rowsOf(element);
    if (at.current !== -1 && document.activeElement === document.body) {
      (rows[at.current] ?? rows.at(-1))?.focus();
    }
    at.current = rows.findIndex((row) => row.contains(document.activeElement));
  });
}
