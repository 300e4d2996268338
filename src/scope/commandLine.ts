// What a command line would run, read from its parsed form: every command in it, every file it redirects to, and what nobody can know.
import { forEachChild, parse } from "unbash";
import type { Assignment, Command, Redirection, SyntaxNode, Word } from "unbash";
import { unwrap } from "./commandWrappers.ts";
import { unknown, type CommandWord, type LinePart } from "./linePart.ts";

const longest = 20_000;
const deepest = 8;

/**
 * Reads a line for a POSIX shell or bash. Never throws: what is not understood is a part of kind `unknown`.
 * @param depth how many shells deep the line stands
 */
export function readCommandLine(line: string, depth = 0): readonly LinePart[] {
  if (line.length > longest || depth > deepest) return [unknown("it is too long or too deep")];
  // Neither is seen by a person, and shells differ about them.
  if (/[\0\r\p{Bidi_Control}]/u.test(line)) return [unknown("it has characters that cannot be seen")];
  try {
    const parts: LinePart[] = [];
    const script = parse(line);
    visit(script, { parts, depth, tested: hasTests(line) });
    return readsAll(script, line) ? parts : [...parts, unknown("it cannot be parsed")];
  } catch {
    return [unknown("it cannot be parsed")];
  }
}

/** The parser passes over what it does not understand, and does not always say so. */
function readsAll(script: SyntaxNode, line: string): boolean {
  const rest = line.split("");
  const cover = ({ pos, end }: { readonly pos: number; readonly end: number }): void => {
    rest.fill("", pos, end);
  };
  const look = (node: SyntaxNode): void => {
    if (node.type === "Statement") cover(node);
    if (node.type === "HereDoc") for (const range of [node.body, node.closing]) if (range) cover(range);
    forEachChild(node, look);
  };
  forEachChild(script, look);
  return /^(?:[\s;&]|\\\n|#[^\n]*)*$/.test(rest.join(""));
}

interface Reading {
  readonly parts: LinePart[];
  readonly depth: number;
  /** Text that is data here could be run as code by what evaluates numbers. */
  readonly tested: boolean;
}

/** Bash runs a substitution that it finds in the text of a number. */
function hasTests(line: string): boolean {
  return /\(\(|\[\[|\$\[|\[|\b(?:let|declare|typeset|local|test|unset|read|printf)\b/.test(line);
}

function visit(node: SyntaxNode, reading: Reading): void {
  const why = doubtful(node, reading);
  if (why !== null) reading.parts.push(unknown(why));
  if (node.type === "Command") readCommand(node, reading);
  if (node.type === "Redirect" || node.type === "HereString" || node.type === "HereDoc") readRedirection(node, reading);
  forEachChild(node, (child) => visit(child, reading));
}

/** Why nobody can know what this does, apart from what its children do; null when nothing is wrong with it. */
function doubtful(node: SyntaxNode, { tested }: Reading): string | null {
  switch (node.type) {
    case "Script":
      return node.errors?.length ? "it cannot be parsed" : null;
    case "ArithmeticCommand":
    case "ArithmeticFor":
    case "Coproc":
    case "Select":
      return "not every shell reads it in the same way";
    case "ArithmeticExpansion":
      // What is no sum may be run as a command.
      return plainSum.test(node.text) ? null : "not every shell reads it in the same way";
    case "TestLogical":
    case "TestGroup":
      return "not every shell reads it in the same way";
    case "TestBinary":
      return /[<>~]/.test(node.operator) ? "not every shell reads it in the same way" : null;
    case "Transform":
      return "a variable is expanded twice";
    case "ParameterExpansion":
      return node.prefix === "!" ? "a variable names another one" : null;
    case "Redirected":
    case "Word":
      return node.type === "Word" && tested && hidesCode(node) ? "a text holds code" : null;
    case "CommandExpansion":
    case "ProcessSubstitution":
    case "ArithmeticCommandExpansion":
      return node.script === undefined ? "it cannot be parsed" : null;
    default:
      return null;
  }
}

const plainSum = /^\$\(\(\s*[\w$]+(?:\s*[-+*/%]\s*[\w$]+)*\s*\)\)$/;

/** A substitution that is only text at this place. */
function hidesCode(word: Word): boolean {
  const value = valueOf(word);
  return value !== null && /\$\(|`|\$\{|\$\[/.test(value);
}

function readCommand({ name, prefix, suffix }: Command, { parts, depth }: Reading): void {
  const assigned = [...prefix, ...suffix].filter((part): part is Assignment => part.type === "Assignment");
  const sets = assigned.map((assignment) => assignment.name);
  if (!name) {
    if (sets.length > 0) parts.push({ ...nothing, words: [], sets });
    return;
  }
  const program = valueOf(name);
  if (program === null || program === "") {
    parts.push(unknown("the name of the program is known only when it runs"));
    return;
  }
  const args = suffix.flatMap((part): CommandWord[] => {
    if (part.type === "Word") return [valueOf(part)];
    return part.type === "Assignment" ? [assignmentText(part)] : [];
  });
  parts.push(...unwrap([program, ...args], sets, { depth, read: readCommandLine }));
}

const nothing = { kind: "command", opaque: false, wraps: "nothing", names: 0, inner: [] } as const;

function assignmentText({ name, value, append, index }: Assignment): CommandWord {
  const text = value.type === "Word" && !index ? valueOf(value) : null;
  return text === null ? null : `${name}${append === true ? "+=" : "="}${text}`;
}

/** Where redirections lead that change and tell nothing. */
const sinks: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"]);

function readRedirection(node: Redirection, { parts }: Reading): void {
  if (node.type !== "Redirect") return;
  const { operator, target } = node;
  const path = target ? valueOf(target) : null;
  if (isSink(path, operator) || target?.parts?.some(({ type }) => type === "ProcessSubstitution") === true) return;
  if (/^\/dev\/(?:tcp|udp)\//.test(path ?? "")) parts.push(unknown("it opens a network connection"));
  else if (operator === "<" || operator === "<&") parts.push({ kind: "read", path });
  else parts.push({ kind: "write", path, keeps: operator.endsWith(">>") });
}

/** It goes nowhere, or to where another one goes already. */
function isSink(path: CommandWord, operator: string): boolean {
  return path !== null && (sinks.has(path) || (operator.endsWith("&") && /^(?:\d+-?|-)$/.test(path)));
}

/** The word's text without its quotes; null when it is known only when the line runs. */
function valueOf({ text, value, parts }: Word): CommandWord {
  if (text.startsWith("~")) return null;
  return parts === undefined || parts.every(isFixed) ? value : null;
}

type Part = NonNullable<Word["parts"]>[number];

function isFixed(part: Part): boolean {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return true;
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.every(({ type }) => type === "Literal");
    default:
      return false;
  }
}
