// What was done about a long conversation: a summary in the place of its older part, and notes that were kept for good; and lines about undoing.
import type { CompactionItem, MemoryItem } from "../src/protocol/viewContext.ts";
import type { UndoItem } from "../src/protocol/viewUndo.ts";
import { CompactionDetails } from "./compactionDetails.tsx";
import { useFold, useTools } from "./context.ts";
import { Head } from "./head.tsx";
import { Button, Icon } from "./icon.tsx";
import { Line } from "./line.tsx";
import { memo } from "./memo.ts";
import { UndoLine } from "./undo.tsx";
import { compactionWords } from "./endWords.ts";
import { count } from "./words.ts";
import { t } from "./l10n.ts";

interface Props {
  readonly runId: string;
  readonly item: CompactionItem | MemoryItem | UndoItem;
  /** Id of the compaction that the model reads; null: none. */
  readonly inUse: string | null;
}

export function ContextRow({ runId, item, inUse }: Props) {
  if (item.kind === "undo") return <UndoLine runId={runId} item={item} />;
  if (item.kind === "memory") return <MemoryLine item={item} />;
  if (item.state === "working") return <Working item={item} />;
  return <CompactionRow runId={runId} item={item} inUse={item.id === inUse} />;
}

interface MemoryProps {
  readonly item: MemoryItem;
}

const MemoryLine = memo(function MemoryLine({ item }: MemoryProps) {
  const { store } = useTools();
  const { notes } = item;
  return (
    <Line kind="memory" icon="bookmark" label={t("Memory updated")} title={notes.join("\n")}>
      <span>
        {notes.length > 1
          ? count("Memory updated: {0} note", "Memory updated: {0} notes", notes.length)
          : t("Memory updated")}
      </span>
      <Button
        inList
        kind="link"
        title={t("Open MEMORY.md")}
        onClick={() => store.post({ type: "command:run", command: "openMemory" })}
      >
        {t("Open")}
      </Button>
    </Line>
  );
});

interface WorkingProps {
  readonly item: CompactionItem;
}

function Working({ item }: WorkingProps) {
  return (
    <div class="now" data-row="" tabIndex={-1} role="group" aria-label={t("Making room")}>
      <Icon name="loading" class="state spin" />
      <span>{compactionWords(item)}</span>
    </div>
  );
}

interface RowProps {
  readonly runId: string;
  readonly item: CompactionItem;
  readonly inUse: boolean;
}

const CompactionRow = memo(function CompactionRow({ runId, item, inUse }: RowProps) {
  const key = `${runId}/${item.id}`;
  const [open, toggle] = useFold(key, false);
  const details = `details-${key}`;
  const note = noteOf(item, inUse);
  return (
    <div class={inUse ? "call compaction" : "call compaction past"}>
      <Head
        open={open}
        toggle={toggle}
        details={details}
        title={count(
          "The model reads this in the place of {0} message",
          "The model reads this in the place of {0} messages",
          item.messages,
        )}
      >
        <Icon name="fold" class="state" />
        <span class="call-words">
          <span>{compactionWords(item)}</span> {note !== "" && <span class="call-note">{note}</span>}
        </span>
      </Head>
      {open && <CompactionDetails id={details} item={item} inUse={inUse} />}
    </div>
  );
});

/** What a person has made of it, or what has come in its place. */
function noteOf({ state, edited }: CompactionItem, inUse: boolean): string {
  if (state === "undone") return t("undone by you");
  return [...(edited ? [t("edited by you")] : []), ...(inUse ? [] : [t("replaced by a later one")])].join(", ");
}
