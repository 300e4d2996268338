// What the model of one session does not have yet, messages and edits of the to-dos, as values: nothing here knows of runs or of the disk.
import * as z from "zod";
import { loopDefaults } from "../protocol/config.ts";
import { LoopError } from "../protocol/errors.ts";
import type { QueuedMessage } from "../protocol/events.ts";
import { ContentPart } from "../protocol/messages.ts";
import { Todo, TodoEdit } from "../protocol/todos.ts";
import { shownParts } from "../protocol/viewParts.ts";
import { editedTodos } from "../protocol/viewTodos.ts";

const Stored = z.object({ id: z.string(), text: z.string(), parts: z.array(ContentPart).readonly().exactOptional() });
/** A message with what goes with it. */
export type Stored = z.infer<typeof Stored>;
const StoredTodos = z.object({ edits: z.array(TodoEdit).readonly(), list: z.array(Todo).readonly() });
const StoredWaiting = z.object({
  queue: z.array(Stored),
  sending: z.array(Stored),
  todos: StoredTodos.exactOptional(),
});

/** Every message is in one of the first two, and in it once. */
export interface Waiting {
  /** What a person sees waiting, in the order in which it will be sent. */
  readonly queue: readonly Stored[];
  /** On its way into a run: kept until it is in the transcript. */
  readonly sending: readonly Stored[];
  /** What a person did to the to-dos that is not in the transcript yet, and the list as it became. */
  readonly todos?: z.infer<typeof StoredTodos>;
}

export const nothingWaits: Waiting = { queue: [], sending: [] };

/**
 * Reads what an earlier window left behind. What was on its way there may not have arrived: it waits again.
 * @returns nothing where it cannot be read
 */
export function restoredFrom(stored: unknown): Waiting {
  const { data } = StoredWaiting.safeParse(stored);
  return data ? returned(data) : nothingWaits;
}

/** What a panel is told of what waits: not what images and files hold. */
export function shownQueue({ queue }: Waiting): readonly QueuedMessage[] {
  return queue.map(({ id, text, parts }) => ({ id, text, ...(parts && { attached: shownParts(parts) }) }));
}

/** Puts a message at the end. Throws LoopError `session_busy` when too many wait already (BRAIN-CONC-5). */
export function enqueue(waiting: Waiting, message: Stored): Waiting {
  const { maxQueueDepth } = loopDefaults;
  if (waiting.queue.length >= maxQueueDepth)
    throw new LoopError("session_busy", `${maxQueueDepth} messages are waiting already; more are not taken.`);
  return atEnd(waiting, message);
}

/** Puts a message at the end, however many wait; one that waits already stays where it is. */
export function atEnd(waiting: Waiting, message: Stored): Waiting {
  return waiting.queue.some(({ id }) => id === message.id)
    ? waiting
    : { ...waiting, queue: [...waiting.queue, message] };
}

/** Puts a message, or one that waits, behind the named one; without such a one to the front. */
export function toFront(waiting: Waiting, message: Stored, behind: string | null): Waiting {
  const rest = waiting.queue.filter(({ id }) => id !== message.id);
  return { ...waiting, queue: rest.toSpliced(rest.findIndex(({ id }) => id === behind) + 1, 0, message) };
}

/** Another text in the place of one that waits, with what goes with it; one that has gone since stays as it was sent. */
export function rewritten(waiting: Waiting, id: string, text: string): Waiting {
  const queue = waiting.queue.map((message) => (message.id === id ? { ...message, text } : message));
  return queue.some((message, index) => message !== waiting.queue[index]) ? { ...waiting, queue } : waiting;
}

/** A message that waits, so many places further back, or to the front: the first and the last place are the ends. */
export function moved(waiting: Waiting, id: string, by: number): Waiting {
  const from = waiting.queue.findIndex((message) => message.id === id);
  const message = waiting.queue[from];
  const to = Math.max(0, Math.min(from + by, waiting.queue.length - 1));
  if (!message || to === from) return waiting;
  return { ...waiting, queue: waiting.queue.toSpliced(from, 1).toSpliced(to, 0, message) };
}

/** Forgets a message that waits (BRAIN-CONC-11). */
export function withdrawn(waiting: Waiting, id: string): Waiting {
  const queue = waiting.queue.filter((message) => message.id !== id);
  return queue.length === waiting.queue.length ? waiting : { ...waiting, queue };
}

/** The message goes into a run. */
export function sent(waiting: Waiting, message: Stored): Waiting {
  return { ...withdrawn(waiting, message.id), sending: [...waiting.sending, message] };
}

/** The first message that fits was on its way and has arrived, or need not be sent any more. */
export function arrived(waiting: Waiting, fits: (message: Stored) => boolean): Waiting {
  const index = waiting.sending.findIndex(fits);
  return index === -1 ? waiting : { ...waiting, sending: waiting.sending.toSpliced(index, 1) };
}

/** The run has ended: what did not arrive waits again, before everything else. */
export function returned(waiting: Waiting): Waiting {
  const { queue, sending } = waiting;
  return sending.length === 0 ? waiting : { ...waiting, queue: [...sending, ...queue], sending: [] };
}

/** A person has made the list of to-dos into another. */
export function withEdit(waiting: Waiting, edit: TodoEdit, list: readonly Todo[]): Waiting {
  return { ...waiting, todos: { edits: [...(waiting.todos?.edits ?? []), edit], list } };
}

/** The list is in the transcript as the person has made it. */
export function withoutEdits(waiting: Waiting): Waiting {
  const { todos, ...rest } = waiting;
  return todos ? rest : waiting;
}

/**
 * What the edits make of the list as it is now: it may have changed since, by a run that went on elsewhere.
 * @param list null: it is too far up to be loaded
 */
export function editedAgain({ todos }: Waiting, list: readonly Todo[] | null): readonly Todo[] | null {
  if (!todos || !list) return todos?.list ?? list;
  return todos.edits.reduce((made, edit) => {
    const isThere = edit.was === null && made.some(({ text }) => text === edit.now?.text);
    return isThere ? made : editedTodos(made, edit);
  }, list);
}
