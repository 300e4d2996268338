// One thing that is to be done in a session, as the model and the person keep it in their list.
import * as z from "zod";
import { mostTodos } from "./viewTodos.ts";

export const Todo = z.object({ text: z.string(), state: z.enum(["open", "doing", "done"]) });
export type Todo = z.infer<typeof Todo>;

/**
 * What a person does to one of them: `was` where they saw it and its text, null for a new one; `now` what becomes of it, null
 * when it goes.
 */
export const TodoEdit = z.object({
  was: z.object({ at: z.number().int().nonnegative(), text: z.string() }).nullable(),
  now: Todo.extend({ text: z.string().trim().min(1).max(mostTodos.characters) }).nullable(),
});
export type TodoEdit = z.infer<typeof TodoEdit>;
