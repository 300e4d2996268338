// Jinja templates: read by the library, checked and run here. Only data, a few filters, `if` and `for`: nothing can be called.
import { parse, tokenize } from "@huggingface/jinja";
import {
  type Evaluate,
  expressionOf,
  type Frame,
  type Node,
  nodeOf,
  nodesOf,
  type Value,
} from "./promptyExpressions.ts";
import { checkBlanks, type Output, type Template, TemplateError } from "./promptySegments.ts";
import { isTrue, itemsOf, textOf } from "./promptyValues.ts";

type Run = (frame: Frame, output: Output) => void;

/** @throws TemplateError with the line */
export function readJinja(text: string): Template {
  checkBlanks(text);
  const run = blockOf(parsed(text), text);
  return {
    render: (inputs, output) => {
      run({ inputs, loops: new Map() }, output);
    },
  };
}

function parsed(text: string): readonly Node[] {
  try {
    return parseText(text);
  } catch (error) {
    throw placed(text, error);
  }
}

/** The library takes one newline off the end, which belongs to the text. */
function parseText(text: string): readonly Node[] {
  return nodesOf(parse(tokenize(`${text}\n`)).body);
}

/** The line of an error is the first one that a text up to it has the same error with; the library knows no lines. */
function placed(text: string, error: unknown): TemplateError {
  if (error instanceof RangeError) return new TemplateError("template: is nested too deeply", 1);
  if (isEnd(error)) return unclosed(text);
  const lines = text.split("\n");
  let [known, wrong] = [0, lines.length];
  while (wrong - known > 1) {
    const middle = Math.floor((known + wrong) / 2);
    if (failsWithin(lines.slice(0, middle).join("\n"))) wrong = middle;
    else known = middle;
  }
  const words = error instanceof Error ? error.message.replace(/^Parser Error: /, "") : String(error);
  return new TemplateError(`template: ${words.replace(/\.?$/, "")}`, wrong);
}

function failsWithin(text: string): boolean {
  try {
    parseText(text);
    return false;
  } catch (error) {
    return !isEnd(error);
  }
}

/** Whether the text ended too early, in which case more of it would have helped. */
function isEnd(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && /end of input|end of comment/.test(error.message));
}

function unclosed(text: string): TemplateError {
  const open: { readonly name: string; readonly offset: number }[] = [];
  for (const match of text.matchAll(/\{%[-+]?\s*(?:(if|for)|end(?:if|for))\b/g)) {
    const [, name] = match;
    if (name === undefined) open.pop();
    else open.push({ name, offset: match.index });
  }
  const last = Math.max(...["{{", "{%", "{#"].map((mark) => text.lastIndexOf(mark)));
  const { name, offset } = open.at(-1) ?? { name: null, offset: last };
  const what = name === null ? "this is not closed" : `\`${name}\` has no \`end${name}\``;
  return new TemplateError(`template: ${what}`, text.slice(0, offset).split("\n").length);
}

function blockOf(nodes: readonly Node[], text: string): Run {
  const runs = nodes.map((node) => statementOf(node, text));
  return (frame, output) => {
    for (const run of runs) run(frame, output);
  };
}

const unknown: Readonly<Record<string, string>> = {
  Set: "set",
  Macro: "macro",
  CallStatement: "call",
  FilterStatement: "filter",
  Break: "break",
  Continue: "continue",
};

function statementOf(node: Node, text: string): Run {
  const name = unknown[node.type];
  if (name !== undefined) throw refused(name, text);
  switch (node.type) {
    case "Comment":
      return () => undefined;
    case "If":
      return ifOf(node, text);
    case "For":
      return forOf(node, text);
    default:
      return outputOf(expression(node, text));
  }
}

/** An expression, with what is wrong with it put on the line of the first tag that could hold it. */
function expression(node: Node, text: string): Evaluate {
  try {
    return expressionOf(node);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const [, word = "{{"] = /`([^`]+)`/.exec(error.message) ?? [];
    const offset = text.indexOf(word, text.search(/\{[{%]/));
    throw new TemplateError(error.message, text.slice(0, Math.max(offset, 0)).split("\n").length);
  }
}

function refused(name: string, text: string): TemplateError {
  return new TemplateError(`template: \`${name}\` is not part of this template language`, lineOf(name, text));
}

/** Of the first statement of that name. */
function lineOf(name: string, text: string): number {
  const offset = text.search(new RegExp(String.raw`\{%[-+]?\s*${name}\b`));
  return text.slice(0, Math.max(offset, 0)).split("\n").length;
}

function outputOf(evaluate: Evaluate): Run {
  return (frame, output) => {
    output.step();
    const { value, source } = evaluate(frame);
    output.write(textOf(value), source);
  };
}

function ifOf(node: Node, text: string): Run {
  const test = expression(nodeOf(node["test"]), text);
  const body = blockOf(nodesOf(node["body"]), text);
  const alternate = blockOf(nodesOf(node["alternate"]), text);
  return (frame, output) => {
    output.step();
    (isTrue(test(frame).value) ? body : alternate)(frame, output);
  };
}

function forOf(node: Node, text: string): Run {
  const target = nodeOf(node["loopvar"]);
  if (target.type !== "Identifier") throw new TemplateError("template: a `for` takes one name", lineOf("for", text));
  const name = String(target["value"]);
  const iterable = nodeOf(node["iterable"]);
  const chosen = iterable.type === "SelectExpression";
  const all = expression(chosen ? nodeOf(iterable["lhs"]) : iterable, text);
  const isChosen = chosen ? expression(nodeOf(iterable["test"]), text) : null;
  const body = blockOf(nodesOf(node["body"]), text);
  const otherwise = blockOf(nodesOf(node["defaultBlock"]), text);
  return (frame, output) => {
    const { value, source } = all(frame);
    const frames = itemsOf(value).map((item) => within(frame, [[name, { value: item, source }]]));
    const used = isChosen === null ? frames : frames.filter((one) => isTrue(isChosen(one).value));
    if (used.length === 0) otherwise(frame, output);
    for (const [index, one] of used.entries()) {
      output.step();
      body(within(one, [["loop", { value: loopAt(index, used.length), source: null }]]), output);
    }
  };
}

function within(frame: Frame, names: readonly (readonly [string, Value])[]): Frame {
  return { inputs: frame.inputs, loops: new Map([...frame.loops, ...names]) };
}

function loopAt(index: number, length: number): Readonly<Record<string, unknown>> {
  return {
    index: index + 1,
    index0: index,
    revindex: length - index,
    revindex0: length - index - 1,
    first: index === 0,
    last: index === length - 1,
    length,
  };
}
