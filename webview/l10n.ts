// The panel's words in the language of the editor: English stands in the sources, another language comes with the page.
import { filled, inTold } from "../src/protocol/viewTold.ts";
import type { PageWords } from "../src/protocol/viewTold.ts";

declare global {
  /** Set by the page before any script is loaded; an English one sets nothing. */
  var brainWords: PageWords | undefined;
}

const words = globalThis.brainWords;

export const language = words?.language ?? "en";

/**
 * Words that a person reads.
 * @param english the words in English, written out where they are used: that is how a test finds them
 * @param values what stands for `{0}`, `{1}` …
 */
export function t(english: string, ...values: readonly (string | number)[]): string {
  return filled(words?.panel[english] ?? english, values);
}

/** A sentence that came as data, where it is one of those that are known; else as it is. */
export function told(sentence: string): string {
  return words ? inTold(words.told, sentence) : sentence;
}
