// A summary in full, what the model reads word for word beside it, and what a person can do about it: rewrite or undo it.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { CarriedPart } from "../src/protocol/messages.ts";
import type { CompactionItem } from "../src/protocol/viewContext.ts";
import { Clamped } from "./clamped.tsx";
import { useTools } from "./context.ts";
import { Button, IconButton } from "./icon.tsx";
import { isMac } from "./keys.ts";
import { Markdown } from "./markdownView.tsx";
import { without } from "./ui.ts";
import { number } from "./words.ts";
import { t } from "./l10n.ts";

interface Props {
  readonly id: string;
  readonly item: CompactionItem;
  /** It is what the model reads: only then is there anything to change. */
  readonly inUse: boolean;
}

export function CompactionDetails({ id, item, inUse }: Props) {
  const { store } = useTools();
  const [draft, write] = useDraft(item);
  const box = useRef<HTMLDivElement>(null);
  const leave = (): void => {
    write(null);
    // The field that had the focus goes.
    box.current?.parentElement?.querySelector<HTMLElement>("[data-row]")?.focus();
  };
  // What was written goes when it has been taken over, and what a person looks at by then keeps the focus.
  const shown = useRef(item.summary);
  useEffect(() => {
    if (shown.current !== item.summary && draft?.trim() === item.summary) {
      if (box.current?.contains(document.activeElement)) leave();
      else write(null);
    }
    shown.current = item.summary;
  });
  const save = (text: string): void => {
    if (text.trim() === item.summary) leave();
    else if (text.trim() !== "") store.answer(item.id, { type: "context:edit", compactionId: item.id, summary: text });
  };
  const editing = draft !== null && inUse;
  return (
    <div class="details" id={id} ref={box}>
      {item.instructions !== null && <p class="quiet">{t("You asked of it: {0}", item.instructions)}</p>}
      <section>
        <h3>
          {t("Summary")}
          <IconButton
            name="copy"
            label={t("Copy the summary")}
            onClick={() => store.post({ type: "text:copy", text: item.summary })}
          />
        </h3>
        {editing ? <Editor text={draft} onInput={write} onSave={save} onCancel={leave} /> : <Summary item={item} />}
      </section>
      {inUse && !editing && <Actions item={item} onEdit={() => write(item.summary)} onLeave={leave} />}
      <Carried id={id} item={item} />
    </div>
  );
}

/** The summary that is being written, which outlives the panel; null while none is. */
function useDraft({ id }: CompactionItem): readonly [string | null, (text: string | null) => void] {
  const { store } = useTools();
  const [draft, set] = useState<string | null>(() => store.state().ui.summaries[id] ?? null);
  const write = (text: string | null): void => {
    set(text);
    const { summaries } = store.state().ui;
    store.setUi({ summaries: text === null ? without(summaries, id) : { ...summaries, [id]: text } });
  };
  return [draft, write];
}

interface ItemProps {
  readonly item: CompactionItem;
}

function Summary({ item }: ItemProps) {
  return <Markdown text={item.summary} settled />;
}

interface ActionsProps extends ItemProps {
  readonly onEdit: () => void;
  /** The buttons go: the focus goes to the row. */
  readonly onLeave: () => void;
}

function Actions({ item, onEdit, onLeave }: ActionsProps) {
  const { store } = useTools();
  const undo = (): void => {
    store.answer(item.id, { type: "context:undo", compactionId: item.id });
    onLeave();
  };
  return (
    <div class="decisions">
      <Button inList title={t("Write in your own words what the model reads")} onClick={onEdit}>
        {t("Edit summary")}
      </Button>
      <Button inList title={t("Let the model read the earlier messages again")} onClick={undo}>
        {t("Undo")}
      </Button>
    </div>
  );
}

interface EditorProps {
  readonly text: string;
  readonly onInput: (text: string) => void;
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

function Editor({ text, onInput, onSave, onCancel }: EditorProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const keys = `${isMac() ? "⌘" : t("Ctrl")}+Enter`;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") onCancel();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onSave(text);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="form" onKeyDown={onKeyDown}>
      <textarea
        ref={field}
        rows={6}
        value={text}
        aria-label={t("Summary that the model reads")}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <div class="form-buttons">
        <Button kind="primary" title={t("Save ({0})", keys)} disabled={text.trim() === ""} onClick={() => onSave(text)}>
          {t("Save")}
        </Button>
        <Button title={t("Leave the summary as it is (Esc)")} onClick={onCancel}>
          {t("Cancel")}
        </Button>
      </div>
    </div>
  );
}

const headings: Readonly<Record<CarriedPart["kind"], string>> = {
  message: t("Your messages"),
  refusal: t("What you refused"),
  change: t("What you changed"),
  file: t("Files that were written"),
  todo: t("Open to-dos"),
};
const kinds: readonly CarriedPart["kind"][] = ["message", "refusal", "change", "file", "todo"];

interface CarriedProps extends ItemProps {
  readonly id: string;
}

/** What no summary can lose: it is beside it, as it was written. */
function Carried({ id, item }: CarriedProps) {
  const { carried, leftOut } = item;
  if (carried.length === 0 && leftOut === 0) return null;
  return (
    <section class="carried" aria-label={t("Kept word for word")}>
      <h3>{t("Kept word for word")}</h3>
      <dl class="arguments">
        {kinds.map((kind) => (
          <CarriedKind
            key={kind}
            id={`${id}-${kind}`}
            kind={kind}
            parts={carried.filter((part) => part.kind === kind)}
          />
        ))}
      </dl>
      {leftOut > 0 && <p class="quiet">{t("{0} more had no room.", number(leftOut))}</p>}
    </section>
  );
}

interface KindProps {
  readonly id: string;
  readonly kind: CarriedPart["kind"];
  readonly parts: readonly CarriedPart[];
}

function CarriedKind({ id, kind, parts }: KindProps) {
  if (parts.length === 0) return null;
  return (
    <div class="argument long">
      <dt>{headings[kind]}</dt>
      {parts.map((part) => (
        <dd key={part.id}>
          <Clamped id={`${id}-${part.id}`} text={part.text} end="first" lines={4} />
        </dd>
      ))}
    </div>
  );
}
