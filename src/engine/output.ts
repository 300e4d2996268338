// A final answer in a form that the agent asks for: the reserved tool that takes it, and the check of one given in words.
import type { AgentDefinition } from "../protocol/agents.ts";
import type { JsonSchema, Model, Ports, Tool } from "./ports.ts";

/** The reserved tool: its parameters are the agent's output schema (DIGEST 1.19). */
export const finalOutput = "final_output";

type Validate = Ports["validate"];

/** The schema that the endpoint itself holds the answer to; undefined where the reserved tool is needed for that. */
export function formOf({ output }: AgentDefinition, { structures }: Model): JsonSchema | undefined {
  return output && structures?.(output) === true ? output : undefined;
}

/** Arguments are always an object: every other output travels in one named `output`. */
function isObjectSchema(schema: JsonSchema): boolean {
  return schema["type"] === "object";
}

/** Makes the tool. What does not hold against the schema is a failed call, and the loop goes on (LOOP-OUTER-5). */
export function outputTool(schema: JsonSchema, validate: Validate): Tool {
  const whole = isObjectSchema(schema);
  const label = { verb: "Answer", subject: "" };
  return {
    name: finalOutput,
    description: "Gives the final output and ends the run, once the other calls of the reply have ended.",
    parameters: whole ? schema : { type: "object", properties: { output: schema }, required: ["output"] },
    effect: "read",
    label: () => label,
    touches: () => ({ reads: [], writes: [], runs: false }),
    prepare(params) {
      const value = whole ? params : params["output"];
      const problems = validate(schema, value);
      if (problems.length > 0) {
        const content = ["This is not the output that is asked for.", ...problems].join("\n");
        return Promise.resolve({ kind: "refused", status: "failed", content });
      }
      const result = { status: "succeeded", content: "Taken as the final output.", value } as const;
      return Promise.resolve({ kind: "prepared", params, label, run: () => Promise.resolve(result) });
    },
  };
}

export type ReadOutput =
  | { readonly kind: "output"; readonly value: unknown }
  /** What the model is told. */
  | { readonly kind: "problem"; readonly message: string };

/**
 * Reads an answer in words as the output.
 * @param isForm the endpoint was asked to hold the answer to the schema, and there is no reserved tool
 */
export function readOutput(
  text: string,
  schema: JsonSchema,
  { validate, isForm }: { readonly validate: Validate; readonly isForm: boolean },
): ReadOutput {
  const inner = /^\s*```\w*\s*([\s\S]*?)\s*```\s*$/.exec(text)?.[1] ?? text;
  const again = isForm
    ? `Call tools, or answer with JSON that holds to this schema and nothing else: ${JSON.stringify(schema)}`
    : `Call tools, or give the output with ${finalOutput}.`;
  if (inner.trim() === "") return { kind: "problem", message: `You gave neither calls nor an output. ${again}` };
  // A string that is asked for may come as it is.
  const value = parsed(inner) ?? { value: text };
  const problems = validate(schema, value.value);
  if (problems.length === 0) return { kind: "output", value: value.value };
  const bare = withoutNulls(value.value, schema);
  if (validate(schema, bare).length === 0) return { kind: "output", value: bare };
  return { kind: "problem", message: ["This is not the output that is asked for.", ...problems, again].join("\n") };
}

/** Where a form knows no members that may be left out, null stands for those. */
function withoutNulls(value: unknown, schema: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutNulls(one, memberOf(schema, "items")));
  if (typeof value !== "object" || value === null) return value;
  const required = memberOf(schema, "required");
  const isNeeded = (name: string): boolean => Array.isArray(required) && required.includes(name);
  const members = Object.entries(value).filter(([name, one]) => one !== null || isNeeded(name));
  const properties = memberOf(schema, "properties");
  return Object.fromEntries(members.map(([name, one]) => [name, withoutNulls(one, memberOf(properties, name))]));
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : null;
}

function parsed(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}
