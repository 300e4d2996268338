// All servers that are set up: those that a run needs are started side by side, and none holds it up for long.
import pLimit from "p-limit";
import type { Clock, Tool } from "../engine/ports.ts";
import { mcpPrefix, type ReadServers } from "../protocol/mcp.ts";
import type { Configured } from "./link.ts";
import { createServer, type Server, type ServerParts, type ServerState } from "./server.ts";

/** What is set up now. Of two servers with one name the first counts. */
export interface Setup extends Pick<ReadServers, "problems"> {
  readonly servers: readonly Configured[];
}

export interface ServersOptions extends ServerParts {
  /** Read anew for every run. Never rejects. */
  readonly setup: () => Promise<Setup>;
  readonly clock: Clock;
  /** Milliseconds that a run waits for servers at most. */
  readonly patience: number;
}

export interface ServerTools {
  readonly tools: readonly Tool[];
  /** Sentences for the person. */
  readonly notices: readonly string[];
}

export interface Servers {
  /**
   * Starts what is not there yet and waits a little for it. Never rejects.
   * @param wanted names of tools, or beginnings of names with `*`; absent: all
   */
  tools(wanted?: readonly string[]): Promise<ServerTools>;
  /** The same of one server, without a limit to the time; null: there is none of that name. */
  find(name: string): Promise<Server | null>;
  /** A server that a prompt itself names, for as long as it stays the same. */
  declared(configured: Configured): Server;
  list(): Promise<readonly { readonly configured: Configured; readonly state: ServerState }[]>;
  /** Ends those that files name, which are confirmed anew before they are used again. Never rejects. */
  forget(): Promise<void>;
  /** Never rejects. */
  dispose(): Promise<void>;
}

const atOnce = 8;

export function createServers(options: ServersOptions): Servers {
  const set = new Map<string, Server>();
  const named = new Map<string, Server>();
  const limit = pLimit(atOnce);
  let told: ReadonlySet<string> = new Set();
  const refresh = (): Promise<readonly string[]> => renew(set, options);
  const ready = async (server: Server): Promise<void> => limit(() => server.ready());
  return {
    async tools(wanted) {
      const problems = await refresh();
      const used = [...set.values()].filter((server) => isEnabled(server) && isWanted(server.configured.name, wanted));
      // One after the other, and without a limit: a person reads each question.
      for (const server of used) await server.confirmed();
      await within(Promise.all(used.map(ready)), options);
      const all = [...problems, ...used.flatMap(noticesOf)];
      const notices = all.filter((notice) => !told.has(notice));
      told = new Set(all);
      return { tools: used.flatMap((server) => server.offered().tools), notices };
    },
    async find(name) {
      await refresh();
      return set.get(name) ?? null;
    },
    declared(configured) {
      const key = JSON.stringify(configured);
      const server = named.get(key) ?? createServer(configured, options);
      named.set(key, server);
      return server;
    },
    async list() {
      await refresh();
      return [...set.values()].map((server) => ({ configured: server.configured, state: server.state() }));
    },
    async forget() {
      const confirmed = [...set.values()].filter(({ configured }) => configured.file !== null);
      const all = [...confirmed, ...named.values()];
      for (const { configured } of confirmed) set.delete(configured.name);
      named.clear();
      await Promise.all(all.map((server) => server.close()));
    },
    async dispose() {
      await Promise.all([...set.values(), ...named.values()].map((server) => server.close()));
    },
  };
}

/** Makes the servers those that are set up now. @returns what is wrong with others */
async function renew(set: Map<string, Server>, options: ServersOptions): Promise<readonly string[]> {
  const { servers, problems } = await options.setup();
  const names = new Set<string>();
  for (const configured of servers) {
    if (names.has(configured.name)) continue;
    names.add(configured.name);
    const old = set.get(configured.name);
    if (old && isSame(old.configured, configured)) continue;
    void old?.close();
    set.set(configured.name, createServer(configured, options));
  }
  for (const [name, server] of set)
    if (!names.has(name)) {
      set.delete(name);
      void server.close();
    }
  return problems;
}

function isSame(one: Configured, other: Configured): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isEnabled({ configured }: Server): boolean {
  return configured.server.disabled !== true;
}

function isWanted(name: string, wanted: readonly string[] | undefined): boolean {
  const prefix = mcpPrefix(name);
  const reaches = (tool: string): boolean =>
    tool.startsWith(prefix) || (tool.endsWith("*") && prefix.startsWith(tool.slice(0, -1)));
  return wanted?.some(reaches) ?? true;
}

function within(work: Promise<unknown>, { clock, patience }: ServersOptions): Promise<void> {
  return new Promise((resolve) => {
    const done = clock.after(patience, resolve);
    void work.finally(() => {
      done();
      resolve();
    });
  });
}

const seeMore = "“Brain: MCP Servers” shows how it is and starts it again.";

/** What a person should know of a server before they wonder why its tools are missing. */
function noticesOf(server: Server): readonly string[] {
  const { name, file } = server.configured;
  const state = server.state();
  switch (state.kind) {
    case "starting":
    case "idle":
      return [`The MCP server ${name} is not ready yet: this run goes on without its tools. ${seeMore}`];
    case "failed":
      return [`The MCP server ${name} cannot be used: ${state.why}. ${seeMore}`];
    case "unconfirmed":
      return [`The MCP server ${name} of ${file} was not allowed, and is not used. “Brain: MCP Servers” asks again.`];
    case "ready":
      return server.offered().left.map((what) => `The MCP server ${name} has a tool that is left out: ${what}.`);
    case "disabled":
      return [];
  }
}
