// Markdown as safe DOM, block by block: a block whose source did not change keeps its nodes while the text streams on.
import { Lexer } from "marked";
import type { ToHost } from "../src/protocol/wire.ts";
import { press } from "./clicks.ts";
import type { t } from "./l10n.ts";
import { nodesOf } from "./markdownDom.ts";

export interface MarkdownRenderer {
  /** Draws text into an element, again and again as it grows. */
  readonly draw: (element: HTMLElement, text: string, settled: boolean) => void;
  /** Does what a click or a key inside drawn text is for: follows a link, copies a code block. */
  readonly press: (event: MouseEvent | KeyboardEvent, post: (message: ToHost) => void) => void;
}

interface Block {
  readonly raw: string;
  /** A growing block is drawn more cheaply than the same block at rest. */
  readonly live: boolean;
  readonly nodes: () => readonly Node[];
}

interface Drawn {
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** Blocks at the end that may still change their meaning when more text follows. */
const unsettled = 4;

/** Opens a renderer; it remembers what it drew into each element. */
export function createRenderer(words: typeof t): MarkdownRenderer {
  const memory = new WeakMap<HTMLElement, Drawn>();
  return {
    press,
    draw: (element, source, settled) => {
      const text = source.replace(/\r\n?/g, "\n");
      const before = memory.get(element);
      if (!before) element.replaceChildren();
      const blocks = parse(before, text, settled, words);
      memory.set(element, { text, blocks: replace(element, before?.blocks ?? [], blocks) });
    },
  };
}

const definition = /^ {0,3}\[[^\]\n]+\]:/m;

/** The blocks of a text; while it only grows, all but the last few are taken over unread. */
function parse(before: Drawn | undefined, text: string, settled: boolean, words: typeof t): readonly Block[] {
  // What a link is called may be said at the very end, once for all of the text.
  const grows = before !== undefined && text.startsWith(before.text) && !(settled && definition.test(text));
  const kept = grows ? before.blocks.slice(0, -unsettled) : [];
  const start = kept.reduce((sum, block) => sum + block.raw.length, 0);
  const tokens = Lexer.lex(text.slice(start));
  const read = tokens.map((token, index) => {
    const live = !settled && index === tokens.length - 1;
    return { raw: token.raw, live, nodes: () => nodesOf([token], { live, t: words }) };
  });
  return [...kept, ...read];
}

/** Puts the new blocks after those that stay, which are not touched. */
function replace(element: HTMLElement, old: readonly Block[], next: readonly Block[]): readonly Block[] {
  let same = 0;
  while (same < old.length && isSame(old[same], next[same])) same += 1;
  for (const node of old.slice(same).flatMap((block) => block.nodes())) node.parentNode?.removeChild(node);
  const fresh = next.slice(same).map((block, index) => {
    const nodes = block.nodes();
    boxOf(element, same + index).append(...nodes);
    return { ...block, nodes: () => nodes };
  });
  while (element.lastElementChild?.matches(".part:empty")) element.lastElementChild.remove();
  return [...old.slice(0, same), ...fresh];
}

/** Blocks that stand in the text itself, and in each part of the rest of a long one. */
const partSize = 50;

/** Where a block goes. The browser leaves parts out of its work that cannot be seen. */
function boxOf(element: HTMLElement, index: number): HTMLElement {
  if (index < partSize) return element;
  const parts = element.querySelectorAll<HTMLElement>(":scope > .part");
  const known = parts[Math.floor(index / partSize) - 1];
  if (known) return known;
  const part = element.appendChild(document.createElement("div"));
  part.className = "part";
  return part;
}

function isSame(a: Block | undefined, b: Block | undefined): boolean {
  return a !== undefined && b !== undefined && a.raw === b.raw && a.live === b.live;
}
