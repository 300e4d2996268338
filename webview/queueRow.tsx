// One message that waits: read, written anew in its place, moved by key or by dragging, sent now, or removed.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { QueuedMessage } from "../src/protocol/events.ts";
import { useTools } from "./context.ts";
import { Icon, IconButton } from "./icon.tsx";
import type { QueueEdit } from "./queueEdits.ts";
import type { Store } from "./store.ts";
import { without } from "./ui.ts";
import { t } from "./l10n.ts";

interface Props {
  readonly message: QueuedMessage;
  readonly place: { readonly index: number; readonly of: number };
  readonly busy: boolean;
  readonly sending: boolean;
  /** What is being written in its place. */
  readonly edit: QueueEdit | undefined;
  readonly drag: Drag;
}

interface Drag {
  readonly begin: () => void;
  readonly end: () => void;
  /** True while another row is dragged. */
  readonly over: () => boolean;
  readonly drop: () => void;
}

export function QueueRow({ message, place, busy, sending, edit, drag }: Props) {
  const { store } = useTools();
  const row = useRef<HTMLLIElement>(null);
  const given = (message.attached ?? []).map(({ label }) => label).join(", ");
  const { text, writing } = standing(message, edit, sending);
  const dragging = useDragged(drag, !writing && !sending && place.of > 1);
  return (
    <li
      ref={row}
      class={`queue-row${sending ? " sending" : ""}${dragging.isTarget ? " target" : ""}`}
      data-row={message.id}
      tabIndex={-1}
      aria-label={sentencesOf(given === "" ? text : t("{0}, with {1}", text, given), place, busy)}
      {...dragging.on}
      onKeyDown={(event) => event.target === row.current && !sending && pressed(event, message, store)}
    >
      <Icon name={place.of > 1 ? "gripper" : "list-ordered"} class="state" />
      {writing ? (
        <Editor message={message} edit={writing} back={() => row.current?.focus()} />
      ) : (
        <span class="queue-text" title={text}>
          {text}
        </span>
      )}
      <Given labels={given} />
      {!writing && <Buttons message={message} busy={busy} sending={sending} />}
    </li>
  );
}

/** What stands in a row: while a new text is on its way, that. */
function standing({ text }: QueuedMessage, edit: QueueEdit | undefined, sending: boolean) {
  return sending ? { text: edit?.text ?? text, writing: undefined } : { text, writing: edit };
}

function Given({ labels }: { readonly labels: string }) {
  if (labels === "") return null;
  return (
    <span class="queue-state" title={labels}>
      <Icon name="attach" />
    </span>
  );
}

/** What a screen reader says of a row. */
function sentencesOf(what: string, { index, of }: Props["place"], busy: boolean): string {
  const keys = busy
    ? t("Enter sends it now, into the run, E edits it, Alt+Up and Alt+Down move it, Delete removes it.")
    : t("Enter sends it, E edits it, Alt+Up and Alt+Down move it, Delete removes it.");
  const place = of === 1 ? "" : ` ${t("{0} of {1}", index + 1, of)}.`;
  return `${t("Queued: {0}.", what)} ${keys}${place}`;
}

/** What makes a row one that can be dragged, and dropped upon. */
function useDragged(drag: Drag, draggable: boolean) {
  const [isTarget, setTarget] = useState(false);
  const on = {
    draggable,
    onDragStart: drag.begin,
    onDragEnd: drag.end,
    onDragOver: (event: DragEvent): void => {
      if (!drag.over()) return;
      event.preventDefault();
      setTarget(true);
    },
    onDragLeave: () => setTarget(false),
    onDrop: (event: DragEvent): void => {
      event.preventDefault();
      setTarget(false);
      drag.drop();
    },
  };
  return { isTarget, on };
}

/** E opens the editor, Alt with an arrow moves the message. */
function pressed(event: KeyboardEvent, message: QueuedMessage, store: Store): void {
  const { key, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (ctrlKey || metaKey || shiftKey) return;
  if (altKey && (key === "ArrowUp" || key === "ArrowDown")) store.moveQueued(message.id, key === "ArrowUp" ? -1 : 1);
  else if (!altKey && (key === "F2" || key.toLowerCase() === "e")) begin(message, store);
  else return;
  event.preventDefault();
}

function begin({ id, text }: QueuedMessage, store: Store): void {
  store.setUi({ edits: { ...store.state().ui.edits, [id]: { text, was: text } } });
}

interface ButtonsProps {
  readonly message: QueuedMessage;
  readonly busy: boolean;
  readonly sending: boolean;
}

function Buttons({ message, busy, sending }: ButtonsProps) {
  const { store } = useTools();
  return (
    <>
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
        name="edit"
        label={t("Edit this message (E)")}
        disabled={sending}
        onClick={() => begin(message, store)}
      />
      <IconButton
        name="close"
        label={t("Remove from the queue")}
        disabled={sending}
        onClick={() => store.answer(message.id, { type: "queue:remove", id: message.id })}
      />
    </>
  );
}

interface EditorProps {
  readonly message: QueuedMessage;
  readonly edit: QueueEdit;
  /** Gives the row the focus. */
  readonly back: () => void;
}

/** What is written is kept as it is typed: the message may be taken at any time. */
function Editor({ message: { id }, edit, back }: EditorProps) {
  const { store } = useTools();
  const field = useRef<HTMLTextAreaElement>(null);
  const keep = (text: string): void =>
    store.setUi({ edits: { ...store.state().ui.edits, [id]: { was: edit.was, text } } });
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(edit.text.length, edit.text.length);
  }, []);
  const cancel = (): void => {
    back();
    store.setUi({ edits: without(store.state().ui.edits, id) });
  };
  const save = (): void => {
    if (edit.text.trim() === "" || edit.text === edit.was) return cancel();
    back();
    store.answer(id, { type: "queue:edit", id, text: edit.text });
  };
  return (
    <div class="queue-editor">
      <textarea
        ref={field}
        rows={Math.min(Math.max(edit.text.split("\n").length, 2), 6)}
        aria-label={t("Change the waiting message")}
        value={edit.text}
        onInput={(event) => keep(event.currentTarget.value)}
        onKeyDown={(event) => {
          event.stopPropagation();
          const { key } = event;
          if (key === "Escape") cancel();
          else if (key === "Enter" && !event.shiftKey) save();
          else return;
          event.preventDefault();
        }}
      />
      <IconButton name="check" label={t("Save (Enter)")} onClick={save} />
      <IconButton name="discard" label={t("Leave it as it was (Escape)")} onClick={cancel} />
    </div>
  );
}
