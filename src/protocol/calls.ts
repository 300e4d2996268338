// A call as a person sees it: in words, and what it would do.
import * as z from "zod";

/** A call in words: "Edit" and "src/price.js". */
export const Label = z.object({ verb: z.string(), subject: z.string() });
export type Label = z.infer<typeof Label>;

/** What a call would do, in a form that can be drawn before it is done. */
export const Preview = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("diff"),
    path: z.string(),
    /** Unified diff of the one file; `""` when the file would not change. */
    patch: z.string(),
    added: z.number(),
    removed: z.number(),
    created: z.boolean(),
  }),
  z.object({
    kind: z.literal("command"),
    command: z.string(),
    cwd: z.string(),
    /** It can change nothing outside of the workspace, and reach nothing. */
    confined: z.boolean().optional(),
  }),
  z.object({ kind: z.literal("text"), text: z.string() }),
]);
export type Preview = z.infer<typeof Preview>;
