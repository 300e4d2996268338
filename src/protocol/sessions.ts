// What the page of sessions shows of each, and what a person does to one there.
import * as z from "zod";

/**
 * What goes on in a session: this window works in it, or waits for the person; another window or program has it; its last
 * run has no end.
 */
export type SessionState = "running" | "waiting" | "elsewhere" | "unfinished";

export interface SessionRow {
  readonly id: string;
  /** `""`: nobody has said anything that could be one. */
  readonly title: string;
  /** When it was last used; of a deleted one, when it was deleted. ISO. */
  readonly at: string;
  readonly agent: string | null;
  readonly model: string | null;
  readonly messages: number;
  /** US dollars; absent: not known. */
  readonly cost?: number;
  readonly pinned: boolean;
  /** Null: nothing that a person would have to know. */
  readonly state: SessionState | null;
  /** The panel shows it. */
  readonly open: boolean;
  /** Where the searched words stand in it; absent: in its title, or nothing is searched. */
  readonly found?: {
    readonly by: "user" | "assistant" | "tool" | "call";
    readonly excerpt: string;
    readonly at: SoughtPlace;
  };
}

/** What was found in a session: the run, and of it the message or call, by id; and the words that stand there. */
export const Sought = z.object({ runId: z.string(), item: z.string(), words: z.string().max(1_000) });
export type Sought = z.infer<typeof Sought>;
export type SoughtPlace = Pick<Sought, "runId" | "item">;

/** What is looked for in the open session. */
export const FindAsked = z.object({
  /** Of the question: its answers carry it. */
  number: z.number(),
  /** `""`: nothing any more. */
  text: z.string().max(1_000),
  /** The last that the reader sees, or what they are taken to already; absent: as before. */
  reader: Sought.pick({ runId: true, item: true }).exactOptional(),
  /** What is nearest to the reader is to be shown. */
  go: z.boolean(),
});
export type FindAsked = z.infer<typeof FindAsked>;

/** How much was found: messages and calls, each once. */
export interface FindAnswer {
  readonly number: number;
  readonly count: number;
  /** There are others, farther up. */
  readonly more: boolean;
  /** Which of them is shown, from 1; the last one of the conversation is the first. 0: none. */
  readonly at: number;
}

/** What is listed. */
export const SessionsAsked = z.object({
  /** Of the question: answers carry it. */
  number: z.number(),
  /** What titles and texts are searched for; `""`: all. */
  text: z.string().max(1_000),
  /** Those in the trash, by their titles. */
  deleted: z.boolean(),
});
export type SessionsAsked = z.infer<typeof SessionsAsked>;

export const SessionAct = z.enum(["open", "rename", "fork", "markdown", "json", "delete", "restore"]);
export type SessionAct = z.infer<typeof SessionAct>;

/** An answer, or a part of it: rows that are new or have changed, and ids of those that are gone. */
export interface SessionsFound {
  readonly number: number;
  readonly rows: readonly SessionRow[];
  readonly gone: readonly string[];
  /** Everything was looked at. */
  readonly done: boolean;
}
