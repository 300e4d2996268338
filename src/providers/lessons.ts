// What refusals have taught of models, kept for as long as its owner lives: a new run does not send what is known to be refused.
import { usual, type Shape } from "./openaiChatShape.ts";
import { all, type Accepted } from "./openaiResponsesRequest.ts";
import type { Change } from "./refusedOptions.ts";

/** Of one model of one endpoint; grows while it is asked. */
export interface Lessons {
  /** Options that it does not take. */
  changes: readonly Change[];
  /** How it wants a conversation, on Chat Completions. */
  shape: Shape;
  /** What it takes of a conversation, on Responses. */
  accepted: Accepted;
}

/** By provider, address and model: of any other nothing is known. */
export type LessonBook = Map<string, Lessons>;

/** Those of one model, which what is learnt next is added to. */
export function lessonsOf(book: LessonBook, where: readonly string[]): Lessons {
  const key = JSON.stringify(where);
  const lessons = book.get(key) ?? { changes: [], shape: usual, accepted: all };
  book.set(key, lessons);
  return lessons;
}
