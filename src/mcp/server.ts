// One server, from its settings to its tools: confirmed, started when it is first needed, started again when it has ended.
import type { CallContext, Ports, ToolResult } from "../engine/ports.ts";
import type { Params } from "../protocol/messages.ts";
import { resultOf } from "./answer.ts";
import type { Connection, ListedTool } from "./connection.ts";
import { createLink, type Configured, type LinkParts } from "./link.ts";
import { offer, type Offered } from "./serverTools.ts";

export type ServerState =
  | { readonly kind: "disabled" }
  /** Not used yet, or ended. */
  | { readonly kind: "idle" }
  | { readonly kind: "starting" }
  | { readonly kind: "ready"; readonly tools: readonly string[] }
  /** `why`: the end of a sentence. */
  | { readonly kind: "failed"; readonly why: string }
  /** Nobody has allowed it. */
  | { readonly kind: "unconfirmed" };

export interface ServerParts extends LinkParts {
  /** Asked before a server that a file names is used. */
  readonly confirm: (server: Configured) => Promise<boolean>;
  readonly validate: Ports["validate"];
}

export interface Server {
  readonly configured: Configured;
  state(): ServerState;
  /** Asks the person where that is needed. Never rejects. */
  confirmed(): Promise<boolean>;
  /** Resolves when its tools are known, or it has failed. Never rejects. */
  ready(): Promise<void>;
  /** As they were listed last; none while it has never been ready. */
  offered(): Offered;
  /** Forgets a refusal and a failure, and starts it anew. Never rejects. */
  restart(): Promise<void>;
  /** For good; nothing is left running. Never rejects. */
  close(): Promise<void>;
}

export function createServer(configured: Configured, parts: ServerParts): Server {
  const { name, server, file } = configured;
  const link = createLink(configured, parts);
  let why: string | null = null;
  let opening: Promise<void> | null = null;
  let asked: Promise<boolean> | null = file === null ? Promise.resolve(true) : null;
  let allowed = file === null;
  const confirmed = async (): Promise<boolean> => {
    asked ??= parts.confirm(configured).catch(() => false);
    allowed = await asked;
    return allowed;
  };
  const open = async (): Promise<void> => {
    if (!(await confirmed())) return;
    try {
      await link.open();
      why = null;
    } catch (error) {
      why = error instanceof Error ? error.message : String(error);
      parts.log(`MCP server ${name}: ${why}.`);
    }
  };
  const ready = (): Promise<void> => (opening ??= open().finally(() => (opening = null)));
  const call = async (tool: ListedTool, params: Params, context: CallContext): Promise<ToolResult> => {
    await ready();
    const connection = link.current();
    if (connection) return answered(connection, tool, params, { name, context, validate: parts.validate });
    return failed(`The MCP server ${name} cannot be used: ${why ?? "it was stopped"}. The tool did not run.`);
  };
  return {
    configured,
    confirmed,
    ready,
    offered: () => offer(link.listed(), { server: name, allowed: server.allowedTools, validate: parts.validate, call }),
    state() {
      if (server.disabled === true) return { kind: "disabled" };
      if (why !== null) return { kind: "failed", why };
      if (opening !== null) return { kind: "starting" };
      if (!allowed) return { kind: "unconfirmed" };
      if (link.current() === null) return { kind: "idle" };
      return { kind: "ready", tools: link.listed().map((tool) => tool.name) };
    },
    async restart() {
      await opening;
      why = null;
      if (!allowed) asked = null;
      await link.drop();
      await ready();
    },
    async close() {
      const ended = link.end();
      await opening;
      await ended;
    },
  };
}

interface Asking {
  /** Of the server. */
  readonly name: string;
  readonly context: CallContext;
  readonly validate: Ports["validate"];
}

async function answered(
  connection: Connection,
  tool: ListedTool,
  params: Params,
  { name, context, validate }: Asking,
): Promise<ToolResult> {
  const { signal, output } = context;
  try {
    const answer = await connection.call(tool, params, { signal, progress: (words) => output(`${words}\n`) });
    const { structuredContent: value } = answer;
    const { outputSchema: schema } = tool;
    return resultOf(answer, schema && value !== undefined ? validate({ ...schema }, value) : []);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (connection.lost() === null) return failed(`The MCP server ${name} did not do it: ${reason}.`);
    return failed(
      `The MCP server ${name} was lost while the tool ran: ${reason}. What it had done by then is not known. The next call starts it again.`,
    );
  }
}

function failed(content: string): ToolResult {
  return { status: "failed", content };
}
