// The list of to-dos as a person changes it: written down as a line of its own, which the model is told of with its next request.
import type { LoopEvent } from "../protocol/events.ts";
import type { TodosEntry } from "../protocol/messages.ts";
import { todosChanged } from "../protocol/replay.ts";
import type { Todo } from "../protocol/todos.ts";
import type { Ports } from "./ports.ts";
import type { Progress } from "./progress.ts";
import { timestamp, type Running } from "./running.ts";

/**
 * Writes down what the person has made of the list since the last time. A call of the reply that has just ended could not know of
 * it: behind that call, the person's words are the newer ones and count. Every later call comes from a model that has read them.
 */
export function takeTodos(progress: Progress, run: Running): void {
  const entry = recordTodos(run);
  if (entry) progress.entries.push(entry);
}

/** Writes it down where no model will read it any more: the run has failed. Null: nothing was changed. */
export function recordTodos({
  runId,
  ports,
  emit,
  record,
  steering,
}: Pick<Running, "runId" | "ports" | "emit" | "record" | "steering">): TodosEntry | null {
  const todos = steering.kept();
  if (!todos) return null;
  const entry = lineOf(todos, runId, ports);
  emit(todosChanged(entry));
  void record(entry, { durable: true });
  return entry;
}

/**
 * Writes down what the person has made of the list between two runs, under the session's lock.
 * @param runId of the run that the list is shown with
 * @returns what is to be told of it
 * @throws LoopError `session_busy`, `session_not_found`, `disk_write`
 */
export async function keepTodos(
  { sessionId, runId, todos }: { readonly sessionId: string; readonly runId: string; readonly todos: readonly Todo[] },
  ports: Ports,
): Promise<LoopEvent> {
  const session = await ports.sessions.open(sessionId, { create: false, runId: ports.ids() });
  try {
    const entry = lineOf(todos, runId, ports);
    await session.append([entry], { durable: true });
    return todosChanged(entry);
  } finally {
    await session.release();
  }
}

function lineOf(todos: readonly Todo[], runId: string, ports: Ports): TodosEntry {
  return { type: "todos", id: ports.ids(), runId, timestamp: timestamp(ports), todos: [...todos] };
}
