// What calls have changed, and the way back: by call, by run, and the line that says that it was gone.
import type { Changes } from "../src/protocol/changes.ts";
import type { CallItem } from "../src/protocol/viewCall.ts";
import type { Turn } from "../src/protocol/viewTurn.ts";
import type { UndoItem } from "../src/protocol/viewUndo.ts";
import { useTools } from "./context.ts";
import { Button, Icon } from "./icon.tsx";
import { memo } from "./memo.ts";
import { count } from "./words.ts";

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
    <section class="changes" aria-label="Changed files">
      <h3>
        {undone
          ? "Changed files, undone by you"
          : changes.interrupted
            ? "Changed since it was interrupted"
            : "Changed files"}
        {!undone && (
          <Button
            inList
            kind="link"
            title="Undo what this call changed: you are shown what that does, and asked"
            onClick={() => store.post({ type: "changes:undo", runId, toolCallId })}
          >
            Undo
          </Button>
        )}
      </h3>
      <Files changes={changes} />
    </section>
  );
}

const signs = { added: "+", changed: "~", deleted: "−" } as const;

function Files({ changes: { files, more } }: { readonly changes: Changes }) {
  const { store } = useTools();
  return (
    <ul>
      {files.map(({ path, kind }) => (
        <li key={path} class={kind}>
          <span aria-hidden="true">{signs[kind]}</span> <span class="for-readers">{kind}</span>{" "}
          {kind === "deleted" ? (
            path
          ) : (
            <Button inList kind="link" title={`Open ${path}`} onClick={() => store.post({ type: "file:open", path })}>
              {path}
            </Button>
          )}
        </li>
      ))}
      {more > 0 && <li class="quiet">and {count(more, "other")}</li>}
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
      title="Undo what this run changed: you are shown what that does, and asked"
      onClick={() => store.post({ type: "changes:undo", runId })}
    >
      Undo {count(paths.size + more, "file")}
      {unsure && ", some by an interrupted command"}
    </Button>
  );
}

/** What an undo has done. */
export function undoWords({ redo, changes, left }: UndoItem): string {
  const files = count(changes.files.length + changes.more, "file");
  const rest = left.length === 0 ? "" : `, ${count(left.length, "file")} left as they were`;
  return redo ? `You brought back what was undone: ${files}${rest}` : `You undid the changes of ${files}${rest}`;
}

interface LineProps {
  readonly runId: string;
  readonly item: UndoItem;
}

/** One line for each undo. */
export const UndoLine = memo(function UndoLine({ runId, item }: LineProps) {
  const { store } = useTools();
  const { id: undoId, redo, changes, over } = item;
  const did = undoWords(item);
  return (
    <div
      class="notice undo"
      data-row=""
      tabIndex={-1}
      role="group"
      aria-label={did}
      title={changes.files.map(({ path }) => path).join("\n")}
    >
      <Icon name="discard" />
      <span>{did}</span>
      {!redo && !over && (
        <Button
          inList
          kind="link"
          title="Bring back what was undone: you are shown what that does, and asked"
          onClick={() => store.post({ type: "changes:undo", runId, undoId })}
        >
          Redo
        </Button>
      )}
    </div>
  );
});
