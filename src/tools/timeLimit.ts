// A time limit that stands still while a person is asked.

export interface TimeLimit {
  pause(): void;
  resume(): void;
  clear(): void;
}

/** @param milliseconds of work after which `reached` is called, once */
export function timeLimit(milliseconds: number, reached: () => void): TimeLimit {
  let left = milliseconds;
  let since = Date.now();
  let timer: NodeJS.Timeout | undefined = setTimeout(reached, left);
  return {
    pause() {
      if (timer === undefined) return;
      clearTimeout(timer);
      timer = undefined;
      left -= Date.now() - since;
    },
    resume() {
      if (timer !== undefined) return;
      since = Date.now();
      timer = setTimeout(reached, Math.max(0, left));
    },
    clear: () => clearTimeout(timer),
  };
}
