// The link to one server: made when it is needed, and made anew when it has broken.
import type { NamedServer } from "../protocol/mcp.ts";
import type { Connection, ListedTool, Way } from "./connection.ts";

/** A server that is set up. */
export interface Configured extends NamedServer {
  /** The file of the folder that names it, as people call it: then a person confirms it. Null: it is the person's own. */
  readonly file: string | null;
}

export interface LinkParts {
  /** How it is reached. @throws with the end of a sentence */
  readonly way: (server: Configured) => Promise<Way>;
  readonly log: (message: string) => void;
}

interface Link {
  /** Makes sure that it is there and its tools are known. One at a time. @throws with the end of a sentence; nothing is left then */
  open(): Promise<void>;
  /** Null: there is none, or it has broken. */
  current(): Connection | null;
  /** As it was last told. */
  listed(): readonly ListedTool[];
  /** Ends it, until the next `open`. Never rejects. */
  drop(): Promise<void>;
  /** The same for good. */
  end(): Promise<void>;
}

export function createLink(configured: Configured, { way, log }: LinkParts): Link {
  const ending = new AbortController();
  let connection: Connection | null = null;
  let listed: readonly ListedTool[] = [];
  let said = createLog(configured.name, log);
  const current = (): Connection | null => (connection?.lost() === null ? connection : null);
  const drop = async (): Promise<void> => {
    const old = connection;
    connection = null;
    await old?.close();
  };
  const make = async (): Promise<Connection> => {
    said = createLog(configured.name, log);
    const found = await way(configured);
    const { connect } = await import("./connection.ts");
    return connect(found, (line) => said.heard(line), ending.signal);
  };
  return {
    current,
    listed: () => listed,
    drop,
    async open() {
      ending.signal.throwIfAborted();
      try {
        const old = current();
        const now = old ?? (await make());
        connection = now;
        if (old === null || old.changed()) listed = await now.list(ending.signal);
        ending.signal.throwIfAborted();
      } catch (error) {
        await drop();
        throw new Error(said.withLast(error instanceof Error ? error.message : String(error)), { cause: error });
      }
    },
    end() {
      ending.abort(new Error("it was stopped"));
      return drop();
    },
  };
}

const mostLogged = 200;
const longestLine = 500;

interface ServerLog {
  heard(line: string): void;
  /** The end of a sentence, with what the server has said last. */
  withLast(why: string): string;
}

/** What a program says beside its messages: so much of it as a person would read. */
function createLog(name: string, log: (message: string) => void): ServerLog {
  let count = 0;
  let last = "";
  return {
    heard(line) {
      last = line.slice(0, longestLine);
      count++;
      if (count <= mostLogged) log(`MCP server ${name} says: ${last}`);
      else if (count === mostLogged + 1) log(`MCP server ${name} says more, which is left out here.`);
    },
    withLast: (why) => (last === "" ? why : `${why} (it said last: ${last})`),
  };
}
