// What calls have changed, and the way back: by call, by run, and the line that says that it was gone.
import type { Changes } from "../src/protocol/changes.ts";
import type { CallItem } from "../src/protocol/viewCall.ts";
import type { Turn } from "../src/protocol/viewTurn.ts";
import type { UndoItem } from "../src/protocol/viewUndo.ts";
import { useTools } from "./context.ts";
import { Button } from "./icon.tsx";
import { Line } from "./line.tsx";
import { memo } from "./memo.ts";
import { count } from "./words.ts";
import { t } from "./l10n.ts";

interface CallProps {
  readonly runId: string;
  readonly call: CallItem;
}

/** The files that one call has changed. */
export function CallChanges({ runId, call }: CallProps) {
  const { store } = useTools();
  const { changes, undone, id: toolCallId } = call;
  if (!changes) return null;
  return (
    <section class="changes" aria-label={t("Changed files")}>
      <h3>
        {undone
          ? t("Changed files, undone by you")
          : changes.interrupted
            ? t("Changed since it was interrupted")
            : t("Changed files")}
        {!undone && (
          <Button
            inList
            kind="link"
            title={t("Undo what this call changed: you are shown what that does, and asked")}
            onClick={() => store.post({ type: "changes:undo", runId, toolCallId })}
          >
            {t("Undo")}
          </Button>
        )}
      </h3>
      <Files changes={changes} />
    </section>
  );
}

const signs = { added: "+", changed: "~", deleted: "−" } as const;
const kinds = { added: t("added"), changed: t("changed"), deleted: t("deleted") };

function Files({ changes: { files, more } }: { readonly changes: Changes }) {
  const { store } = useTools();
  return (
    <ul>
      {files.map(({ path, kind }) => (
        <li key={path} class={kind}>
          <span aria-hidden="true">{signs[kind]}</span> <span class="for-readers">{kinds[kind]}</span>{" "}
          {kind === "deleted" ? (
            path
          ) : (
            <Button
              inList
              kind="link"
              title={t("Open {0}", path)}
              onClick={() => store.post({ type: "file:open", path })}
            >
              {path}
            </Button>
          )}
        </li>
      ))}
      {more > 0 && <li class="quiet">{count("and {0} other", "and {0} others", more)}</li>}
    </ul>
  );
}

interface RunProps {
  readonly turn: Turn;
}

/** Beside how a run ended: the way back for all that it changed. */
export function UndoRun({ turn: { runId, items } }: RunProps) {
  const { store } = useTools();
  const calls = items.filter((item): item is CallItem => item.kind === "call" && item.changes !== null && !item.undone);
  if (calls.length === 0) return null;
  const paths = new Set(calls.flatMap(({ changes }) => changes?.files.map(({ path }) => path) ?? []));
  const more = calls.reduce((sum, { changes }) => sum + (changes?.more ?? 0), 0);
  const unsure = calls.some(({ changes }) => changes?.interrupted);
  return (
    <Button
      row
      kind="link"
      title={t("Undo what this run changed: you are shown what that does, and asked")}
      onClick={() => store.post({ type: "changes:undo", runId })}
    >
      {unsure
        ? count(
            "Undo {0} file, some by an interrupted command",
            "Undo {0} files, some by an interrupted command",
            paths.size + more,
          )
        : count("Undo {0} file", "Undo {0} files", paths.size + more)}
    </Button>
  );
}

/** What an undo has done. */
export function undoWords({ redo, changes, left, places }: UndoItem): string {
  if (places !== null)
    return count("You undid {0} place of {1}", "You undid {0} places of {1}", places, changes.files[0]?.path ?? "");
  const files = changes.files.length + changes.more;
  const did = redo
    ? count("You brought back what was undone: {0} file", "You brought back what was undone: {0} files", files)
    : count("You undid the changes of {0} file", "You undid the changes of {0} files", files);
  if (left.length === 0) return did;
  return `${did}, ${count("{0} file left as they were", "{0} files left as they were", left.length)}`;
}

interface LineProps {
  readonly runId: string;
  readonly item: UndoItem;
}

/** One line for each undo. */
export const UndoLine = memo(function UndoLine({ runId, item }: LineProps) {
  const { store } = useTools();
  const { id: undoId, redo, changes, over, places } = item;
  const did = undoWords(item);
  return (
    <Line kind="undo" icon="discard" label={did} title={changes.files.map(({ path }) => path).join("\n")}>
      <span>{did}</span>
      {!redo && !over && places === null && (
        <Button
          inList
          kind="link"
          title={t("Bring back what was undone: you are shown what that does, and asked")}
          onClick={() => store.post({ type: "changes:undo", runId, undoId })}
        >
          {t("Redo")}
        </Button>
      )}
    </Line>
  );
});
