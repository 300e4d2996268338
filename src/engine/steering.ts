// What a person sends into a run: kept until the model's next request. Messages are handed back when there is none.
import type { ContentPart } from "../protocol/messages.ts";
import type { Todo } from "../protocol/todos.ts";

export interface Steered {
  readonly content: string;
  readonly parts?: readonly ContentPart[] | undefined;
}

export interface Steering {
  /** False when the run reads no more. */
  push(message: Steered): boolean;
  /** Everything sent since the last time, oldest first. */
  take(): readonly Steered[];
  /** The list of to-dos as the person has made it last. False when the run reads no more. */
  keep(todos: readonly Todo[]): boolean;
  /** That list, once; null: it was not changed since the last time. */
  kept(): readonly Todo[] | null;
  /** From now on nothing is taken any more. @returns what was not read */
  close(): readonly string[];
}

export function createSteering(): Steering {
  let waiting: Steered[] = [];
  let list: readonly Todo[] | null = null;
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
    keep(todos) {
      if (open) list = todos;
      return open;
    },
    kept() {
      const todos = list;
      list = null;
      return todos;
    },
    close() {
      open = false;
      return take().map(({ content }) => content);
    },
  };
}
