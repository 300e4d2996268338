// Bindings: parameters of a tool that the model neither sees nor gives, because they come from the inputs of the prompt. Pure.
import type { JsonSchema } from "../engine/ports.ts";
import type { DeclaredTool } from "../protocol/agents.ts";
import type { Params } from "../protocol/messages.ts";

/** Names of the parameters that a tool's bindings give. */
export function boundOf({ bindings }: DeclaredTool): ReadonlySet<string> {
  return new Set(Object.keys(groupOf(bindings)));
}

/** Without what the model has given for a bound parameter: it counts for nothing, also where the input is not there (C-15). */
export function withoutBound(tool: DeclaredTool, args: Params): Params {
  const bound = boundOf(tool);
  return Object.fromEntries(Object.entries(args).filter(([name]) => !bound.has(name)));
}

/** The arguments as the tool gets them (PROMPTY-9.5). */
export function withBound(tool: DeclaredTool, args: Params, inputs: Params): Params {
  return { ...withoutBound(tool, args), ...valuesOf(tool, inputs) };
}

/** Parameters that are written as a JSON Schema, as the model is told of them (PROMPTY-9.5-4). */
export function schemaWithoutBound(tool: DeclaredTool, schema: JsonSchema): JsonSchema {
  const { properties, required, ...rest } = schema;
  const bound = boundOf(tool);
  const left: unknown[] = Array.isArray(required) ? required.filter((name) => !bound.has(String(name))) : [];
  const shown = withoutBound(tool, groupOf(properties));
  return { ...rest, properties: shown, ...(left.length > 0 && { required: left }) };
}

/** What went wrong, without the values that the model may not see. */
export function withoutValues(message: string, tool: DeclaredTool, inputs: Params): string {
  const secrets = Object.values(valuesOf(tool, inputs)).filter((value) => typeof value === "string" && value !== "");
  return secrets.reduce<string>((text, value) => text.replaceAll(String(value), "[bound]"), message);
}

function valuesOf({ bindings }: DeclaredTool, inputs: Params): Params {
  const given = Object.entries(groupOf(bindings)).flatMap(([name, binding]): [string, unknown][] => {
    const { input, value } = groupOf(binding);
    if (typeof input !== "string") return value === undefined ? [] : [[name, value]];
    return Object.hasOwn(inputs, input) ? [[name, inputs[input]]] : [];
  });
  return Object.fromEntries(given);
}

function groupOf(value: unknown): Params {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
