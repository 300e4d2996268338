// What is kept of a command's output: its beginning and its end, however much there is.
import { stripVTControlCharacters } from "node:util";

export interface KeptOutput {
  add(chunk: string): void;
  /** For the model: no control sequences, of a redrawn line its last state. */
  text(): string;
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
    text: () => {
      const end = tail.slice(-most);
      const left = total - head.length - end.length;
      return plain(head) + (left > 0 ? `\n[… ${left} characters left out …]\n` : "") + plain(end);
    },
  };
}

function plain(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll("\r\n", "\n")
    .replaceAll(/^.*\r(?!$)/gm, "")
    .replaceAll(/[^\P{Cc}\n\t]|\p{Cs}/gu, "");
}
