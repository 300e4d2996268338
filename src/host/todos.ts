// What a person does to the to-dos of the open session: the run that goes on is told, or the transcript; kept until it is written down.
import { keepTodos } from "../engine/todos.ts";
import type { TodoEdit } from "../protocol/todos.ts";
import { editedTodos, listIn } from "../protocol/viewTodos.ts";
import type { Turn } from "../protocol/viewTurn.ts";
import type { ChatOptions } from "./chat.ts";
import type { Dispatch, DispatchedRun } from "./dispatch.ts";
import { editedAgain, withoutEdits } from "./queue.ts";

/** @throws LoopError `session_busy`, `session_not_found`, `disk_write` */
export async function editTodos(
  { fold, workspace, queues, ids }: Pick<ChatOptions, "fold" | "workspace" | "queues" | "ids">,
  dispatch: Pick<Dispatch, "keepTodos" | "change">,
  edit: TodoEdit,
): Promise<void> {
  const { turns, session } = fold.view();
  const list = listIn(turns);
  const runId = begunIn(turns);
  const sessionId = session.id;
  if (!list || runId === undefined || sessionId === null) return;
  const todos = editedTodos(list, edit);
  if (todos === list) return;
  // Shown at once: the run writes it down between two requests, and that can take a while.
  if (dispatch.keepTodos(edit, todos))
    return fold.event({ type: "todos:changed", runId, todosId: ids(), todos: [...todos] });
  const about = { sessionId, runId, todos };
  fold.event(await dispatch.change(() => keepTodos(about, workspace.open().composition.ports)));
  // What was kept for a run is in this list.
  queues.set(sessionId, withoutEdits(queues.of(sessionId)));
}

/** Makes the edits again that no run came to write down, in the session that is opened. */
export function showEdited({ fold, queues, ids }: Pick<ChatOptions, "fold" | "queues" | "ids">): void {
  const { turns, session } = fold.view();
  const list = listIn(turns);
  const todos = editedAgain(queues.of(session.id), list);
  const runId = begunIn(turns);
  if (todos && todos !== list && runId !== undefined)
    fold.event({ type: "todos:changed", runId, todosId: ids(), todos: [...todos] });
}

/** The last run that is written down: one that waits for its turn may never begin, and what is said of it is not shown again. */
function begunIn(turns: readonly Turn[]): string | undefined {
  return (turns.findLast(({ agent, edits }) => agent !== "" || edits) ?? turns.at(-1))?.runId;
}

/** Gives a run that begins the edits that none before it came to write down. */
export function handTodos(
  { fold, queues }: Pick<ChatOptions, "fold" | "queues">,
  run: Pick<DispatchedRun, "sessionId" | "keepTodos">,
): void {
  const { todos } = queues.of(run.sessionId);
  if (todos) run.keepTodos(listIn(fold.view().turns) ?? todos.list);
}
