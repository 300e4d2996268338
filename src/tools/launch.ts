// What is started for a command line: the one place that chooses the shell.
import { existsSync } from "node:fs";
import type { Launch } from "../scope/launch.ts";

/** The system's shell with the command: bash where there is one, because that is what models write. */
export function shellLaunch(command: string, env: Launch["env"]): Launch {
  if (process.platform === "win32")
    return { file: env["COMSPEC"] ?? "cmd.exe", args: ["/d", "/s", "/c", `"${command}"`], env, verbatim: true };
  const shell = existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh";
  // Both outputs in one pipe: only so do they stay in the order in which they were written.
  return { file: "/bin/sh", args: ["-c", 'exec "$@" 2>&1', "sh", shell, "-c", "--", command], env };
}
