// Front matter: YAML between two marker lines on top of a text, checked against a schema, every problem with its place.
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import type * as z from "zod";

export interface Problem {
  /** In the whole file; both count from 1. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export type Parsed<T> = { readonly data: T; readonly body: string } | { readonly problems: readonly Problem[] };

/** Front matter that is YAML, not checked yet. */
interface FrontMatter {
  readonly data: unknown;
  readonly body: string;
  /** Line of the file on which the body begins. */
  readonly bodyLine: number;
  /** A problem of the value at a path of keys and indexes, where it stands in the file. */
  problemAt(path: readonly PropertyKey[], message: string): Problem;
  /** Every problem that a check of the data has found. */
  problemsOf(error: z.ZodError): readonly Problem[];
}

/**
 * Splits a text and reads its front matter. A text that does not begin with a `---` or `+++` line is all body, and its
 * data are those of an empty front matter.
 * @returns the checked data and the text below; or every problem there is
 */
export function parseFrontMatter<T>(text: string, schema: z.ZodType<T>): Parsed<T> {
  const read = readFrontMatter(text);
  if ("problems" in read) return read;
  const checked = schema.safeParse(read.data);
  if (checked.success) return { data: checked.data, body: read.body };
  return { problems: read.problemsOf(checked.error) };
}

/** As `parseFrontMatter`, for who has something to do with the data before they are checked. */
export function readFrontMatter(text: string): FrontMatter | { readonly problems: readonly Problem[] } {
  const parts = split(text.startsWith("\uFEFF") ? text.slice(1) : text);
  if (parts === null) return { problems: [unclosed] };
  const places = new LineCounter();
  const placed = (offset: number, message: string): Problem => {
    const { line, col } = places.linePos(offset);
    return { line: parts.line + Math.max(line, 1) - 1, column: Math.max(col, 1), message };
  };
  const document = parseDocument(parts.yaml, { lineCounter: places, prettyErrors: false });
  const depth = document.errors.find(({ message }) => message.includes("call stack"));
  if (depth) return { problems: [placed(depth.pos[0], tooDeep)] };
  const syntax = document.errors.map(({ pos, message }) => placed(pos[0], message));
  const value = syntax.length > 0 ? null : toValue(document);
  if (value === null) return { problems: syntax.length > 0 ? syntax : [placed(0, aliases)] };
  return {
    data: value.data,
    body: parts.body,
    bodyLine: parts.bodyLine,
    problemAt: (path, message) => placed(locate(path, document).offset, message),
    problemsOf: ({ issues }) =>
      issues.flatMap((issue) => problemsOf(issue, document)).map(({ offset, message }) => placed(offset, message)),
  };
}

const unclosed: Problem = {
  line: 1,
  column: 1,
  message: "the front matter is not closed: its last line must be like this one",
};
const aliases = "an alias stands for nothing, or for too much";
const tooDeep = "the front matter is nested too deeply";

interface Parts {
  readonly yaml: string;
  readonly body: string;
  /** Lines of the file on which the YAML and the body begin. */
  readonly line: number;
  readonly bodyLine: number;
}

/** Null when the front matter is opened and never closed. */
function split(text: string): Parts | null {
  const opening = /^(---|\+\+\+)[ \t]*(?:\r?\n|$)/.exec(text);
  if (!opening) return { yaml: "", body: text, line: 1, bodyLine: 1 };
  const start = opening[0].length;
  const closing = opening[1] === "---" ? /^---[ \t]*\r?$/m : /^\+\+\+[ \t]*\r?$/m;
  const rest = text.slice(start);
  const end = closing.exec(rest);
  if (!end) return null;
  const yaml = rest.slice(0, end.index);
  const body = rest.slice(end.index + end[0].length).replace(/^\n/, "");
  return { yaml, body, line: 2, bodyLine: yaml.split("\n").length + 2 };
}

/** Null when aliases are wrong: yaml finds that only here, and never that a value is part of itself. */
function toValue(document: Document): { data: unknown } | null {
  try {
    const data: unknown = document.toJS() ?? {};
    JSON.stringify(data);
    return { data };
  } catch {
    return null;
  }
}

interface Found {
  /** In the YAML. */
  readonly offset: number;
  readonly message: string;
}

function problemsOf(issue: z.core.$ZodIssue, document: Document): Found[] {
  const paths = issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
  return paths.map((path) => {
    const { offset, missing } = locate(path, document);
    const name = path.length === 0 ? "front matter" : path.map(String).join(".");
    return { offset, message: `${name}: ${wordsFor(issue, missing)}` };
  });
}

/** Where the value at `path` is, or what would hold it. An empty value is where its key is. */
function locate(path: readonly PropertyKey[], document: Document): { offset: number; missing: boolean } {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const step of path) {
    const holder: unknown = isAlias(node) ? node.resolve(document) : node;
    if (isMap(holder)) {
      const pair = holder.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (!pair) return { offset, missing: true };
      node = pair.value;
      offset = (isEmpty(node) ? startOf(pair.key) : startOf(node)) ?? offset;
    } else if (isSeq(holder)) {
      node = holder.items[Number(step)];
      offset = startOf(node) ?? offset;
    } else {
      return { offset, missing: true };
    }
  }
  return { offset, missing: path.length > 0 && isEmpty(node) };
}

function isEmpty(node: unknown): boolean {
  return node === null || (isScalar(node) && node.value === null);
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

const kinds: Readonly<Record<string, string>> = {
  string: "a text",
  array: "a list",
  object: "a group of settings",
  record: "a group of settings",
  boolean: "true or false",
  number: "a number",
  int: "a whole number",
};

function wordsFor(issue: z.core.$ZodIssue, missing: boolean): string {
  if (issue.code === "unrecognized_keys") return "there is no such setting here";
  if (issue.code === "invalid_type") {
    const kind = kinds[issue.expected] ?? issue.expected;
    return missing ? `is missing (${kind})` : `must be ${kind}`;
  }
  if (issue.code === "too_small" && issue.origin === "number") return `must be at least ${issue.minimum}`;
  if (issue.code === "too_big" && issue.origin === "number") return `must be at most ${issue.maximum}`;
  return issue.message;
}
