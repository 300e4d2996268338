// A call as a person sees it: in words, and what it would do.
import * as z from "zod";
import { Todo } from "./todos.ts";

/** A call in words: "Edit" and "src/price.js". */
export const Label = z.object({ verb: z.string(), subject: z.string() });
export type Label = z.infer<typeof Label>;

const fileDiff = z.object({
  path: z.string(),
  /** Where the file goes with it. */
  to: z.string().optional(),
  /** Unified diff of the one file; `""` when its text would not change. */
  patch: z.string(),
  added: z.number(),
  removed: z.number(),
  created: z.boolean(),
  deleted: z.boolean().optional(),
});
/** What would become of one file. */
export type FileDiff = z.infer<typeof fileDiff>;

/** What a call would do, in a form that can be drawn before it is done. */
export const Preview = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("diff"), ...fileDiff.shape }),
  z.object({ kind: z.literal("diffs"), files: z.array(fileDiff) }),
  z.object({
    kind: z.literal("command"),
    command: z.string(),
    cwd: z.string(),
    /** It will run inside the sandbox. Absent: not known, as in older records. */
    confined: z.boolean().optional(),
    /** Why it will run outside, for a person: because the model wishes it, or because there is no sandbox. */
    unconfined: z.object({ by: z.enum(["model", "system"]), why: z.string() }).optional(),
  }),
  /** A host that a call wants to reach. */
  z.object({ kind: z.literal("host"), host: z.string(), port: z.number() }),
  z.object({
    kind: z.literal("request"),
    /** With its port, where that is not the usual one. */
    host: z.string(),
    /** All that will be sent, but for a key and for values that only the agent's file knows. */
    text: z.string(),
  }),
  z.object({
    kind: z.literal("text"),
    text: z.string(),
    /** What it would change, where a rule may speak of each. */
    paths: z.array(z.string()).optional(),
  }),
  /** The whole list as it will be. */
  z.object({ kind: z.literal("todos"), todos: z.array(Todo) }),
]);
export type Preview = z.infer<typeof Preview>;

/** One place of a proposed change, to be taken or left by itself. */
export interface ReviewedHunk {
  readonly id: string;
  readonly state: "open" | "accepted" | "rejected";
  /** Lines of a unified diff with their signs and a little of what stands around them; the first ones only of many. */
  readonly lines: readonly string[];
  /** Lines of it that are not among `lines`. */
  readonly more: number;
  /** Line number of the first of `lines`, in the file as it is. */
  readonly at: number;
  /** What the person said of it. */
  readonly comment?: string;
  /** What becomes of the file that it is in, where the change is one of several files. */
  readonly file?: string;
}

/** Where a person stands with a proposed change; the same in the panel and in the editor. */
export interface Review {
  /** The first ones of very many. */
  readonly hunks: readonly ReviewedHunk[];
  /** How many there are in all. */
  readonly count: number;
  /** The person has written into it. */
  readonly typed: boolean;
}
