// The MCP servers that .prompty files name as tools (PROMPTY 2.9): those that are set up, or the address that a file gives.
import path from "node:path";
import * as z from "zod";
import type { Workshop } from "./agents/promptyTools.ts";
import { mostToConfirm } from "./composeMcp.ts";
import type { Tool } from "./engine/ports.ts";
import { toolName } from "./mcp/names.ts";
import type { Server } from "./mcp/server.ts";
import type { Servers } from "./mcp/servers.ts";
import type { DeclaredTool } from "./protocol/agents.ts";
import { LoopError } from "./protocol/errors.ts";
import { readServers, serverNamed } from "./protocol/mcp.ts";

const names = z.array(z.string()).nullish();

/** What is read of such a tool. A mode that is one word has been spelled out. */
const Declared = z.looseObject({
  serverName: z.string().nullish(),
  connection: z.looseObject({ name: z.string().nullish(), endpoint: z.string().nullish() }).nullish(),
  allowedTools: names,
  approvalMode: z
    .looseObject({
      kind: z.enum(["always", "never", "specify"]),
      alwaysRequireApprovalTools: names,
    })
    .nullish(),
});
type Declared = z.infer<typeof Declared>;

/** @param finished has the last word about each tool */
export function mcpToolsOf(servers: Servers, finished: (tool: Tool) => Tool): NonNullable<Workshop["mcp"]> {
  return async (tool, file) => {
    const read = Declared.safeParse(tool);
    if (!read.success) throw invalid(tool, `${placeOf(read.error)}${read.error.issues[0]?.message ?? ""}.`);
    const server = await serverOf(tool, read.data, { servers, file: path.basename(file) });
    const { configured } = server;
    if (configured.server.disabled === true) throw invalid(tool, `The MCP server ${configured.name} is switched off.`);
    await server.ready();
    const state = server.state();
    if (state.kind !== "ready") return [finished(missing(tool, server))];
    const wire = (name: string): string => toolName(configured.name, name);
    const allowed = read.data.allowedTools?.map(wire);
    const asks = askedAbout(read.data, wire);
    const why = `${path.basename(file)} wants to be asked about it.`;
    return server
      .offered()
      .tools.filter(({ name }) => allowed?.includes(name) ?? true)
      .map((own) => finished(asks(own.name) ? { ...own, alwaysAsks: why } : own));
  };
}

function placeOf(error: z.ZodError): string {
  const place = error.issues[0]?.path.join(".") ?? "";
  return place === "" ? "" : `${place}: `;
}

interface Place {
  readonly servers: Servers;
  readonly file: string;
}

/** A server that is set up counts before the address in the file: a file takes no name of a person's. */
async function serverOf(tool: DeclaredTool, { connection }: Declared, { servers, file }: Place): Promise<Server> {
  const name = serverNamed(tool);
  const found = await servers.find(name);
  if (found) return found;
  const url = connection?.endpoint;
  if (url === null || url === undefined)
    throw invalid(tool, `There is no MCP server “${name}”: add it to the setting brain.mcpServers.`);
  const { servers: read, problems } = readServers({ mcpServers: { [name]: { url } } }, mostToConfirm);
  const [server] = read;
  if (!server) throw invalid(tool, problems.join(" "));
  return servers.declared({ ...server, file });
}

/** What a file says can only narrow: `never` allows nothing that rules do not. */
function askedAbout({ approvalMode }: Declared, wire: (name: string) => string): (name: string) => boolean {
  if (approvalMode?.kind === "always") return () => true;
  const asked = approvalMode?.kind === "specify" ? (approvalMode.alwaysRequireApprovalTools ?? []).map(wire) : [];
  return (name) => asked.includes(name);
}

/** In the place of the tools of a server that cannot be reached: the model says so, and the run goes on. */
function missing({ name }: DeclaredTool, server: Server): Tool {
  const state = server.state();
  const why = state.kind === "failed" ? `it cannot be used: ${state.why}` : "it was not allowed";
  const content = `The MCP server ${server.configured.name} is not there, because ${why}. Say so; “Brain: MCP Servers” starts it again.`;
  const label = { verb: "Call", subject: server.configured.name };
  return {
    name,
    description: content,
    parameters: { type: "object", properties: {} },
    effect: "read",
    label: () => label,
    touches: () => ({ reads: [], writes: [], runs: false }),
    prepare: () => Promise.resolve({ kind: "refused", status: "failed", content }),
  };
}

function invalid({ name }: DeclaredTool, why: string): LoopError {
  return new LoopError("tool_invalid", `The tool ${name} cannot be used. ${why}`);
}
