// Hands output on a few times a second at most: a flood of it must not stop the editor.
import { cutAfter } from "./cuts.ts";

export interface LiveOutput {
  add(chunk: string): void;
  /** Hands on what is left; nothing comes after it. */
  end(): void;
}

const interval = 50;
const mostAtOnce = 64 * 1024;

/** @param show receives the chunks; of what comes faster than it can be read, only the end */
export function liveOutput(show: (chunk: string) => void): LiveOutput {
  let waiting = "";
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  const flush = (): void => {
    timer = undefined;
    const chunk = waiting;
    waiting = "";
    if (chunk !== "") show(chunk);
  };
  return {
    add: (chunk) => {
      if (ended) return;
      waiting += chunk;
      if (waiting.length > 2 * mostAtOnce) waiting = endOf(waiting);
      timer ??= setTimeout(flush, interval);
    },
    end: () => {
      ended = true;
      clearTimeout(timer);
      flush();
    },
  };
}

/** The end in whole lines, after the line that was begun before: the half of a secret is not known for one. */
function endOf(text: string): string {
  return text.slice(0, cutAfter(text, 0)) + text.slice(cutAfter(text, text.length - mostAtOnce));
}
