// Takes a person to what they have looked for, and opens the find box. What does it is fetched when it is needed.
import { useEffect, useRef, useState } from "preact/hooks";
import { useMore, useTools } from "./context.ts";
import type { Finding } from "./find.tsx";
import { isMac } from "./keys.ts";
import type { State } from "./store.ts";

export function Seeker({ state: { wish, view, ui } }: { readonly state: State }) {
  const { store, more } = useTools();
  const [finding, setFinding] = useState<Finding | null>(null);
  const last = useRef("");
  const parts = useMore(finding !== null);
  const sent = ui.outbox.at(-1);
  // Who writes on has seen what was found.
  useEffect(() => {
    if (sent) CSS.highlights.clear();
  }, [sent]);
  useEffect(() => setFinding(null), [view.session.id, ui.sessions === null]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { key, shiftKey, altKey, ctrlKey, metaKey } = event;
      const isMeant = isMac() ? metaKey && !ctrlKey : ctrlKey && !metaKey;
      if (!/^f$/i.test(key) || !isMeant || shiftKey || altKey) return;
      // The editor has the key for the same command, which would come a second time, and later.
      event.preventDefault();
      event.stopPropagation();
      store.wish({ at: "find" });
    };
    document.addEventListener("keydown", onKey, true);
    return () => document.removeEventListener("keydown", onKey, true);
  }, [store]);
  useEffect(() => {
    if (wish?.at === "find") {
      store.wishDone();
      if (ui.sessions) document.querySelector<HTMLElement>(".sessions-search > input")?.focus();
      else setFinding({ words: null, place: null });
    }
    if (wish?.at !== "sought") return;
    store.wishDone();
    const turn = view.turns.find(({ runId }) => runId === wish.runId);
    if (turn) void more.fetch().then((part) => part?.seek(turn, part.placesTo(wish.item, turn.items), store, wish));
    if (!wish.stay) setFinding({ words: wish.words, place: { runId: wish.runId, item: wish.item } });
  }, [wish, view, ui, store, more]);
  return finding && parts && <parts.FindBox finding={finding} last={last} onClose={() => setFinding(null)} />;
}
