// run_command: a command line in the system's shell.
import { lstat } from "node:fs/promises";
import * as z from "zod";
import type { Tool, ToolResult } from "../engine/ports.ts";
import { confinementOf, stoppedBySandbox } from "./confinement.ts";
import { shellLaunch } from "./launch.ts";
import type { CommandResult } from "./commands.ts";
import { looksAsking } from "./inputWatch.ts";
import { defineTool, failed, outOfScope, refused, succeeded, touching } from "./tool.ts";
import { withVirtualEnvironment } from "./virtualEnvironment.ts";
import type { Workspace } from "./workspace.ts";

/** Beyond the command's own limit, so that it can be ended and say what happened. */
const grace = 5_000;
/** How long a call waits for a command that is meant for the background, in milliseconds. */
const backgroundWait = 3_000;
/** Characters of the beginning, and as many of the end, that the model reads. */
const mostShown = 20_000;

const description =
  "Runs a command line in the system's shell and returns its output and exit code. Its input is empty: pass flags that keep it from asking. It is ended at its limit; for what does not end by itself, such as a development server or a watcher, set background: the call returns soon, and read_output and stop_command take the id that it gives. Where the system can, commands run in a sandbox: they write in the workspace and the temporary folder only, and have no network.";

/** @param commandTimeout milliseconds a command may take when the call asks for no other limit */
export function runCommandTool(workspace: Workspace, commandTimeout: number): Tool {
  return defineTool({
    name: "run_command",
    description,
    effect: "run",
    schema: z.strictObject({
      command: z.string().min(1).describe("The command line"),
      cwd: z.string().min(1).optional().describe("Folder to run in, relative to the workspace; its root if left out"),
      timeout_ms: z
        .number()
        .int()
        .min(100)
        .max(3_600_000)
        .optional()
        .describe(
          `Milliseconds it may take; ${commandTimeout} if left out. With background: how long the call waits for it, ${backgroundWait} if left out`,
        ),
      background: z.boolean().optional().describe("Let it go on after that time instead of ending it"),
      input: z.boolean().optional().describe("Ask the person, who types a line, whenever it waits for input"),
      outside_sandbox: z
        .string()
        .min(1)
        .optional()
        .describe("Only for a command that the sandbox stopped: why it has to run outside. A person is asked."),
    }),
    label: (text) => ({ verb: "Run", subject: text("command").trim().split("\n", 1).join("") }),
    touches: () => touching({ runs: true }),
    prepare: async ({ command, cwd = ".", outside_sandbox: outside, ...asked }) => {
      const { background = false, input = false } = asked;
      const timeout = asked.timeout_ms ?? (background ? backgroundWait : commandTimeout);
      const { scope, sandbox } = workspace;
      const folder = await scope.resolve(cwd, "read");
      if ("denied" in folder) return outOfScope(folder);
      const found = await lstat(folder.real).catch(() => null);
      if (!found?.isDirectory()) return refused(`“${cwd}” is not a folder, so nothing can run in it.`);
      const confinement = await confinementOf(sandbox, outside);
      const confined = confinement.confined === true;
      const own = await workspace.environment();
      // What commands in the sandbox could have put there must not be taken for the system's programs outside of it.
      const environment = outside === undefined ? withVirtualEnvironment(own, scope.root) : own;
      return {
        preview: { kind: "command", command, cwd: folder.relative, ...confinement },
        timeout: timeout + grace,
        run: async (context) => {
          const again = await scope.resolve(cwd, "read");
          if ("denied" in again) return failed(again.denied);
          const plain = shellLaunch(command, environment);
          const launch = confined ? await sandbox.wrap(plain, again.real, scope.policy) : plain;
          const request = { command, launch, cwd: again.real, timeout, background, input };
          return inWords(await workspace.commands.run(request, context), { ...request, confined });
        },
      };
    },
  });
}

interface Asked {
  readonly timeout: number;
  readonly input: boolean;
  readonly confined: boolean;
}

function inWords(result: CommandResult, asked: Asked): ToolResult {
  const { end } = result;
  const shown = shownOf(result);
  const notes = notesOn(result, asked);
  switch (end.kind) {
    case "exited":
      if (end.code !== 0) return failed(`${shown}\n\nexit code ${end.code}${notes}`);
      return { ...succeeded(`${shown}\n\nexit code 0${notes}`), value: result.printed?.kept.text() ?? "" };
    case "killed":
      return failed(`${shown}\n\nended by ${end.signal}${notes}`);
    case "background":
      return succeeded(
        `${shown}\n\nstill running, in the background, as ${result.id}: read_output reads what it prints from now on, stop_command ends it.${notes}`,
      );
    case "timeout":
      return failed(
        `${shown}\n\nended by SIGTERM after ${asked.timeout / 1_000} s: that was the limit. If it needs longer, pass a larger timeout_ms; if it is not meant to end, background.${notes}`,
      );
    case "stopped":
      return failed(`${shown}\n\nended by SIGTERM: the call was stopped.`);
    case "notStarted":
      return failed(`The command was not started: ${end.message}`);
  }
}

function shownOf({ printed, logged, id }: CommandResult): string {
  if (printed === null || printed.bytes() === 0) return "(no output)";
  if (printed.binary()) return `(binary output, ${printed.bytes()} bytes${logged ? `; kept as ${id}` : ""})`;
  const rest = logged ? `; read_output with id ${id} reads them from any byte of ${printed.bytes()}` : "";
  const text = printed.kept.text(mostShown, rest).trimEnd();
  return text === "" ? "(no output)" : text;
}

/** What else the model should know of it; `""` for nothing. */
function notesOn(result: CommandResult, { input, confined }: Asked): string {
  const { unanswered, leftBehind, printed, id } = result;
  const asking = !input && looksAsking(printed?.kept.lastLine() ?? "");
  const failing = isFailure(result);
  const notes = [
    unanswered !== null &&
      `It waited for input after “${unanswered.trim()}”: nobody typed anything, so its input was ended.`,
    failing &&
      asking &&
      "It seems to have asked something, and its input is empty. Pass what keeps it from asking, or set input so that the person can answer.",
    leftBehind &&
      `What it started and did not wait for goes on in the background as ${id}: read_output reads what it prints, stop_command ends it.`,
  ];
  const walls = failing && confined ? stoppedBySandbox(printed?.kept.text() ?? "") : "";
  return notes.map((note) => (note === false ? "" : `\n${note}`)).join("") + walls;
}

function isFailure({ end }: CommandResult): boolean {
  return end.kind !== "background" && !(end.kind === "exited" && end.code === 0);
}
