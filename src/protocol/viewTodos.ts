// The to-dos of a session: how far a list has come, and the one that holds now, as the newest call that kept it has made it. Pure.
import type { Todo } from "./todos.ts";
import type { Item, Turn } from "./viewTurn.ts";

export interface TodosShown {
  readonly todos: readonly Todo[];
  /** "2 of 5 done". */
  readonly done: string;
  /** The one that is being done, else the next. */
  readonly now: Todo;
}

/** Null: there is no list, nothing in it is open, or the turn with it is not loaded. A delegate's list is its own. */
export function todosIn(turns: readonly Turn[]): TodosShown | null {
  for (let at = turns.length - 1; at >= 0; at--) {
    const todos = turns[at]?.items.map(todosOf).findLast((list) => list !== null);
    if (todos) return shown(todos);
  }
  return null;
}

function shown(todos: readonly Todo[]): TodosShown | null {
  const left = openTodos(todos);
  const now = left.find(({ state }) => state === "doing") ?? left[0];
  return now ? { todos, done: doneOf(todos), now } : null;
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
