// run_command: a command line in the system's shell.
import { lstat } from "node:fs/promises";
import * as z from "zod";
import type { Tool } from "../engine/ports.ts";
import type { Confined } from "../scope/sandbox.ts";
import { confinementOf } from "./confinement.ts";
import { shellLaunch } from "./launch.ts";
import { askForHosts } from "./askedHosts.ts";
import type { Hold } from "./attending.ts";
import { commandInWords } from "./commandWords.ts";
import { defineTool, failed, outOfScope, refused, touching } from "./tool.ts";
import { withVirtualEnvironment } from "./virtualEnvironment.ts";
import type { Workspace } from "./workspace.ts";

/** Beyond the command's own limit, so that it can be ended and say what happened. */
const grace = 5_000;
/** How long a call waits for a command that is meant for the background, in milliseconds. */
const backgroundWait = 3_000;

const description =
  "Runs a command line in the system's shell and returns its output and exit code. Its input is empty: pass flags that keep it from asking. It is ended at its limit; for what does not end by itself, such as a development server or a watcher, set background: the call returns soon, and read_output and stop_command take the id that it gives. Where the system can, commands run in a sandbox: they write in the workspace and the temporary folder only, and reach hosts on the network through a proxy (HTTP_PROXY), once a rule or the person allows each of them.";

/** Milliseconds, for calls that ask for no other limits. */
export interface CommandLimits {
  /** How long a command may take. */
  readonly commandTimeout: number;
  /** How long it may be silent and idle. */
  readonly idleTimeout: number;
}

export function runCommandTool(workspace: Workspace, { commandTimeout, idleTimeout }: CommandLimits): Tool {
  return defineTool({
    name: "run_command",
    description,
    effect: "run",
    schema: schemaFor({ commandTimeout, idleTimeout }),
    label: (text) => ({ verb: "Run", subject: text("command").trim().split("\n", 1).join("") }),
    touches: () => touching({ runs: true }),
    prepare: async ({ command, cwd = ".", outside_sandbox: outside, ...asked }) => {
      const { background = false, input = false } = asked;
      const timeout = asked.timeout_ms ?? (background ? backgroundWait : commandTimeout);
      const idle = asked.idle_timeout_ms ?? idleTimeout;
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
          const hosts = askForHosts(context);
          const launch = shellLaunch(command, environment);
          const open = async (hold: Hold): Promise<Confined> =>
            confined
              ? sandbox.wrap(launch, again.real, { policy: scope.policy, ask: hosts.askedBy(hold) })
              : { launch, close: () => undefined };
          const request = { command, open, cwd: again.real, timeout, idle, background, input };
          const result = await workspace.commands.run(request, context);
          return commandInWords(result, { ...request, confined, refused: hosts.refused() });
        },
      };
    },
  });
}

function schemaFor({ commandTimeout, idleTimeout }: CommandLimits) {
  return z.strictObject({
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
    idle_timeout_ms: z
      .number()
      .int()
      .min(100)
      .max(3_600_000)
      .optional()
      .describe(
        `Milliseconds after which a command that neither prints nor computes anything goes on in the background; ${idleTimeout} if left out`,
      ),
    background: z.boolean().optional().describe("Let it go on after that time instead of ending it"),
    input: z.boolean().optional().describe("Ask the person, who types a line, whenever it waits for input"),
    outside_sandbox: z
      .string()
      .min(1)
      .optional()
      .describe("Only for a command that the sandbox stopped: why it has to run outside. A person is asked."),
  });
}
