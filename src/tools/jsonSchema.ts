// Checks a value against a JSON Schema that somebody else wrote, with a sentence for each problem.
import { type Schema, Validator } from "@cfworker/json-schema";
import type { Ports } from "../engine/ports.ts";

/** How many problems are worth telling at once. */
const most = 8;

/** The engine's port. A schema that cannot be used is itself the problem: nothing passes unchecked. */
export const validateJson: Ports["validate"] = (schema, value) => {
  try {
    const { valid, errors } = new Validator(schemaOf(schema), "2020-12", false).validate(value);
    if (valid) return [];
    // The innermost say what is wrong; the others only that something inside them is.
    const inner = errors.filter(({ keyword }) => !outer.has(keyword));
    return (inner.length > 0 ? inner : errors).slice(0, most).map(({ instanceLocation, error }) => {
      const place = instanceLocation.replace(/^#\/?/, "").replaceAll("/", ".");
      return `${place === "" ? "The value" : place}: ${error}`;
    });
  } catch (error) {
    return [`The schema cannot be used: ${error instanceof Error ? error.message : String(error)}`];
  }
};

const outer: ReadonlySet<string> = new Set(["properties", "items", "prefixItems", "additionalProperties", "$ref"]);

function schemaOf(schema: Readonly<Record<string, unknown>>): Schema {
  return { ...schema };
}
