// The names that a Jinja template has of inputs which nobody declares: they render to nothing, which is rarely meant (C-41). Pure.
import { parse, tokenize } from "@huggingface/jinja";
import { constants, isNode, type Node } from "./promptyExpressions.ts";

/**
 * What is asked for on purpose, by `is defined` or with a `default`, is none of them.
 * @param template one that can be read
 */
export function undeclaredNames(template: string, declared: Iterable<string>): readonly string[] {
  const found = new Set<string>();
  walk(parse(tokenize(`${template}\n`)).body, new Set(declared), found);
  return [...found];
}

function walk(value: unknown, known: ReadonlySet<string>, found: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) walk(item, known, found);
  if (!isNode(value)) return;
  for (const [part, names] of partsOf(value, known)) walk(part, names, found);
  const name = value.type === "Identifier" ? String(value["value"]) : "";
  if (name !== "" && !known.has(name) && !constants.has(name)) found.add(name);
}

type Part = readonly [part: unknown, known: ReadonlySet<string>];

/** What of a node is looked up, with the names that are known there. */
function partsOf(node: Node, known: ReadonlySet<string>): readonly Part[] {
  switch (node.type) {
    case "Identifier":
    case "TestExpression":
      return [];
    case "MemberExpression":
      return [[node["object"], known], ...(node["computed"] === true ? [[node["property"], known] as const] : [])];
    case "KeywordArgumentExpression":
      return [[node["value"], known]];
    case "FilterExpression":
      return filterParts(node, known);
    case "For":
      return forParts(node, known);
    default:
      return Object.values(node).map((part) => [part, known] as const);
  }
}

function filterParts({ operand, filter }: Node, known: ReadonlySet<string>): readonly Part[] {
  const call = isNode(filter) && filter.type === "CallExpression" ? filter : null;
  const callee = call ? call["callee"] : filter;
  const name = isNode(callee) ? callee["value"] : undefined;
  const isAsked = name === "default" || name === "d";
  return [...(isAsked ? [] : [[operand, known] as const]), [call?.["args"], known]];
}

function forParts({ loopvar, iterable, body, defaultBlock }: Node, known: ReadonlySet<string>): readonly Part[] {
  const name = isNode(loopvar) ? String(loopvar["value"]) : "";
  const within = new Set([...known, name, "loop"]);
  const chosen = isNode(iterable) && iterable.type === "SelectExpression" ? iterable : null;
  const from = chosen ? chosen["lhs"] : iterable;
  return [
    [from, known],
    [chosen?.["test"], within],
    [body, within],
    [defaultBlock, known],
  ];
}
