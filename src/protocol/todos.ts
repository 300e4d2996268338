// One thing that is to be done in a session, as the model keeps it in its list.
import * as z from "zod";

export const Todo = z.object({ text: z.string(), state: z.enum(["open", "doing", "done"]) });
export type Todo = z.infer<typeof Todo>;
