// Starting a program as a group of processes of its own, and ending all of them.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Launch } from "../scope/launch.ts";

/** What a group may take to end by itself once asked, in milliseconds. */
const patience = 500;
const pollEvery = 20;
const onWindows = process.platform === "win32";

export type Child = ChildProcessByStdio<null, Readable, Readable>;

/**
 * Starts a program: nothing on its input, both outputs piped, at the head of a new group.
 * @throws when the arguments cannot be passed on, for example because of a NUL character
 */
export function start({ file, args, env, verbatim = false }: Launch, cwd: string): Child {
  return spawn(file, [...args], {
    cwd,
    env: { ...env },
    windowsHide: true,
    stdio: ["ignore", "pipe", "pipe"],
    windowsVerbatimArguments: verbatim,
    detached: !onWindows,
  });
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
