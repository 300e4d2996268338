// Offers something for what is being typed in the composer: asks the host, shows its answer, and writes what is taken.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Suggestion } from "../src/protocol/suggestions.ts";
import type { State, Store } from "./store.ts";
import { replaced, type Token, tokenAt } from "./token.ts";

export interface Suggesting {
  /** What is offered now; none: the list is closed. */
  readonly found: readonly Suggestion[];
  readonly active: number;
  readonly point: (index: number) => void;
  readonly take: (suggestion: Suggestion) => void;
  /** The text or the cursor has changed. */
  readonly look: (field: HTMLTextAreaElement) => void;
  readonly close: () => void;
  /** True when the key was for the list. */
  readonly press: (key: string) => boolean;
}

const none: readonly Suggestion[] = [];

export function useSuggesting(
  state: State,
  store: Store,
  field: { readonly current: HTMLTextAreaElement | null },
): Suggesting {
  const [token, setToken] = useState<Token | null>(null);
  const [active, setActive] = useState(0);
  const asked = useRef(0);
  /** Where a list was closed by a person: it stays closed for that word. */
  const closed = useRef<number | null>(null);
  const cursor = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (cursor.current === null || !field.current) return;
    field.current.focus();
    field.current.setSelectionRange(cursor.current, cursor.current);
    cursor.current = null;
  });
  const found = token ? (state.suggested?.found ?? none) : none;
  const current = state.suggested?.number === asked.current;
  const take = ({ does }: Suggestion): void => {
    if (!token) return;
    setToken(null);
    const { draft } = store.state().ui;
    const next = "write" in does ? replaced(draft, token, does.write) : { draft: draft.slice(token.to), at: 0 };
    cursor.current = next.at;
    store.setUi({ draft: next.draft });
    if ("run" in does) store.post({ type: "command:run", command: does.run });
  };
  const chosen = Math.min(active, found.length - 1);
  return {
    found,
    active: chosen,
    point: setActive,
    take,
    look({ value, selectionStart, selectionEnd }) {
      const next = selectionStart === selectionEnd ? tokenAt(value, selectionStart) : null;
      if (next?.from !== closed.current) closed.current = null;
      if (!next || closed.current !== null) return setToken(null);
      if (token?.from === next.from && token.text === next.text && token.sigil === next.sigil) return;
      setToken(next);
      setActive(0);
      asked.current += 1;
      store.post({ type: "suggest", sigil: next.sigil, text: next.text, number: asked.current });
    },
    close: () => setToken(null),
    press(key) {
      const suggestion = found[chosen];
      if (!token || !suggestion) return false;
      if (key === "ArrowDown") setActive((chosen + 1) % found.length);
      else if (key === "ArrowUp") setActive((chosen + found.length - 1) % found.length);
      else if (key === "Escape") {
        closed.current = token.from;
        setToken(null);
      } else if (key !== "Enter" && key !== "Tab") return false;
      // What is shown may be an answer to less than what is typed by now: then the key waits for the next one.
      else if (current) take(suggestion);
      return true;
    },
  };
}
