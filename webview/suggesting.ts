// Offers something for what is being typed in the composer: asks the host, shows its answer, and writes what is taken.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Suggestion } from "../src/protocol/suggestions.ts";
import type { State, Store } from "./store.ts";
import { replaced, type Token, tokenAt } from "./token.ts";

type Field = HTMLTextAreaElement;
type Held<T> = { current: T };

export interface Suggesting {
  /** What is offered now; none: the list is closed. */
  readonly found: readonly Suggestion[];
  readonly active: number;
  readonly point: (index: number) => void;
  readonly take: (suggestion: Suggestion) => void;
  /** The text has changed. */
  readonly look: (field: Field) => void;
  /** The cursor may have moved. */
  readonly moved: (field: Field) => void;
  readonly close: () => void;
  /** True when the key was for the list, one that is still on its way too. */
  readonly press: (key: string) => boolean;
}

const none: readonly Suggestion[] = [];

export function useSuggesting(state: State, store: Store, field: Readonly<Held<Field | null>>): Suggesting {
  const typed = useTyped(store);
  const { token, awaited, leave } = typed;
  const [active, setActive] = useState(0);
  const put = useCursor(field);
  const found = token ? (state.suggested?.found ?? none) : none;
  const current = state.suggested?.number === typed.asked.current;
  const chosen = Math.min(active, found.length - 1);
  const shown = found.length > 0;
  const take = ({ does }: Suggestion): void => {
    if (!token) return;
    leave();
    const { draft } = store.state().ui;
    const next = "write" in does ? replaced(draft, token, does.write) : { draft: draft.slice(token.to), at: 0 };
    put(next);
    store.setUi({ draft: next.draft });
    if ("run" in does) store.post({ type: "command:run", command: does.run });
  };
  useLayoutEffect(() => {
    if (!awaited.current || !current) return;
    awaited.current = false;
    if (found[0]) take(found[0]);
  });
  const choose = (): boolean => {
    const suggestion = found[chosen];
    if (current && suggestion) take(suggestion);
    if (current) return shown;
    // What is shown, if anything, answers less than what is typed by now. Pressed twice, the key waits for no list.
    if (shown || !awaited.current) return (awaited.current = true);
    leave();
    return false;
  };
  return {
    found,
    active: chosen,
    point: setActive,
    take,
    look(element) {
      if (typed.look(element)) setActive(0);
    },
    moved(element) {
      if (token && typed.look(element)) setActive(0);
    },
    close: leave,
    press(key) {
      if (!token) return false;
      if (key === "Enter" || key === "Tab") return choose();
      if (key === "Escape" && (shown || awaited.current)) typed.leaveFor(token);
      else if (key === "ArrowDown" && shown) setActive((chosen + 1) % found.length);
      else if (key === "ArrowUp" && shown) setActive((chosen + found.length - 1) % found.length);
      else return false;
      return true;
    },
  };
}

/** What is being typed that something could be offered for, and what was asked for it. */
function useTyped(store: Store) {
  const [token, setToken] = useState<Token | null>(null);
  const asked = useRef(0);
  /** Where a list was closed by a person: it stays closed for that word. */
  const closed = useRef<number | null>(null);
  /** Enter or Tab was pressed before the answer to what is typed: its first entry is taken when it comes. */
  const awaited = useRef(false);
  const leave = (): void => {
    awaited.current = false;
    setToken(null);
  };
  return {
    token,
    asked,
    awaited,
    leave,
    leaveFor({ from }: Token) {
      closed.current = from;
      leave();
    },
    /** True when it is another word, or more of one. */
    look({ value, selectionStart, selectionEnd }: Field): boolean {
      const next = selectionStart === selectionEnd ? tokenAt(value, selectionStart) : null;
      if (next?.from !== closed.current) closed.current = null;
      if (!next || closed.current !== null) leave();
      else if (token?.from !== next.from || token.text !== next.text || token.sigil !== next.sigil) {
        awaited.current = false;
        setToken(next);
        asked.current += 1;
        store.post({ type: "suggest", sigil: next.sigil, text: next.text, number: asked.current });
        return true;
      }
      return false;
    },
  };
}

interface Written {
  readonly draft: string;
  readonly at: number;
}

/** Puts the cursor where it belongs once the draft is drawn, which may be a frame later. */
function useCursor(field: Readonly<Held<Field | null>>): (next: Written) => void {
  const due = useRef<Written | null>(null);
  useLayoutEffect(() => {
    if (!due.current || field.current?.value !== due.current.draft) return;
    field.current.focus();
    field.current.setSelectionRange(due.current.at, due.current.at);
    due.current = null;
  });
  return (next) => void (due.current = next);
}
