// The to-dos as a person changes them: each can be ticked, reworded and taken out, and others added.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Todo, TodoEdit } from "../src/protocol/todos.ts";
import { mostTodos } from "../src/protocol/viewTodos.ts";
import { useTools } from "./context.ts";
import { focusComposer } from "./focus.ts";
import { IconButton } from "./icon.tsx";
import { stateWords } from "./todos.tsx";
import { t } from "./l10n.ts";

interface Props {
  readonly id: string;
  readonly todos: readonly Todo[];
}

export function TodoEditor({ id, todos }: Props) {
  const { store } = useTools();
  const list = useRef<HTMLDivElement>(null);
  // With the last of them to be done the list goes: not so the place of the keyboard.
  useLayoutEffect(
    () => () => {
      if (list.current?.contains(document.activeElement)) focusComposer();
    },
    [],
  );
  const keys = useKeys(todos);
  const edit = (change: TodoEdit): void => store.post({ type: "todos:edit", edit: change });
  const remove = (was: TodoEdit["was"]): void => {
    edit({ was, now: null });
    // There is none for a new one where there are as many as there may be.
    for (const field of [".todo-field", ".todo-new"]) list.current?.querySelector<HTMLElement>(field)?.focus();
  };
  return (
    <div ref={list} id={id}>
      <ul class="todo-list">
        {todos.map((todo, index) => (
          <TodoRow key={keys[index]} at={index} todo={todo} edit={edit} remove={remove} />
        ))}
      </ul>
      {todos.length < mostTodos.todos && <NewTodo edit={edit} />}
    </div>
  );
}

/** For each row one that stays with its to-do: what is being written in it goes along when others come before it or go. */
function useKeys(todos: readonly Todo[]): readonly number[] {
  const last = useRef<readonly { readonly text: string; readonly key: number }[]>([]);
  const next = useRef(0);
  return useMemo(() => {
    const free = new Set(last.current);
    const take = (one: (typeof last.current)[number] | undefined) => (one && free.delete(one) ? one.key : undefined);
    const same = todos.map(({ text }) => take([...free].find((one) => one.text === text)));
    const keys = same.map((key, at) => key ?? take(last.current[at]) ?? next.current++);
    last.current = todos.map(({ text }, at) => ({ text, key: keys[at] ?? at }));
    return keys;
  }, [todos]);
}

interface RowProps {
  readonly at: number;
  readonly todo: Todo;
  readonly edit: (edit: TodoEdit) => void;
  readonly remove: (was: TodoEdit["was"]) => void;
}

function TodoRow({ at, todo, edit, remove }: RowProps) {
  const { text, state } = todo;
  const was = { at, text };
  const [written, write] = useState(text);
  /** What was asked for already: Enter keeps it, and so does leaving the field. */
  const kept = useRef(text);
  useEffect(() => {
    write(text);
    kept.current = text;
  }, [text]);
  const keep = (): void => {
    const now = written.trim();
    if (now === "") write(text);
    else if (now !== kept.current) edit({ was, now: { text: now, state } });
    if (now !== "") kept.current = now;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter") keep();
    if (event.key === "Escape") write(text);
  };
  return (
    <li class={`todo ${state}`} aria-current={state === "doing" ? "step" : undefined}>
      <label class="todo-tick">
        <input
          type="checkbox"
          checked={state === "done"}
          aria-label={t("Done: {0}", text)}
          onChange={() => edit({ was, now: { text, state: state === "done" ? "open" : "done" } })}
        />
      </label>
      <span class="for-readers">{stateWords[state]}</span>
      <input
        type="text"
        class="todo-field"
        value={written}
        maxLength={mostTodos.characters}
        aria-label={t("To-do")}
        title={text}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onBlur={keep}
      />
      <IconButton name="close" label={t("Take out of the list: {0}", text)} onClick={() => remove(was)} stop />
    </li>
  );
}

function NewTodo({ edit }: Pick<RowProps, "edit">) {
  const [written, write] = useState("");
  const add = (): void => {
    const text = written.trim();
    if (text !== "") edit({ was: null, now: { text, state: "open" } });
    write("");
  };
  return (
    <input
      type="text"
      class="todo-field todo-new"
      value={written}
      maxLength={mostTodos.characters}
      aria-label={t("Add a to-do")}
      placeholder={t("Add a to-do")}
      onInput={(event) => write(event.currentTarget.value)}
      onKeyDown={(event) => event.key === "Enter" && add()}
    />
  );
}
