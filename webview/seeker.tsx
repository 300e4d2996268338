// Takes a person to what they have looked for. What does it is fetched when it is needed.
import { useEffect } from "preact/hooks";
import { useTools } from "./context.ts";
import type { State } from "./store.ts";

export function Seeker({ state: { wish, view, ui } }: { readonly state: State }) {
  const { store, more } = useTools();
  const sent = ui.outbox.at(-1);
  // Who writes on has seen what was found.
  useEffect(() => {
    if (sent) CSS.highlights.clear();
  }, [sent]);
  useEffect(() => {
    if (wish?.at !== "sought") return;
    store.wishDone();
    const { runId, item, words } = wish;
    const turn = view.turns.find((one) => one.runId === runId);
    if (turn) void more.fetch().then((part) => part.seek(turn, part.placesTo(item, turn.items), store, words));
  }, [wish, view, store, more]);
  return null;
}
