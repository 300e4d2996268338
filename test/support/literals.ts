// The strings of a TypeScript source, read without a parser: enough to find what a person reads in it.

export interface Literal {
  /** As it reads when it runs, with `{0}`, `{1}` … for what a template puts in. */
  readonly text: string;
  /** What stands before it. */
  readonly before: string;
}

/** Characters after which a `/` begins a pattern, not a division. */
const beforePattern = /(?:^|[(,=:[!&|?{};>\n]|=>|\breturn)\s*$/;

/** Every string and template of a source, those inside of templates too; comments and patterns are passed over. */
export function literalsIn(source: string): readonly Literal[] {
  const found: Literal[] = [];
  let at = 0;
  while (at < source.length) at = step(source, at, found);
  return found;
}

/** Reads one piece and gives where the next begins. */
function step(source: string, at: number, found: Literal[]): number {
  const rest = source.slice(at);
  const passed = /^(?:\/\/[^\n]*|\/\*[\s\S]*?\*\/)/.exec(rest)?.[0];
  if (passed !== undefined) return at + passed.length;
  const before = source.slice(0, at);
  const pattern = /^\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/\w*/.exec(rest)?.[0];
  if (pattern !== undefined && beforePattern.test(before)) return at + pattern.length;
  const string = /^(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')/.exec(rest)?.[0];
  if (string !== undefined) {
    found.push({ text: unescaped(string.slice(1, -1)), before });
    return at + string.length;
  }
  return rest.startsWith("`") ? template(source, at, found) : at + 1;
}

function template(source: string, start: number, found: Literal[]): number {
  let text = "";
  let holes = 0;
  let at = start + 1;
  while (at < source.length && source[at] !== "`") {
    if (source.startsWith("${", at)) {
      at = hole(source, at + 2, found) + 1;
      text += `{${holes++}}`;
    } else {
      const piece = source[at] === "\\" ? source.slice(at, at + 2) : (source[at] ?? "");
      text += piece;
      at += piece.length;
    }
  }
  found.push({ text: unescaped(text), before: source.slice(0, start) });
  return at + 1;
}

/** Where the brace is that closes a hole. */
function hole(source: string, from: number, found: Literal[]): number {
  let depth = 0;
  let at = from;
  while (at < source.length && !(depth === 0 && source[at] === "}")) {
    depth += source[at] === "{" ? 1 : source[at] === "}" ? -1 : 0;
    at = step(source, at, found);
  }
  return at;
}

function unescaped(text: string): string {
  return text.replace(/\\(?:u([\da-f]{4})|([\s\S]))/gi, (_, code: string | undefined, letter: string | undefined) =>
    code === undefined ? (letter === "n" ? "\n" : (letter ?? "")) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
