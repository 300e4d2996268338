// A server's tools as the engine's: each asks, whatever the server says of itself.
import type { CallContext, JsonSchema, Ports, Prepared, Refusal, Tool, ToolResult } from "../engine/ports.ts";
import { mcpPrefix } from "../protocol/mcp.ts";
import type { Params } from "../protocol/messages.ts";
import type { ListedTool } from "./connection.ts";
import { toolName } from "./names.ts";
import { schemaProblem } from "./schemas.ts";

/** How many of one server are offered: endpoints take hardly more. */
const mostTools = 128;
const longestDescription = 4_000;

interface Offering {
  /** Name of the server. */
  readonly server: string;
  /** Names of tools that may be offered; absent: all. */
  readonly allowed: readonly string[] | undefined;
  readonly validate: Ports["validate"];
  /** Never rejects. */
  readonly call: (tool: ListedTool, params: Params, context: CallContext) => Promise<ToolResult>;
}

export interface Offered {
  readonly tools: readonly Tool[];
  /** The ends of sentences: which tools are left out, and why. */
  readonly left: readonly string[];
}

/** Of two tools with one name the first counts. */
export function offer(listed: readonly ListedTool[], offering: Offering): Offered {
  const { server, allowed } = offering;
  const wanted = listed.filter(({ name }) => allowed?.includes(name) ?? true);
  const byName = new Map<string, Tool>();
  const left: string[] = [];
  for (const one of wanted) {
    const name = toolName(server, one.name);
    const problem = byName.has(name) ? "there is another of that name" : schemaProblem(one.inputSchema);
    if (problem !== null) left.push(`${quoted(one.name)}, because ${problem}`);
    else if (byName.size < mostTools) byName.set(name, toolOf(name, one, offering));
  }
  const more = wanted.length - left.length - byName.size;
  if (more > 0)
    left.push(`${more} more, because ${mostTools} are the most that are offered: name some in allowedTools`);
  return { tools: [...byName.values()], left };
}

function quoted(name: string): string {
  return `“${name.slice(0, 60)}”`;
}

function toolOf(name: string, listed: ListedTool, { server, validate, call }: Offering): Tool {
  const { description = listed.title ?? "", inputSchema } = listed;
  const parameters: JsonSchema = { ...inputSchema };
  // As the server calls it, unless that could be read as something else.
  const called = /^[\w./-]{1,64}$/.test(listed.name) ? listed.name : name.slice(mcpPrefix(server).length);
  const label = { verb: "Call", subject: `${server}: ${called}` };
  return {
    name,
    description: cut(description, longestDescription),
    parameters,
    effect: "run",
    label: () => label,
    touches: () => ({ reads: [], writes: [], runs: true }),
    prepare(params): Promise<Prepared | Refusal> {
      const problems = validate(parameters, params);
      if (problems.length > 0) {
        const content = [`The arguments of ${name} are wrong.`, ...problems].join("\n");
        return Promise.resolve({ kind: "refused", status: "failed", content });
      }
      const preview = { kind: "text", text: shown(params, listed) } as const;
      return Promise.resolve({
        kind: "prepared",
        params,
        label,
        preview,
        run: (context) => call(listed, params, context),
      });
    },
  };
}

/** What the server says of the tool is its word, and no more. */
function shown(params: Params, { annotations }: ListedTool): string {
  const says = annotations?.readOnlyHint === true ? "\n(The server says that this only reads.)" : "";
  return `${JSON.stringify(params, null, 2)}${says}`;
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}
