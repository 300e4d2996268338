// The list of what is to be done in a session: as the model keeps it, and what of it holds now.
import * as z from "zod";

export const Todo = z.object({ text: z.string(), state: z.enum(["open", "doing", "done"]) });
export type Todo = z.infer<typeof Todo>;

/** "2 of 5 done". */
export function doneOf(todos: readonly Todo[]): string {
  return `${todos.filter(({ state }) => state === "done").length} of ${todos.length} done`;
}

/** What is left of it, in its order. */
export function openTodos(todos: readonly Todo[]): readonly Todo[] {
  return todos.filter(({ state }) => state !== "done");
}
