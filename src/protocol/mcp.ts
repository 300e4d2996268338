// Model Context Protocol servers as people write them down, and how their tools are called.
import * as z from "zod";

const texts = z.record(z.string(), z.string());
const common = {
  /** Kept, and not started. */
  disabled: z.boolean().exactOptional(),
  /** Names of its tools, as it gives them; absent: all. */
  allowedTools: z.array(z.string()).exactOptional(),
};

const Program = z.object({
  command: z.string().min(1),
  args: z.array(z.string()).exactOptional(),
  /** Beside what commands have. */
  env: texts.exactOptional(),
  /** From the workspace's folder. */
  cwd: z.string().exactOptional(),
  ...common,
});
export type McpProgram = z.infer<typeof Program>;

const Address = z.object({
  url: z.url({ protocol: /^https?$/, error: "url must be an address that starts with https:// or http://" }),
  headers: texts.exactOptional(),
  ...common,
});
export type McpAddress = z.infer<typeof Address>;

/** How a server is reached. Keys that only other tools know are left out. */
export type McpServer = McpProgram | McpAddress;

export interface NamedServer {
  readonly name: string;
  readonly server: McpServer;
}

/** Servers of one place, and a sentence for each that cannot be used. */
export interface ReadServers {
  readonly servers: readonly NamedServer[];
  readonly problems: readonly string[];
}

/** So that the names of its tools say whose they are: no two underscores in a row, none at the end. */
const nameForm = /^[A-Za-z\d](?:[A-Za-z\d-]|_(?!_|$)){0,23}$/;

/**
 * Reads servers by their names, themselves or below `mcpServers`. Each is checked by itself: one that is wrong takes no other along.
 * @param most characters that one may be described with
 */
export function readServers(value: unknown, most = Infinity): ReadServers {
  const group = groupOf(value);
  const inner = group?.["mcpServers"];
  const listed = inner === undefined ? group : groupOf(inner);
  if (!listed) return { servers: [], problems: ["MCP servers are written as a group of servers by their names."] };
  const servers: NamedServer[] = [];
  const problems: string[] = [];
  for (const [name, written] of Object.entries(listed)) {
    const read = readServer(name, written);
    if (typeof read === "string") problems.push(read);
    else if (JSON.stringify(read).length > most) problems.push(tooLong(name, most));
    else servers.push({ name, server: read });
  }
  return { servers, problems };
}

function tooLong(name: string, most: number): string {
  return `The MCP server ${name} is described with more than ${most.toLocaleString("en")} characters, which nobody reads before they allow it: make it shorter, or put it into your own settings.`;
}

function readServer(name: string, written: unknown): McpServer | string {
  if (!nameForm.test(name))
    return `The MCP server “${name}” needs another name: up to 24 letters, digits, “-” and single “_”.`;
  const { command, url } = groupOf(written) ?? {};
  if ((command === undefined) === (url === undefined))
    return `The MCP server ${name} needs either a command to start or a url to connect to.`;
  const read = command === undefined ? Address.safeParse(written) : Program.safeParse(written);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const place = issue?.path.join(".") ?? "";
  return `The MCP server ${name} is written wrong${place === "" ? "" : ` at ${place}`}: ${issue?.message ?? ""}.`;
}

function groupOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
}

/** Which server a tool of a .prompty means: the one that it names, else the one of its own name. */
export function serverNamed(tool: { readonly name: string } & Readonly<Record<string, unknown>>): string {
  const { serverName, connection } = tool;
  const named = serverName ?? groupOf(connection)?.["name"];
  return typeof named === "string" ? named : tool.name;
}

/** What the names of a server's tools begin with. */
export function mcpPrefix(server: string): string {
  return `mcp__${server}__`;
}

/** Whose tool a name is, or which server's tools a pattern means; null: no server's. */
export function serverOfTool(name: string): string | null {
  return /^mcp__([A-Za-z\d](?:[A-Za-z\d-]|_(?!_))*)__/.exec(name)?.[1] ?? null;
}

/** The setting with a person's own servers. */
export const mcpSettings = {
  mcpServers: {
    type: "object",
    default: {},
    additionalProperties: {
      type: "object",
      properties: {
        command: { type: "string", description: "The program to start. It speaks over its input and output." },
        args: { type: "array", items: { type: "string" }, description: "Its arguments." },
        env: {
          type: "object",
          additionalProperties: { type: "string" },
          description: "Variables beside those that commands have; ${env:NAME} stands for one of yours.",
        },
        cwd: { type: "string", description: "The folder that it starts in; without it, the workspace's." },
        url: { type: "string", description: "Address of a server that speaks Streamable HTTP." },
        headers: {
          type: "object",
          additionalProperties: { type: "string" },
          description: "Sent with each request; ${env:NAME} stands for one of your variables.",
        },
        disabled: { type: "boolean", description: "It is kept, and not started." },
        allowedTools: {
          type: "array",
          items: { type: "string" },
          description: "Those of its tools that the model is offered; without it, all of them.",
        },
      },
    },
    scope: "machine",
    markdownDescription:
      'Servers of the Model Context Protocol whose tools the model is offered, by their names: a program to start, such as `{ "files": { "command": "npx", "args": ["-y", "some-server"] } }`, or an address. Each call asks you unless a rule such as `mcp__files__*` allows it. “Brain: MCP Servers” shows how they are. Only user settings count here; what a folder\'s `.brain/mcp.json` names is used once you have confirmed it.',
  },
} as const;
