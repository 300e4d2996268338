// The conversation as blocks that are drawn or left out as a whole: a turn, or of a turn with many items a stretch of them.
import type { Item, Turn } from "../src/protocol/viewTurn.ts";
import { treeOf } from "./callTree.ts";
import type { CallTree } from "./callTree.ts";

export interface Block {
  /** Stays the same while the turn grows. The page itself reads the turn from it: what is before the last "#". */
  readonly key: string;
  readonly turn: Turn;
  readonly tree: CallTree;
  /** What it shows of `tree.top`. */
  readonly items: readonly Item[];
  readonly part: number;
  /** The turn ends with it. */
  readonly ends: boolean;
  /** Pixels that it will take, as far as that can be told undrawn. */
  readonly estimate: number;
}

/** Items of a turn in one block. */
const stretch = 40;

const known = new WeakMap<Turn, readonly Block[]>();

/** The blocks of all turns, in order. A turn that has not changed gives the same blocks again. */
export function blocksOf(turns: readonly Turn[]): readonly Block[] {
  return turns.flatMap(blocksOfTurn);
}

function blocksOfTurn(turn: Turn): readonly Block[] {
  const before = known.get(turn);
  if (before) return before;
  const tree = treeOf(turn.items);
  const parts = Math.max(Math.ceil(tree.top.length / stretch), 1);
  const blocks = Array.from({ length: parts }, (_, part): Block => {
    const items = tree.top.slice(part * stretch, (part + 1) * stretch);
    const estimate = items.reduce((sum, item) => sum + estimateOf(item), part === 0 ? userHeight(turn.user) : 0);
    return { key: `${turn.runId}#${part}`, turn, tree, items, part, ends: part === parts - 1, estimate: estimate + 52 };
  });
  known.set(turn, blocks);
  return blocks;
}

const line = 20;

function userHeight(text: string): number {
  return 34 + line * Math.ceil(text.length / 52);
}

function estimateOf(item: Item): number {
  switch (item.kind) {
    case "text":
      return 8 + line * 1.3 * Math.ceil(item.text.length / 52);
    case "call":
      return 24;
    case "user":
      return 8 + userHeight(item.text);
    case "plan":
    case "pause":
    case "retry":
    case "notice":
    case "compaction":
    case "memory":
    case "undo":
      return 32;
  }
}
