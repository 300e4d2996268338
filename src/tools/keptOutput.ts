// What is kept of a command's output: its beginning and its end, however much there is.
import { stripVTControlCharacters } from "node:util";
import { cutAfter, cutBefore } from "./cuts.ts";

export interface KeptOutput {
  add(chunk: string): void;
  /**
   * No control sequences, of a redrawn line its last state.
   * @param limit characters of the beginning, and as many of the end; absent: all that is kept
   * @param rest how what is left out can be read
   */
  text(limit?: number, rest?: string): string;
  /** The line that is being written, as it is on a screen. */
  lastLine(): string;
}

/** @param most characters kept of the beginning, and as many of the end */
export function keptOutput(most: number): KeptOutput {
  let head = "";
  let tail = "";
  let total = 0;
  return {
    add: (chunk) => {
      total += chunk.length;
      const toHead = chunk.slice(0, most - head.length);
      head += toHead;
      tail += chunk.slice(toHead.length);
      if (tail.length > 2 * most) tail = tail.slice(-most);
    },
    text: (limit = most, rest = "") => {
      const all = head + tail;
      if (total <= 2 * limit) return plainText(all);
      const [begin, end] = [all.slice(0, cutBefore(all, limit)), all.slice(cutAfter(all, all.length - limit))];
      const left = `\n[… ${total - begin.length - end.length} characters left out${rest} …]\n`;
      return plainText(begin) + left + plainText(end);
    },
    lastLine: () =>
      plainText((head + tail).slice(-200))
        .split("\n")
        .at(-1) ?? "",
  };
}

/** Text as it is read: without control sequences and control characters, and without what was overwritten. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll("\r\n", "\n")
    .replaceAll(/^.*\r(?!$)/gm, "")
    .replaceAll(/[^\P{Cc}\n\t]|\p{Cs}/gu, "");
}
