// The arguments of a call as the model wrote them: JSON text in, parameters and the engine's own `_` fields out. Pure.
import type { Params, ToolCall } from "../protocol/messages.ts";

export type ParsedArguments =
  | {
      readonly kind: "parsed";
      readonly params: Params;
      /** The engine's own: names that begin with `_`. */
      readonly fields: Params;
      readonly reason: string | undefined;
      /** The text was no valid JSON and was mended: what changes something is always asked about then. */
      readonly repaired: boolean;
    }
  | { readonly kind: "malformed"; readonly problem: string };

/** Reads a call's arguments; an empty text means no arguments, anything but an object is an error (C-14). */
export function parseArguments(call: ToolCall): ParsedArguments {
  const text = call.arguments.trim();
  const read = text === "" ? { value: {}, repaired: false } : parse(text);
  if ("problem" in read)
    return {
      kind: "malformed",
      problem: `The arguments of ${call.name} are not valid JSON: ${read.problem}. Send the call again.`,
    };
  const { value, repaired } = read;
  if (!isObject(value)) return { kind: "malformed", problem: `The arguments of ${call.name} must be one JSON object.` };
  const entries = Object.entries(value);
  const params = Object.fromEntries(entries.filter(([key]) => !key.startsWith("_")));
  const fields = Object.fromEntries(entries.filter(([key]) => key.startsWith("_")));
  const reason = value["_reasoningForCall"];
  const said = typeof reason === "string" && reason !== "" ? reason : undefined;
  return { kind: "parsed", params, fields, reason: said, repaired };
}

type Read = { readonly value: unknown; readonly repaired: boolean } | { readonly problem: string };

function parse(text: string): Read {
  try {
    return { value: JSON.parse(text), repaired: false };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    try {
      return { value: JSON.parse(repair(text)), repaired: true };
    } catch {
      return { problem };
    }
  }
}

/**
 * Mends what leaves no doubt about what was meant: a code fence around it, commas before a closing bracket, line breaks
 * inside strings. What was cut off is never completed: half a file must not look like a whole one.
 */
function repair(text: string): string {
  const inner = /^```\w*\s*([\s\S]*?)\s*```$/.exec(text)?.[1] ?? text;
  return inner.replaceAll(/"(?:[^"\\]|\\[\s\S])*"|,(?=\s*[}\]])/g, (part) =>
    part === "," ? "" : part.replaceAll(/[\n\r\t]/g, (character) => JSON.stringify(character).slice(1, -1)),
  );
}

function isObject(value: unknown): value is Params {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
