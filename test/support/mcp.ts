// Servers of the Model Context Protocol for tests: as settings name them, with their tools called like a run calls them.
import { createServer, type Server as HttpServer } from "node:http";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { ComposeOptions } from "../../src/compose.ts";
import { createMcp } from "../../src/composeMcp.ts";
import type { Clock, Tool, ToolResult } from "../../src/engine/ports.ts";
import type { Params } from "../../src/protocol/messages.ts";
import type { McpServer } from "../../src/protocol/mcp.ts";
import type { Servers } from "../../src/mcp/servers.ts";
import { createSandbox, type Sandbox } from "../../src/scope/sandbox.ts";
import { approveAll, callContext, fakeClock } from "./kit.ts";
import { makeServer } from "./mcpServer.ts";

/** The server of this folder as a program. */
export const things: McpServer = {
  command: process.execPath,
  args: [path.join(import.meta.dirname, "mcpServer.ts")],
};

/** A program that answers what it is told to. */
export function raw(script: object): McpServer {
  return {
    command: process.execPath,
    args: [path.join(import.meta.dirname, "rawMcpServer.ts"), JSON.stringify(script)],
  };
}

export interface ServedThings {
  readonly url: string;
  /** Headers of each request. */
  readonly seen: readonly Readonly<Record<string, unknown>>[];
  close(): Promise<void>;
}

/** The same tools over Streamable HTTP on 127.0.0.1. */
export async function serveThings(): Promise<ServedThings> {
  const handler = createMcpHandler(() => makeServer());
  const seen: Readonly<Record<string, unknown>>[] = [];
  return listening((request, response) => {
    seen.push(request.headers);
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(Buffer.from(chunk));
      const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {};
      const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
      const asked = new Request(`http://127.0.0.1${request.url}`, {
        method: request.method ?? "GET",
        headers,
        ...body,
      });
      const answer = await handler.fetch(asked);
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      if (answer.body) Readable.fromWeb(answer.body).pipe(response);
      else response.end();
    })();
  }, seen);
}

/** Any server of HTTP on 127.0.0.1. */
export async function listening(
  listener: Parameters<typeof createServer>[1] & {},
  seen: ServedThings["seen"] = [],
): Promise<ServedThings> {
  const server: HttpServer = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export interface Rig {
  readonly servers: Servers;
  readonly root: string;
  /** What was logged. */
  readonly lines: readonly string[];
  /** The tools of all servers. */
  readonly tools: () => Promise<readonly Tool[]>;
}

/** A clock by which all time is over at once. */
export const impatient: Clock = {
  now: () => 0,
  after(_milliseconds, callback) {
    const soon = setImmediate(callback);
    return () => clearImmediate(soon);
  },
};

interface RigOptions {
  readonly clock?: Clock;
  /** In the place of what the sandbox does here. */
  readonly walls?: Partial<Sandbox>;
}

/** The servers of a workspace of their own, waited for as long as they need; afterwards nothing of them is left. */
export async function withServers(
  mcpServers: Readonly<Record<string, McpServer>>,
  work: (rig: Rig) => Promise<void>,
  { clock = fakeClock(), walls, ...more }: Partial<ComposeOptions> & RigOptions = {},
): Promise<void> {
  const root = await mkdtemp(path.join(await realpath(tmpdir()), "brain-mcp-"));
  const lines: string[] = [];
  const options: ComposeOptions = {
    root,
    brainDir: path.join(root, ".brain"),
    trusted: true,
    choice: () => Promise.reject(new Error("no model here")),
    approve: approveAll,
    commandTimeout: () => 30_000,
    mcpServers: () => mcpServers,
    log: (line) => void lines.push(line),
    ...more,
  };
  const sandbox = createSandbox({ mode: options.sandbox ?? (() => "off") });
  const servers = createMcp(options, { ...sandbox, ...walls }, clock);
  try {
    await work({ servers, root, lines, tools: async () => (await servers.tools()).tools });
  } finally {
    await servers.dispose();
    await sandbox.dispose();
    await rm(root, { recursive: true, force: true });
  }
}

/** What a call of a tool gives, or why it is refused. */
export async function callTool(
  tools: readonly Tool[],
  name: string,
  params: Params = {},
  context = callContext(new AbortController().signal),
): Promise<ToolResult> {
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new Error(`there is no ${name} among ${tools.map((one) => one.name).join(", ")}`);
  const ready = await tool.prepare(params, new AbortController().signal, "c1");
  if (ready.kind === "refused") return { status: "failed", content: ready.content };
  return ready.run(context);
}
