// What was sent before, to be sent again: ArrowUp in an empty composer brings it back.
import type { View } from "../src/protocol/view.ts";
import type { State, Store } from "./store.ts";

/** The messages of the session, the newest first, each once. */
export function sentIn({ turns }: View): readonly string[] {
  return [
    ...new Set(
      turns
        .map(({ user }) => user)
        .filter((text) => text !== "")
        .toReversed(),
    ),
  ];
}

/**
 * The message before or after the one in the composer; the oldest stays.
 * @returns null where the key is the text's own: something else is being written, or there is none
 */
export function recalled(sent: readonly string[], draft: string, key: "ArrowUp" | "ArrowDown"): string | null {
  const at = draft === "" ? -1 : sent.indexOf(draft);
  if (draft !== "" && at === -1) return null;
  const next = key === "ArrowUp" ? at + 1 : at - 1;
  if (next === -1 && at === 0) return "";
  return sent[next] ?? (at === -1 ? null : draft);
}

/** ArrowUp in an empty field brings back what was sent before. True when it did. */
export function recall({ key, target }: KeyboardEvent, { view, ui }: State, store: Store): boolean {
  if ((key !== "ArrowUp" && key !== "ArrowDown") || !(target instanceof HTMLTextAreaElement)) return false;
  const edge = key === "ArrowUp" ? 0 : ui.draft.length;
  if (target.selectionStart !== edge && target.selectionStart !== ui.draft.length) return false;
  const draft = recalled(sentIn(view), ui.draft, key);
  if (draft !== null) store.setUi({ draft });
  return draft !== null;
}
