// The to-dos of a session: how far a list has come, and the one that holds now, as the newest call that kept it has made it. Pure.
import type { Todo, TodoEdit } from "./todos.ts";
import type { Item, Turn } from "./viewTurn.ts";

/** Long enough for any task that one conversation can hold; what is open is carried through every compaction. */
export const mostTodos = { todos: 40, characters: 200 } as const;

export interface TodosShown {
  readonly todos: readonly Todo[];
  /** "2 of 5 done". */
  readonly done: string;
  /** The one that is being done, else the next. */
  readonly now: Todo;
}

/** A list as a person has made it. */
export interface EditedTodos {
  readonly id: string;
  readonly todos: readonly Todo[];
  /** The last item of the turn by then: a call behind it counts in its place, one before it could not know of it. */
  readonly after: string | null;
}

/** Null: there is no list, nothing in it is open, or the turn with it is not loaded. A delegate's list is its own. */
export function todosIn(turns: readonly Turn[]): TodosShown | null {
  const todos = listIn(turns);
  return todos && shown(todos);
}

/** The list that holds now, all done or not; null: there is none, or the turn with it is not loaded. */
export function listIn(turns: readonly Turn[]): readonly Todo[] | null {
  for (let at = turns.length - 1; at >= 0; at--) {
    const { items, edits = [] } = turns[at] ?? { items: [] };
    const kept = lastKept(items);
    const edit = edits.at(-1);
    if (edit && items.findIndex(({ id }) => id === edit.after) >= (kept?.at ?? -1)) return edit.todos;
    if (kept) return kept.todos;
  }
  return null;
}

function shown(todos: readonly Todo[]): TodosShown | null {
  const left = openTodos(todos);
  const now = left.find(({ state }) => state === "doing") ?? left[0];
  return now ? { todos, done: doneOf(todos), now } : null;
}

function lastKept(items: readonly Item[]): { readonly at: number; readonly todos: readonly Todo[] } | null {
  for (let at = items.length - 1; at >= 0; at--) {
    const item = items[at];
    const todos = item && todosOf(item);
    if (todos) return { at, todos };
  }
  return null;
}

function todosOf(item: Item): readonly Todo[] | null {
  if (item.kind !== "call" || item.within !== null || item.state !== "succeeded") return null;
  return item.preview?.kind === "todos" ? item.preview.todos : null;
}

/** "2 of 5 done". */
export function doneOf(todos: readonly Todo[]): string {
  return `${todos.filter(({ state }) => state === "done").length} of ${todos.length} done`;
}

/** What is left of it, in its order. */
export function openTodos(todos: readonly Todo[]): readonly Todo[] {
  return todos.filter(({ state }) => state !== "done");
}

/** The list with an edit; the same list where that changes nothing: the to-do may be gone, or the list be full. */
export function editedTodos(todos: readonly Todo[], { was, now }: TodoEdit): readonly Todo[] {
  if (was === null) return now === null || todos.length >= mostTodos.todos ? todos : [...todos, now];
  // The list may have changed since they saw it; of two with the same text the one in its place is meant.
  const at = todos[was.at]?.text === was.text ? was.at : todos.findIndex(({ text }) => text === was.text);
  const before = todos[at];
  if (!before || (before.text === now?.text && before.state === now.state)) return todos;
  return now === null ? todos.toSpliced(at, 1) : todos.with(at, now);
}
