// The arguments of a call as the model wrote them: JSON text in, parameters and the engine's own `_` fields out. Pure.
import type { Params, ToolCall } from "../protocol/messages.ts";

export type ParsedArguments =
  | {
      readonly kind: "parsed";
      readonly params: Params;
      /** The engine's own: names that begin with `_`. */
      readonly fields: Params;
      readonly reason: string | undefined;
    }
  | { readonly kind: "malformed"; readonly problem: string };

/** Reads a call's arguments; an empty text means no arguments, anything but an object is an error (C-14). */
export function parseArguments(call: ToolCall): ParsedArguments {
  const text = call.arguments.trim();
  let value: unknown;
  try {
    value = text === "" ? {} : JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      kind: "malformed",
      problem: `The arguments of ${call.name} are not valid JSON: ${why}. Send the call again.`,
    };
  }
  if (!isObject(value)) return { kind: "malformed", problem: `The arguments of ${call.name} must be one JSON object.` };
  const entries = Object.entries(value);
  const params = Object.fromEntries(entries.filter(([key]) => !key.startsWith("_")));
  const fields = Object.fromEntries(entries.filter(([key]) => key.startsWith("_")));
  const reason = value["_reasoningForCall"];
  return { kind: "parsed", params, fields, reason: typeof reason === "string" && reason !== "" ? reason : undefined };
}

function isObject(value: unknown): value is Params {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
