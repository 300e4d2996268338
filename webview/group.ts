// Joins calls of the same kind and moment into one line, where nothing about them is worth a line of its own.
import type { CallItem } from "../src/protocol/viewCall.ts";
import type { Item } from "../src/protocol/viewTurn.ts";
import type { CallTree } from "./callTree.ts";

export interface Group {
  readonly kind: "group";
  readonly id: string;
  readonly verb: string;
  readonly calls: readonly CallItem[];
}

/** Items that stand side by side, with runs of plain finished calls of one verb as groups. */
export function groupCalls(items: readonly Item[], { parts }: Pick<CallTree, "parts">): readonly (Item | Group)[] {
  const rows: (Item | Group)[] = [];
  for (const item of items) {
    const last = rows.at(-1);
    const joined = item.kind === "call" && isPlain(item) && !parts.has(item.id) ? join(last, item, parts) : null;
    if (joined) rows[rows.length - 1] = joined;
    else rows.push(item);
  }
  return rows;
}

function join(last: Item | Group | undefined, call: CallItem, parts: CallTree["parts"]): Group | null {
  const { verb } = call.label;
  if (last?.kind === "group" && last.verb === verb) return { ...last, calls: [...last.calls, call] };
  if (last?.kind !== "call" || last.label.verb !== verb || !isPlain(last) || parts.has(last.id)) return null;
  return { kind: "group", id: `group-${last.id}`, verb, calls: [last, call] };
}

/** Succeeded, with nothing asked of a person, nothing changed on disk that could be shown, and no output. */
function isPlain(call: CallItem): boolean {
  const { state, decided, preview, output, changes } = call;
  return changes === null && state === "succeeded" && decided?.by !== "person" && preview === null && output === "";
}
