// The expressions of a Jinja template, from the library's tree to functions. A value remembers the input it came with.
import { TemplateError } from "./promptySegments.ts";
import { compare, contains, filters, isEqual, isTrue, member, numberOf, own, textOf } from "./promptyValues.ts";

/** A node of the library's tree. */
export interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface Value {
  readonly value: unknown;
  /** The input that it came with; null: it stands in the file. */
  readonly source: string | null;
}

/** Where names are looked up. */
export interface Frame {
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The names of the loops around. */
  readonly loops: ReadonlyMap<string, Value>;
}

export type Evaluate = (frame: Frame) => Value;

/** @throws TemplateError when the library gave something that is no node */
export function nodeOf(value: unknown): Node {
  if (isNode(value)) return value;
  throw new TemplateError("template: this is not understood");
}

export function nodesOf(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.map(nodeOf) : [];
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** @throws TemplateError for what is not part of this language, such as a call */
export function expressionOf(node: Node): Evaluate {
  const make = kinds.get(node.type);
  if (make === undefined) throw new TemplateError(`template: ${words[node.type] ?? node.type} cannot be used here`);
  return make(node);
}

const words: Readonly<Record<string, string>> = {
  CallExpression: "a call of a function",
  ObjectLiteral: "a map",
  SliceExpression: "a part of a list",
};

const kinds: ReadonlyMap<string, (node: Node) => Evaluate> = new Map([
  ["StringLiteral", constant],
  ["IntegerLiteral", constant],
  ["FloatLiteral", constant],
  ["Identifier", name],
  ["MemberExpression", memberOf],
  ["FilterExpression", filter],
  ["TestExpression", test],
  ["BinaryExpression", binary],
  ["UnaryExpression", unary],
  ["Ternary", ternary],
  ["SelectExpression", select],
  ["ArrayLiteral", list],
  ["TupleLiteral", list],
]);

function constant(node: Node): Evaluate {
  const value = { value: node["value"], source: null };
  return () => value;
}

export const constants: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["true", true],
  ["false", false],
  ["none", null],
  ["True", true],
  ["False", false],
  ["None", null],
]);

function name(node: Node): Evaluate {
  const key = String(node["value"]);
  if (constants.has(key)) return () => ({ value: constants.get(key), source: null });
  return ({ inputs, loops }) => loops.get(key) ?? { value: own(inputs, key), source: key };
}

function memberOf(node: Node): Evaluate {
  const holder = expressionOf(nodeOf(node["object"]));
  const property = nodeOf(node["property"]);
  const key = node["computed"] === true ? expressionOf(property) : constant(property);
  return (frame) => {
    const held = holder(frame);
    const wanted = key(frame);
    return from(member(held.value, wanted.value), held, wanted);
  };
}

/** A value made of others: whatever one input had a part in belongs to it. */
function from(value: unknown, ...parts: readonly Value[]): Value {
  return { value, source: parts.find(({ source }) => source !== null)?.source ?? null };
}

interface Arguments {
  readonly positional: readonly Evaluate[];
  readonly named: ReadonlyMap<string, Evaluate>;
}

function filter(node: Node): Evaluate {
  const operand = expressionOf(nodeOf(node["operand"]));
  const call = nodeOf(node["filter"]);
  const callee = call.type === "CallExpression" ? nodeOf(call["callee"]) : call;
  const called = String(callee["value"]);
  const kind = callee.type === "Identifier" ? filters.get(called) : undefined;
  if (kind === undefined)
    throw new TemplateError(`template: there is no filter \`${called}\`; there are ${[...filters.keys()].join(", ")}`);
  const { positional, named } = argumentsOf(call, called);
  if (positional.length > kind.takes.length || [...named.keys()].some((key) => !kind.takes.includes(key)))
    throw new TemplateError(`template: the filter \`${called}\` takes only ${kind.takes.join(", ") || "its value"}`);
  return (frame) => {
    const value = operand(frame);
    const args = kind.takes.map((key, i) => [key, (named.get(key) ?? positional[i])?.(frame)] as const);
    const given = args.flatMap(([key, arg]) => (arg === undefined ? [] : [[key, arg] as const]));
    const plain = Object.fromEntries(given.map(([key, arg]) => [key, arg.value]));
    return from(kind.apply(value.value, plain), value, ...given.map(([, arg]) => arg));
  };
}

function argumentsOf(call: Node, called: string): Arguments {
  const args = nodesOf(call["args"]);
  if (args.some(({ type }) => type.endsWith("SpreadExpression")))
    throw new TemplateError(`template: the filter \`${called}\` takes its arguments one by one`);
  const named = args.filter(({ type }) => type === "KeywordArgumentExpression");
  return {
    positional: args.filter((arg) => !named.includes(arg)).map(expressionOf),
    named: new Map(
      named.map((arg) => [String(nodeOf(arg["key"])["value"]), expressionOf(nodeOf(arg["value"]))] as const),
    ),
  };
}

const tests: ReadonlyMap<string, (value: unknown) => boolean> = new Map<string, (value: unknown) => boolean>([
  ["defined", (value) => value !== undefined],
  ["undefined", (value) => value === undefined],
  ["none", (value) => value === null],
]);

function test(node: Node): Evaluate {
  const operand = expressionOf(nodeOf(node["operand"]));
  const called = String(nodeOf(node["test"])["value"]);
  const holds = tests.get(called);
  if (holds === undefined)
    throw new TemplateError(`template: there is no test \`${called}\`; there are ${[...tests.keys()].join(", ")}`);
  return (frame) => {
    const value = operand(frame);
    return from(holds(value.value) !== (node["negate"] === true), value);
  };
}

const operators: ReadonlyMap<string, (a: unknown, b: unknown) => unknown> = new Map<
  string,
  (a: unknown, b: unknown) => unknown
>([
  ["==", isEqual],
  ["!=", (a, b) => !isEqual(a, b)],
  ["<", (a, b) => compare(a, b) < 0],
  ["<=", (a, b) => compare(a, b) <= 0],
  [">", (a, b) => compare(a, b) > 0],
  [">=", (a, b) => compare(a, b) >= 0],
  ["in", (a, b) => contains(b, a)],
  ["not in", (a, b) => !contains(b, a)],
  ["~", (a, b) => textOf(a) + textOf(b)],
  ["+", (a, b) => (typeof a === "string" && typeof b === "string" ? a + b : numberOf(a) + numberOf(b))],
  ["-", (a, b) => numberOf(a) - numberOf(b)],
  ["*", (a, b) => numberOf(a) * numberOf(b)],
]);

function binary(node: Node): Evaluate {
  const operator = String(own(node["operator"], "value"));
  const [left, right] = [expressionOf(nodeOf(node["left"])), expressionOf(nodeOf(node["right"]))];
  if (operator === "and" || operator === "or")
    return (frame) => {
      const first = left(frame);
      return isTrue(first.value) === (operator === "or") ? first : right(frame);
    };
  const apply = operators.get(operator);
  if (apply === undefined) throw new TemplateError(`template: \`${operator}\` is not part of this template language`);
  return (frame) => {
    const [a, b] = [left(frame), right(frame)];
    return from(apply(a.value, b.value), a, b);
  };
}

function unary(node: Node): Evaluate {
  const operator = String(own(node["operator"], "value"));
  const argument = expressionOf(nodeOf(node["argument"]));
  return (frame) => {
    const value = argument(frame);
    if (operator === "not") return from(!isTrue(value.value), value);
    return from(numberOf(value.value) * (operator === "-" ? -1 : 1), value);
  };
}

function ternary(node: Node): Evaluate {
  const condition = expressionOf(nodeOf(node["condition"]));
  const [yes, no] = [expressionOf(nodeOf(node["trueExpr"])), expressionOf(nodeOf(node["falseExpr"]))];
  return (frame) => (isTrue(condition(frame).value) ? yes(frame) : no(frame));
}

/** `a if b` without an `else`. */
function select(node: Node): Evaluate {
  const [value, condition] = [expressionOf(nodeOf(node["lhs"])), expressionOf(nodeOf(node["test"]))];
  return (frame) => (isTrue(condition(frame).value) ? value(frame) : { value: undefined, source: null });
}

function list(node: Node): Evaluate {
  const items = nodesOf(node["value"]).map(expressionOf);
  return (frame) => {
    const values = items.map((item) => item(frame));
    return from(
      values.map(({ value }) => value),
      ...values,
    );
  };
}
