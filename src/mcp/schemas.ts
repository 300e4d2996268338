// Whether the parameters that a server declares can be used: an endpoint refuses a whole request for one schema that is none.
import type { JsonSchema } from "../engine/ports.ts";

const types: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);

/** Characters of a schema, and steps into it: more is nothing that a model could keep to. */
const longest = 20_000;
const deepest = 40;

/** Why not, as the end of a sentence; null when nothing speaks against it. */
export function schemaProblem(schema: JsonSchema): string | null {
  if (JSON.stringify(schema).length > longest) return "its parameters are longer than 20,000 characters";
  return problemIn(schema, schema, 0);
}

function problemIn(part: unknown, whole: JsonSchema, depth: number): string | null {
  if (typeof part !== "object" || part === null) return null;
  if (depth > deepest) return "its parameters are nested too deeply";
  const own = Array.isArray(part) ? null : ownProblem({ ...part }, whole);
  if (own !== null) return own;
  for (const [key, inner] of Object.entries(part)) {
    const found = isData(key) ? null : problemIn(namedSchemas(key, inner), whole, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

/** What stands there is a value, and may look like anything. */
function isData(key: string): boolean {
  return ["const", "default", "enum", "example", "examples"].includes(key);
}

/** Of a group of schemas by their names: a parameter may be called `type`. */
function namedSchemas(key: string, value: unknown): unknown {
  const groups = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
  return groups.includes(key) && typeof value === "object" && value !== null ? Object.values(value) : value;
}

function ownProblem({ type, $ref }: Readonly<Record<string, unknown>>, whole: JsonSchema): string | null {
  const named = Array.isArray(type) ? type : [type];
  if (type !== undefined && !named.every((name) => types.has(name)))
    return `its parameters name a type that there is not: ${JSON.stringify(type)}`;
  if ($ref === undefined || (typeof $ref === "string" && leadsSomewhere($ref, whole))) return null;
  return `its parameters refer to ${JSON.stringify($ref)}, which is not in them`;
}

function leadsSomewhere(reference: string, whole: JsonSchema): boolean {
  if (!reference.startsWith("#")) return false;
  let at: unknown = whole;
  for (const step of reference.slice(1).split("/").slice(1)) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return false;
    at = Object.entries(at).find(([name]) => name === key)?.[1];
  }
  return true;
}
