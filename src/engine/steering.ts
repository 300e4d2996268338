// Messages that a person sends into a run: kept until the model's next request, and handed back when there is none.

export interface Steering {
  /** False when the run reads no more. */
  push(message: string): boolean;
  /** Everything sent since the last time, oldest first. */
  take(): readonly string[];
  /** From now on nothing is taken any more. @returns what was not read */
  close(): readonly string[];
}

export function createSteering(): Steering {
  let waiting: string[] = [];
  let open = true;
  const take = (): readonly string[] => {
    const taken = waiting;
    waiting = [];
    return taken;
  };
  return {
    push(message) {
      if (open) waiting.push(message);
      return open;
    },
    take,
    close() {
      open = false;
      return take();
    },
  };
}
