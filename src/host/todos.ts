// What a person does to the to-dos of the open session: the run that goes on is told, or the transcript.
import { keepTodos } from "../engine/todos.ts";
import type { TodoEdit } from "../protocol/todos.ts";
import { editedTodos, listIn } from "../protocol/viewTodos.ts";
import type { ChatOptions } from "./chat.ts";
import type { Dispatch } from "./dispatch.ts";

/** @throws LoopError `session_busy`, `session_not_found`, `disk_write` */
export async function editTodos(
  { fold, workspace, ids }: Pick<ChatOptions, "fold" | "workspace" | "ids">,
  dispatch: Pick<Dispatch, "keepTodos" | "change">,
  edit: TodoEdit,
): Promise<void> {
  const { turns, session } = fold.view();
  const list = listIn(turns);
  const runId = turns.at(-1)?.runId;
  if (!list || runId === undefined || session.id === null) return;
  const todos = editedTodos(list, edit);
  if (todos === list) return;
  // Shown at once: the run writes it down between two requests, and that can take a while.
  if (dispatch.keepTodos(todos)) fold.event({ type: "todos:changed", runId, todosId: ids(), todos: [...todos] });
  else {
    const about = { sessionId: session.id, runId, todos };
    fold.event(await dispatch.change(() => keepTodos(about, workspace.open().composition.ports)));
  }
}
