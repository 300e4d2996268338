// What a message names by `@`: `@src/cart.js`, `@src/cart.js:12-30`, `@"with spaces.md"`, `@problems`. Pure.

export interface Mention {
  /** Without `@`, quotes and lines. */
  readonly name: string;
  /** Lines from 1, both included; absent: all of it. */
  readonly lines?: { readonly from: number; readonly to: number };
}

/** Before it stands nothing, white space or what opens a bracket or a quotation: an address such as a@b.c is none. */
const mention = /(?<=^|[\s([{“‘"'`])@(?:"([^"\n]+)"(?::(\d+)(?:-(\d+))?)?|([^\s"@][^\s"]*))/gu;
/** More is no message of a person but data that was pasted. */
const most = 50;
const longest = 500;
const mostTrimmed = 5;
const withLines = /^(.+?):(\d+)(?:-(\d+))?$/u;
const trailing = /[.,;:!?)\]}”’'`]$/u;

/**
 * What a text may name, in its order, each once. A name that ends in punctuation is given twice, without it after with it:
 * the first that exists is meant.
 * @returns alternatives for each place
 */
export function mentionsIn(text: string): readonly (readonly Mention[])[] {
  const seen = new Set<string>();
  const found: (readonly Mention[])[] = [];
  for (const [whole, quoted, from, to, bare = ""] of text.matchAll(mention)) {
    if (seen.has(whole) || whole.length > longest || found.length === most) continue;
    seen.add(whole);
    found.push(quoted === undefined ? readingsOf(bare) : [{ name: quoted, ...linesOf(from, to) }]);
  }
  return found;
}

/** It names a page of the web. */
export function isAddress(name: string): boolean {
  return /^https?:\/\/[^/]/i.test(name);
}

/** How it is written in a message, so that `mentionsIn` reads it back. */
export function mentionOf({ name, lines }: Mention): string {
  const plain = !/[\s"]/u.test(name) && !trailing.test(name) && !withLines.test(name) && !name.startsWith("@");
  const range = lines ? `:${lines.from}${lines.to === lines.from ? "" : `-${lines.to}`}` : "";
  // What would end the quotation begins nothing else: such a name cannot be written.
  return plain ? `@${name}${range}` : `@"${name.replaceAll(/["\n]/g, "?")}"${range}`;
}

function readingsOf(bare: string): readonly Mention[] {
  if (isAddress(bare)) return [{ name: addressIn(bare) }];
  const readings: Mention[] = [];
  for (let rest = bare; rest !== "" && bare.length - rest.length <= mostTrimmed; rest = rest.slice(0, -1)) {
    const [, name, from, to] = withLines.exec(rest) ?? [];
    readings.push({ name: rest }, ...(name === undefined ? [] : [{ name, ...linesOf(from, to) }]));
    if (!trailing.test(rest)) break;
  }
  return readings;
}

/** Without what ends the sentence or the bracket that it stands in. */
function addressIn(bare: string): string {
  const end = bare.at(-1) ?? "";
  const [open, close] = end === ")" ? ["(", ")"] : ["[", "]"];
  const ends = end === close ? bare.split(open).length < bare.split(close).length : trailing.test(bare);
  return ends ? addressIn(bare.slice(0, -1)) : bare;
}

function linesOf(from: string | undefined, to: string | undefined): Pick<Mention, "lines"> {
  if (from === undefined) return {};
  const first = Math.max(1, Number(from));
  return { lines: { from: first, to: Math.max(first, Number(to ?? from)) } };
}
