// What calls touch and change, as the transcript keeps it.
import * as z from "zod";

/** What calls on one resource are kept in order by; what is left out is empty. */
export const Touched = z.object({
  reads: z.array(z.string()).optional(),
  writes: z.array(z.string()).optional(),
  runs: z.literal(true).optional(),
});
export type Touched = z.infer<typeof Touched>;

const FileChange = z.object({ path: z.string(), kind: z.enum(["added", "changed", "deleted"]) });
/** What became of one file; the path is relative to the workspace. */
type FileChange = z.infer<typeof FileChange>;

/** What a call has changed, or an undo. */
export const Changes = z.object({
  files: z.array(FileChange),
  /** Files beyond those that are named. */
  more: z.number(),
  /** The command was interrupted, so that others may have changed some of them. */
  interrupted: z.boolean().optional(),
});
export type Changes = z.infer<typeof Changes>;
