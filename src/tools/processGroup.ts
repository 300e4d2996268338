// Starting a shell command as a group of processes of its own, and ending all of them.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

/** What a group may take to end by itself once asked, in milliseconds. */
const patience = 500;
const pollEvery = 20;
const onWindows = process.platform === "win32";

export type Child = ChildProcessByStdio<null, Readable, Readable>;

/**
 * Starts a command line in the system's shell: nothing on its input, both outputs piped, at the head of a new group.
 * @throws when the arguments cannot be passed on, for example because of a NUL character
 */
export function startShell(command: string, cwd: string, env: Readonly<Record<string, string>>): Child {
  const options = { cwd, env: { ...env }, windowsHide: true };
  if (onWindows)
    return spawn(env["COMSPEC"] ?? "cmd.exe", ["/d", "/s", "/c", `"${command}"`], {
      ...options,
      stdio: ["ignore", "pipe", "pipe"],
      windowsVerbatimArguments: true,
    });
  const shell = existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh";
  return spawn(shell, ["-c", "--", command], { ...options, stdio: ["ignore", "pipe", "pipe"], detached: true });
}

/** Asks every process of the group to end, and ends by force what is left after half a second. */
export async function endGroup(pid: number): Promise<void> {
  if (onWindows) return endTree(pid);
  signalGroup(pid, "SIGTERM");
  for (let waited = 0; waited < patience; waited += pollEvery) {
    await sleep(pollEvery);
    if (!signalGroup(pid, 0)) return;
  }
  signalGroup(pid, "SIGKILL");
}

/** @returns false when there is no such process any more */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

function endTree(pid: number): Promise<void> {
  return new Promise((resolve) => {
    const killer = spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
    killer.once("exit", () => {
      resolve();
    });
    killer.once("error", () => {
      resolve();
    });
  });
}
