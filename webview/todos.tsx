// The to-dos of the session, above the composer: one line that says how far it has come, unfolded all of them.
import type { View } from "../src/protocol/view.ts";
import type { Todo } from "../src/protocol/todos.ts";
import { todosIn } from "../src/protocol/viewTodos.ts";
import { useFold, useMore } from "./context.ts";
import { Icon } from "./icon.tsx";
import { t, told } from "./l10n.ts";

interface Props {
  readonly view: View;
}

/** What is finished takes no room. */
export function Todos({ view }: Props) {
  const [open, toggle] = useFold("todos", false);
  const list = todosIn(view.turns);
  const more = useMore(open && list !== null);
  if (!list) return null;
  // Where this window writes nothing, nothing could be changed.
  const editor = view.reading || view.setup?.workspace !== "trusted" ? null : more;
  const { todos, done, now } = list;
  return (
    <section class="todos" aria-label={t("To-dos")}>
      <button
        type="button"
        class="call-head"
        aria-expanded={open}
        aria-controls={open ? listId : undefined}
        title={open ? t("Hide the to-dos") : t("Show the to-dos")}
        onClick={toggle}
      >
        <Icon name="checklist" class="state" />
        <span class="call-words">
          <span class="call-name">{told(done)}</span> <span class="call-note">{open ? "" : now.text}</span>
        </span>
        <Icon name={open ? "chevron-down" : "chevron-up"} class="chevron" />
      </button>
      {open && (
        // What scrolls can be reached by key.
        <div class="todo-frame" tabIndex={0} role="region" aria-label={t("All to-dos")}>
          {editor ? (
            <editor.TodoEditor key={view.session.id} id={listId} todos={todos} />
          ) : (
            <TodoList id={listId} todos={todos} />
          )}
        </div>
      )}
    </section>
  );
}

const listId = "todo-list";

interface ListProps {
  readonly id?: string;
  readonly todos: readonly Todo[];
}

export function TodoList({ id, todos }: ListProps) {
  return (
    <ul class="todo-list" id={id}>
      {todos.map(({ text, state }, index) => (
        <li class={`todo ${state}`} key={`${index}-${text}`} aria-current={state === "doing" ? "step" : undefined}>
          <Icon name={icons[state]} class="state" />
          <span class="for-readers">{stateWords[state]}</span>
          <span class="todo-text">{text}</span>
        </li>
      ))}
    </ul>
  );
}

const icons: Record<Todo["state"], string> = { open: "circle-large-outline", doing: "arrow-right", done: "check" };
export const stateWords: Record<Todo["state"], string> = {
  open: t("Open:"),
  doing: t("Being done:"),
  done: t("Done:"),
};
