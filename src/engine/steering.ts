// Messages that a person sends into a run: kept until the model's next request, and handed back when there is none.
import type { ContentPart } from "../protocol/messages.ts";

export interface Steered {
  readonly content: string;
  readonly parts?: readonly ContentPart[] | undefined;
}

export interface Steering {
  /** False when the run reads no more. */
  push(message: Steered): boolean;
  /** Everything sent since the last time, oldest first. */
  take(): readonly Steered[];
  /** From now on nothing is taken any more. @returns what was not read */
  close(): readonly string[];
}

export function createSteering(): Steering {
  let waiting: Steered[] = [];
  let open = true;
  const take = (): readonly Steered[] => {
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
      return take().map(({ content }) => content);
    },
  };
}
