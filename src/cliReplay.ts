// `brain replay`: what a session records, done again, and where Brain would do something else now.
import { parseArgs } from "node:util";
import type { CommandLine } from "./cliSessions.ts";
import { LoopError, replay, type Rerun } from "./headless.ts";

export const replayHelp = `  brain replay ID                            run what a session records once more, without network, tools or files, and say
                                             where Brain would do something else now
      --json                  one JSON line for each run
`;

/** Makes the command. It fails where a run differs, and throws what the command line tells. */
export function replayCommand(line: CommandLine): (args: readonly string[]) => Promise<"completed" | "failed"> {
  return async (args) => {
    const options = { workspace: { type: "string" }, json: { type: "boolean", default: false } } as const;
    const { values, positionals } = line.read(() =>
      parseArgs({ args: [...args], options, strict: true, allowPositionals: true }),
    );
    const [sessionId, ...more] = positionals;
    if (sessionId === undefined || more.length > 0) throw line.usage("Name one session: `brain sessions` lists them.");
    const workspace = line.folder(values.workspace ?? process.cwd());
    const { runs, repairs } = await replay({ workspace, sessionId }).catch((error: unknown) => {
      throw error instanceof LoopError && error.code === "session_not_found" ? line.usage(error.message) : error;
    });
    for (const repair of repairs) process.stderr.write(`${repair}\n`);
    for (const [index, { entries: _written, ...run }] of runs.entries()) {
      if (values.json) line.print({ type: "replay:run", run: index + 1, of: runs.length, ...run });
      else line.write(comparison(run, `Run ${index + 1} of ${runs.length}`));
    }
    return runs.every(({ differences }) => differences.length === 0) ? "completed" : "failed";
  };
}

/** One line for a run, and one for each difference. */
function comparison({ lines, cutOff, differences }: Omit<Rerun, "entries">, name: string): string {
  const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`;
  const found = differences.length === 0 ? "the same" : count(differences.length, "difference");
  const broken = cutOff ? "; the record breaks off there" : "";
  const messages = differences.map(({ message }) => `  ${message}\n`);
  return [`${name}: ${found}, ${count(lines, "line")}${broken}\n`, ...messages].join("");
}
