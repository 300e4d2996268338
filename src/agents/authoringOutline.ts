// Front matter by its indentation: which keys are where, also while it is being written and is no YAML yet.

/** A key, or the beginning of an item, where it stands in its line. */
interface Step {
  /** Characters before it. */
  readonly indent: number;
  /** `[]` for an item of a list. */
  readonly name: string;
}

export const item = "[]";

export interface KeyPlace {
  /** Both count from 1, in the file. */
  readonly line: number;
  readonly column: number;
  readonly name: string;
  /** Names of what it is in, outermost first. */
  readonly path: readonly string[];
}

/** Where somebody writes. */
export interface WritingPlace {
  /** At the name of a key or an item, or behind a key. */
  readonly kind: "key" | "value";
  /** What is to be completed is a member, or the value, of this. */
  readonly path: readonly string[];
  /** What is there already, and the column at which it begins. */
  readonly typed: string;
  readonly column: number;
  /** Keys that are beside it. */
  readonly beside: readonly string[];
}

/** Every key of the front matter; none where there is no front matter. */
export function keyPlaces(text: string): readonly KeyPlace[] {
  const lines = outline(text);
  return lines.flatMap((steps, index) => {
    const key = steps.at(-1);
    if (!key || key.name === item) return [];
    const path = pathAt(lines, index, { steps: steps.slice(0, -1), indent: key.indent });
    return [{ line: index + 1, column: key.indent + 1, name: key.name, path }];
  });
}

/** What is being written at a place of the text; null where nothing can be completed. Both count from 1. */
export function writingPlace(text: string, line: number, column: number): WritingPlace | null {
  const lines = outline(text);
  const before = (text.split("\n")[line - 1] ?? "").slice(0, column - 1);
  if (line < 2 || line > lines.length) return null;
  const asKey = /^(\s*(?:-\s+)*)([\w-]*)$/.exec(before);
  const asValue = /^(\s*(?:-\s+)*)([\w-]+):\s+([\w-]*)$/.exec(before);
  const [, lead = "", word = "", value] = asKey ?? asValue ?? [];
  if (!asKey && !asValue) return null;
  const path = pathAt(lines, line - 1, { steps: dashesOf(lead), indent: lead.length });
  if (value !== undefined)
    return { kind: "value", path: [...path, word], typed: value, column: column - value.length, beside: [] };
  const beside = keyPlaces(text).filter((key) => key.line !== line && isSame(key, path, { lines, line }));
  return { kind: "key", path, typed: word, column: lead.length + 1, beside: beside.map(({ name }) => name) };
}

/** Steps of each line up to the end of the front matter; the first line's are none. */
function outline(text: string): readonly (readonly Step[])[] {
  const [first = "", ...rest] = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  if (!/^---[ \t]*$/.test(first)) return [];
  const end = rest.findIndex((line) => /^---[ \t]*$/.test(line));
  // Texts of several lines hold no keys.
  let inText = Infinity;
  const steps = (end === -1 ? rest : rest.slice(0, end)).map((line): readonly Step[] => {
    const indent = line.search(/\S/);
    if (indent === -1 || indent > inText) return [];
    inText = /:\s*[|>][-+\d]*\s*$/.test(line) ? indent : Infinity;
    return stepsOf(line);
  });
  return [[], ...steps];
}

function stepsOf(line: string): readonly Step[] {
  const [, lead = "", name] = /^(\s*(?:-\s+)*)(?:([\w$.-]+)\s*:(?:\s|$))?/.exec(line) ?? [];
  const dashes = dashesOf(lead === "" && /^-\s*$/.test(line) ? "- " : lead);
  return name === undefined ? dashes : [...dashes, { indent: lead.length, name }];
}

function dashesOf(lead: string): readonly Step[] {
  return [...lead.matchAll(/-/g)].map(({ index }) => ({ indent: index, name: item }));
}

interface From {
  /** What stands before it on its own line. */
  readonly steps: readonly Step[];
  readonly indent: number;
}

/** What something at a line and an indent is in. */
function pathAt(lines: readonly (readonly Step[])[], index: number, { steps, indent }: From): readonly string[] {
  const above = lines.slice(0, index).toReversed();
  let limit: Step = { indent, name: "" };
  const path: string[] = [];
  for (const step of [steps, ...above].flatMap((line) => line.toReversed())) {
    // A list may stand as far left as its key.
    const around =
      step.indent < limit.indent || (limit.name === item && step.name !== item && step.indent === limit.indent);
    if (!around) continue;
    path.unshift(step.name);
    limit = step;
  }
  return path;
}

/** Whether a key is in the same group, and for items of lists in the same item. */
function isSame(
  { path, line: other }: KeyPlace,
  own: readonly string[],
  { lines, line }: { readonly lines: readonly (readonly Step[])[]; readonly line: number },
): boolean {
  if (path.join("\n") !== own.join("\n")) return false;
  const [from, to] = [Math.min(line, other), Math.max(line, other)];
  const between = lines.slice(from, to);
  return own.at(-1) !== item || !between.some((steps) => steps.some(({ name }) => name === item));
}
