// Words that are looked for, where they stand on the page: found and coloured without touching it.

/** Nobody looks at more, and each costs time with every drawing. */
const most = 500;

/** Where words stand in an element, in order, in upper or lower case, whatever elements they go across. */
export function rangesIn(element: Element, words: string): readonly Range[] {
  const wanted = plain(words);
  if (wanted === "") return [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes: { readonly node: Node; readonly start: number }[] = [];
  let text = "";
  while (walker.nextNode()) {
    nodes.push({ node: walker.currentNode, start: text.length });
    text += plain(walker.currentNode.nodeValue ?? "");
  }
  const ranges: Range[] = [];
  for (let at = text.indexOf(wanted); at !== -1 && ranges.length < most; at = text.indexOf(wanted, at + wanted.length))
    ranges.push(rangeOf(nodes, at, at + wanted.length));
  return ranges;
}

/** Colours these ranges, and no others any more, until Escape is pressed. */
export function highlight(ranges: readonly Range[]): void {
  CSS.highlights.set("sought", new Highlight(...ranges));
  document.addEventListener("keydown", forget, true);
}

function forget({ key }: KeyboardEvent): void {
  if (key === "Escape") CSS.highlights.clear();
}

/** As long as before, letter by letter. */
function plain(text: string): string {
  const small = text.toLowerCase();
  return (small.length === text.length ? small : text).replaceAll(/\s/g, " ");
}

function rangeOf(nodes: readonly { readonly node: Node; readonly start: number }[], from: number, to: number): Range {
  const range = document.createRange();
  const first = nodes.findLast(({ start }) => start <= from);
  const last = nodes.findLast(({ start }) => start < to);
  if (first) range.setStart(first.node, from - first.start);
  if (last) range.setEnd(last.node, to - last.start);
  return range;
}
