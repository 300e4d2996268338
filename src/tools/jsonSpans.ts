// Where the parts of a JSON text stand, so that one of them can be changed and the rest stays to the letter.

/** Characters; a longer one is not written by anybody. */
const longestNumber = 400;

/** From the first character to behind the last. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Member extends Span {
  readonly key: string;
  /** Where the key begins. */
  readonly at: number;
}

/** The members of the object that begins at a place. The text is valid JSON. */
export function membersAt(text: string, at: number): readonly Member[] {
  const members: Member[] = [];
  for (let next = skipSpace(text, at + 1); text[next] !== "}";) {
    const end = skipValue(text, next);
    const from = skipSpace(text, skipSpace(text, end) + 1);
    const to = skipValue(text, from);
    members.push({ key: String(JSON.parse(text.slice(next, end))), at: next, from, to });
    next = skipComma(text, to);
  }
  return members;
}

/** The elements of the array that begins at a place. The text is valid JSON. */
export function elementsAt(text: string, at: number): readonly Span[] {
  const elements: Span[] = [];
  for (let from = skipSpace(text, at + 1); text[from] !== "]";) {
    const to = skipValue(text, from);
    elements.push({ from, to });
    from = skipComma(text, to);
  }
  return elements;
}

/** Where the value of a JSON text begins. */
export function skipSpace(text: string, at: number): number {
  let next = at;
  while (/\s/.test(text[next] ?? "")) next += 1;
  return next;
}

function skipComma(text: string, at: number): number {
  const next = skipSpace(text, at);
  return text[next] === "," ? skipSpace(text, next + 1) : next;
}

function skipValue(text: string, at: number): number {
  switch (text[at]) {
    case '"':
      return skipString(text, at);
    case "[":
      return skipSpace(text, elementsAt(text, at).at(-1)?.to ?? at + 1) + 1;
    case "{":
      return skipSpace(text, membersAt(text, at).at(-1)?.to ?? at + 1) + 1;
    default:
      return at + (/^[^\s,\]}]+/.exec(text.slice(at, at + longestNumber))?.[0].length ?? 1);
  }
}

function skipString(text: string, at: number): number {
  let next = at + 1;
  while (next < text.length && text[next] !== '"') next += text[next] === "\\" ? 2 : 1;
  return next + 1;
}
