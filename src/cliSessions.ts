// The session commands of the command line: list and search, export, fork, rename, delete, restore.
import { parseArgs } from "node:util";
import { createBrain, type Brain } from "./headless.ts";

/** What these commands need of the command line that they are a part of. */
export interface CommandLine {
  /** Runs what reads the arguments: what it throws is bad usage. */
  readonly read: <T>(parse: () => T) => T;
  /** The folder of that name, which must be there. */
  readonly folder: (name: string | undefined) => string;
  /** Prints a value as one JSON line. */
  readonly print: (value: object) => void;
  readonly write: (text: string) => void;
  /** Makes the error for arguments that say something wrong. */
  readonly usage: (message: string) => Error;
}

type Command = (args: readonly string[]) => Promise<"completed" | "aborted">;

/** The lines of the help. Each command takes `--workspace DIR`; without it, it is the current folder. */
export const sessionHelp = `  brain sessions [--search TEXT]             list the sessions, or what was found in them, one JSON line each
  brain export ID [--format markdown|json]   print a session
  brain fork ID [--at ENTRY]                 copy a session, up to the end of that entry's turn
  brain rename ID TITLE                      give a session a title
  brain delete ID                            move a session to the trash, where it stays for 30 days
  brain restore ID                           bring a deleted session back
      --workspace DIR         the folder of the sessions (default: the current one)
`;

/** The commands by their names. Each returns how it ended, and throws what the command line tells. */
export function createSessionCommands(line: CommandLine): ReadonlyMap<string, Command> {
  return new Map<string, Command>([
    ["sessions", (args) => list(line, args)],
    ["export", (args) => exportOne(line, args)],
    ["fork", (args) => fork(line, args)],
    ["rename", (args) => rename(line, args)],
    ["delete", (args) => remove(line, args)],
    ["restore", (args) => restore(line, args)],
  ]);
}

async function list(line: CommandLine, args: readonly string[]): ReturnType<Command> {
  const { sessions, option } = opened(line, args, { options: ["search"] });
  const search = option("search");
  if (search === undefined) {
    for (const summary of await sessions.list()) line.print(summary);
    return "completed";
  }
  if (search.trim() === "") throw line.usage("--search is empty: say what to look for.");
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once("SIGINT", onSignal);
  process.once("SIGTERM", onSignal);
  for await (const hit of sessions.search(search, { signal: stop.signal })) line.print(hit);
  return stop.signal.aborted ? "aborted" : "completed";
}

async function exportOne(line: CommandLine, args: readonly string[]): ReturnType<Command> {
  const { sessions, option, id } = opened(line, args, { words: ["ID"], options: ["format"] });
  const format = option("format") ?? "markdown";
  if (format !== "markdown" && format !== "json")
    throw line.usage(`--format must be one of markdown, json, not “${format}”.`);
  const { text } = await sessions.export(id, format);
  line.write(text);
  return "completed";
}

async function fork(line: CommandLine, args: readonly string[]): ReturnType<Command> {
  const { sessions, option, id } = opened(line, args, { words: ["ID"], options: ["at"] });
  const entryId = option("at");
  const { summary } = await sessions.fork(id, entryId === undefined ? undefined : { entryId, side: "with" });
  line.print(summary);
  return "completed";
}

async function rename(line: CommandLine, args: readonly string[]): ReturnType<Command> {
  const { sessions, id, title } = opened(line, args, { words: ["ID", "TITLE"] });
  line.print(await sessions.rename(id, title));
  return "completed";
}

async function remove(line: CommandLine, args: readonly string[]): ReturnType<Command> {
  const { sessions, id } = opened(line, args, { words: ["ID"] });
  const { summary, deletedAt } = await sessions.delete(id);
  await sessions.emptyTrash();
  line.print({ ...summary, deletedAt });
  return "completed";
}

async function restore(line: CommandLine, args: readonly string[]): ReturnType<Command> {
  const { sessions, id } = opened(line, args, { words: ["ID"] });
  line.print({ id: await sessions.restore(id) });
  return "completed";
}

/** What a command takes: words in their order, and options with a text. */
interface Grammar {
  readonly words?: readonly ("ID" | "TITLE")[];
  readonly options?: readonly string[];
}

interface Opened {
  readonly sessions: Brain["sessions"];
  readonly option: (name: string) => string | undefined;
  /** `""` where the command takes none. */
  readonly id: string;
  readonly title: string;
}

function opened(line: CommandLine, args: readonly string[], { words = [], options = [] }: Grammar): Opened {
  const named = Object.fromEntries(["workspace", ...options].map((name) => [name, { type: "string" } as const]));
  const parse = { args: [...args], options: named, strict: true, allowPositionals: true } as const;
  const { values, positionals } = line.read(() => parseArgs(parse));
  const missing = words[positionals.length];
  if (missing !== undefined) throw line.usage(`${missing} is missing.`);
  const extra = positionals[words.length];
  if (extra !== undefined) throw line.usage(`“${extra}” is too much. A text of several words goes into quotes.`);
  const option = (name: string): string | undefined => {
    const value = values[name];
    return typeof value === "string" ? value : undefined;
  };
  const { sessions } = createBrain({ workspace: line.folder(option("workspace") ?? ".") });
  const [id = "", title = ""] = positionals;
  return { sessions, option, id, title };
}
