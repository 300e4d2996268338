// What several say at the same time, shown as one block after the other: the first as it comes, each other from its turn on.
import type { Print } from "./run.ts";

export interface Turn {
  readonly print: Print;
  /** Says that nothing more comes. */
  readonly end: () => void;
}

/** So many turns, in their order; `show` is given the text. */
export function inTurn(count: number, show: Print): readonly Turn[] {
  const blocks = Array.from({ length: count }, () => ({ text: "", hasEnded: false }));
  let turn = 0;
  const advance = (): void => {
    for (let block = blocks[turn]; block; block = blocks[++turn]) {
      show(block.text);
      block.text = "";
      if (!block.hasEnded) return;
    }
  };
  return blocks.map((block) => ({
    print(text) {
      block.text += text;
      advance();
    },
    end() {
      block.hasEnded = true;
      advance();
    },
  }));
}
