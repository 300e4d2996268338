// Messages that wait, above the composer: what was sent into the run, and what is sent when it has ended.
import { useLayoutEffect, useRef } from "preact/hooks";
import { useTools } from "./context.ts";
import { focusComposer } from "./focus.ts";
import { Icon, IconButton } from "./icon.tsx";
import type { Outgoing } from "./outbox.ts";
import { QueueRow } from "./queueRow.tsx";
import { moveByKey } from "./moving.ts";
import { keepTabStop, rememberRow, rowsOf } from "./roving.ts";
import { isBusy } from "./store.ts";
import type { State } from "./store.ts";
import { t } from "./l10n.ts";

interface Props {
  readonly state: State;
}

export function Queue({ state }: Props) {
  const { store } = useTools();
  const list = useRef<HTMLUListElement>(null);
  const busy = isBusy(state);
  const { queue } = state.view;
  const into = state.ui.outbox.filter(({ how, begun }) => how === "steer" && !begun);
  const rest = queue.filter(({ id }) => !into.some(({ queued }) => queued === id));
  useFocusStays(list);
  const dragged = useRef<string | null>(null);
  if (into.length + rest.length === 0 && !state.ui.tooLate) return null;
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
        {rest.map((message, index) => (
          <QueueRow
            key={message.id}
            message={message}
            place={{ index, of: rest.length }}
            busy={busy}
            sending={state.sending.has(message.id)}
            edit={state.ui.edits[message.id]}
            drag={{
              begin: () => (dragged.current = message.id),
              end: () => (dragged.current = null),
              over: () => dragged.current !== null && dragged.current !== message.id,
              drop: () => {
                const from = rest.findIndex(({ id }) => id === dragged.current);
                if (from !== -1 && from !== index) store.moveQueued(rest[from]?.id ?? "", index - from);
              },
            }}
          />
        ))}
      </ul>
      {state.ui.tooLate && <TooLate />}
      {rest.length > 0 && <p class="queue-hint">{busy ? waitsWords : keptWords}</p>}
    </section>
  );
}

const waitsWords = t("Sent one after the other when this run has ended.");
const keptWords = t("Kept. Sent with the next run, or by the button.");

function TooLate() {
  const { store } = useTools();
  return (
    <p class="queue-late" role="status">
      <Icon name="warning" />
      <span class="grow">
        {t("The message was taken from the queue before your change. What you wrote is in the field below.")}
      </span>
      <IconButton
        name="close"
        label={t("Close")}
        stop
        onClick={() => {
          store.setUi({ tooLate: false });
          focusComposer();
        }}
      />
    </p>
  );
}

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
  const at = useRef({ index: -1, id: "" });
  useLayoutEffect(() => {
    const element = list.current;
    const rows = element ? rowsOf(element) : [];
    const lost = at.current.index !== -1 && document.activeElement === document.body;
    if (element) keepTabStop(element, "first");
    // One that is moved loses the focus on its way.
    const same = rows.find(({ dataset }) => dataset["row"] !== "" && dataset["row"] === at.current.id);
    const next = same ?? rows[at.current.index] ?? rows.at(-1);
    if (lost && next) next.focus();
    else if (lost) focusComposer();
    const index = rows.findIndex((row) => row.contains(document.activeElement));
    at.current = { index, id: rows[index]?.dataset["row"] ?? "" };
  });
}
