// run_command: a command line in the system's shell.
import { lstat } from "node:fs/promises";
import * as z from "zod";
import type { Tool, ToolResult } from "../engine/ports.ts";
import { confinementOf, stoppedBySandbox } from "./confinement.ts";
import { shellLaunch } from "./launch.ts";
import { runCommand, type CommandResult } from "./process.ts";
import { defineTool, failed, outOfScope, refused, succeeded, touching } from "./tool.ts";
import type { Workspace } from "./workspace.ts";

/** Beyond the command's own limit, so that it can be ended and say what happened. */
const grace = 5_000;

/** @param commandTimeout milliseconds a command may take when the call asks for no other limit */
export function runCommandTool(workspace: Workspace, commandTimeout: number): Tool {
  return defineTool({
    name: "run_command",
    description:
      "Runs a command line in the system's shell and returns its output and exit code. Nothing can be typed into it: pass flags that keep it from asking. A program that does not end by itself is ended at the limit. Where the system can, commands run in a sandbox: they write in the workspace and the temporary folder only, and have no network.",
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
        .describe(`Milliseconds it may take; ${commandTimeout} if left out`),
      outside_sandbox: z
        .string()
        .min(1)
        .optional()
        .describe("Only for a command that the sandbox stopped: why it has to run outside. A person is asked."),
    }),
    label: (text) => ({ verb: "Run", subject: text("command").trim().split("\n", 1).join("") }),
    touches: () => touching({ runs: true }),
    prepare: async ({ command, cwd = ".", timeout_ms: timeout = commandTimeout, outside_sandbox: outside }) => {
      const { scope, sandbox, environment } = workspace;
      const folder = await scope.resolve(cwd, "read");
      if ("denied" in folder) return outOfScope(folder);
      const found = await lstat(folder.real).catch(() => null);
      if (!found?.isDirectory()) return refused(`“${cwd}” is not a folder, so nothing can run in it.`);
      const confinement = await confinementOf(sandbox, outside);
      const confined = confinement.confined === true;
      return {
        preview: { kind: "command", command, cwd: folder.relative, ...confinement },
        timeout: timeout + grace,
        run: async ({ signal, output }) => {
          const again = await scope.resolve(cwd, "read");
          if ("denied" in again) return failed(again.denied);
          const plain = shellLaunch(command, environment);
          const launch = confined ? await sandbox.wrap(plain, again.real, scope.policy) : plain;
          const result = await runCommand({ launch, cwd: again.real, timeout, signal, output });
          const ended = inWords(result, timeout);
          return confined && ended.status === "failed"
            ? failed(ended.content + stoppedBySandbox(result.output))
            : ended;
        },
      };
    },
  });
}

function inWords({ end, output }: CommandResult, timeout: number): ToolResult {
  const shown = output.trimEnd() === "" ? "(no output)" : output.trimEnd();
  switch (end.kind) {
    case "exited":
      if (end.code !== 0) return failed(`${shown}\n\nexit code ${end.code}`);
      return { ...succeeded(`${shown}\n\nexit code 0`), value: output };
    case "killed":
      return failed(`${shown}\n\nended by ${end.signal}`);
    case "timeout":
      return failed(
        `${shown}\n\nended by SIGTERM after ${timeout / 1_000} s: that was the limit. If it needs longer, pass a larger timeout_ms.`,
      );
    case "stopped":
      return failed(`${shown}\n\nended by SIGTERM: the call was stopped.`);
    case "notStarted":
      return failed(`The command was not started: ${end.message}`);
  }
}
