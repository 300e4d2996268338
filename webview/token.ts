// What is being typed at the cursor of the composer that something could be offered for: `@name`, or `/name` in the beginning.
import type { SelectedLines, Sigil } from "../src/protocol/suggestions.ts";

export interface Token {
  readonly sigil: Sigil;
  /** Behind the sigil, without an opening quotation mark. */
  readonly text: string;
  /** Where it begins in the draft, with its sigil. */
  readonly from: number;
  readonly to: number;
}

const mention = /(?:^|[\s([{“‘])(@(?:"([^"\n]*)|([^\s"@]*)))$/u;
const action = /^\/([\p{L}\p{N}_-]*)$/u;

/** @param to where the cursor is */
export function tokenAt(draft: string, to: number): Token | null {
  const before = draft.slice(0, to);
  const name = action.exec(before)?.[1];
  if (name !== undefined) return { sigil: "/", text: name, from: 0, to };
  const found = mention.exec(before);
  if (!found) return null;
  const [, whole = "", quoted, bare = ""] = found;
  return { sigil: "@", text: quoted ?? bare, from: to - whole.length, to };
}

/** The draft with something in the place of the token, and where the cursor goes. */
export function replaced(
  draft: string,
  { from, to }: Token,
  text: string,
): { readonly draft: string; readonly at: number } {
  const rest = draft.slice(to);
  const gap = /^\s/.test(rest) ? "" : " ";
  return { draft: `${draft.slice(0, from)}${text}${gap}${rest}`, at: from + text.length + 1 };
}

/** As `@` names them in a message. */
export function mentionOfLines({ path, from, to }: SelectedLines): string {
  const lines = from === to ? from : `${from}-${to}`;
  return /[\s:]/.test(path) ? `@"${path}":${lines}` : `@${path}:${lines}`;
}
