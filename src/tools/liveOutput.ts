// Hands output on a few times a second at most: a flood of it must not stop the editor.

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
      waiting = (waiting + chunk).slice(-mostAtOnce);
      timer ??= setTimeout(flush, interval);
    },
    end: () => {
      ended = true;
      clearTimeout(timer);
      flush();
    },
  };
}
