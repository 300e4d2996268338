// update_todos: the list of what is to be done, for the person to see and for the model itself to keep to.
import * as z from "zod";
import type { Tool } from "../engine/ports.ts";
import { Todo } from "../protocol/todos.ts";
import { doneOf, mostTodos as most } from "../protocol/viewTodos.ts";
import { defineTool, succeeded, touching } from "./tool.ts";

/** Nothing is kept but the call itself: the newest one in the transcript is the list. */
export function updateTodosTool(): Tool {
  const tool = defineTool({
    name: "update_todos",
    description:
      "Replaces the to-do list that the person sees. For work of several steps: send the whole list when you begin and whenever a state changes, with at most one to-do in the state doing. Leave it out for small tasks.",
    effect: "read",
    schema: z.strictObject({
      todos: z
        .array(
          z.strictObject({
            text: z.string().trim().min(1).max(most.characters),
            state: Todo.shape.state,
          }),
        )
        .max(most.todos)
        .describe("All of them, in order"),
    }),
    label: () => ({ verb: "Update", subject: "to-dos" }),
    touches: () => touching({}),
    prepare: ({ todos }) =>
      Promise.resolve({
        preview: { kind: "todos", todos },
        run: () => Promise.resolve(succeeded(`The list is kept: ${doneOf(todos)}.`)),
      }),
  });
  return { ...tool, spare: true };
}
