// Starting a program as a group of processes of its own, and ending all of them.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Launch } from "../scope/launch.ts";
import { markName, processesOf } from "./processTree.ts";

/** What a group may take to end by itself once asked, in milliseconds. */
const patience = 500;
const pollEvery = 50;
/** How often those are looked for again that came while others were ended. */
const sweeps = 20;
const onWindows = process.platform === "win32";
const onLinux = process.platform === "linux";

export type Child = ChildProcessByStdio<Writable | null, Readable, Readable>;

/** What the processes of one command are known by. */
export interface Family {
  /** In the environment of each of them. */
  readonly mark: string;
  /** The head of their group; null when it was another window's, and nothing but the mark can be trusted. */
  readonly shell: { readonly pid: number; readonly ended: () => boolean } | null;
}

/**
 * Starts a program: its outputs piped, at the head of a new group.
 * @param launch with the mark of its family in the environment
 * @param input `closed`: it reads nothing, and sees no pipe that something could come from
 * @throws when the arguments cannot be passed on, for example because of a NUL character
 */
export function start({ file, args, env, verbatim = false }: Launch, cwd: string, input: "closed" | "open"): Child {
  const options = { cwd, env: { ...env }, windowsHide: true, windowsVerbatimArguments: verbatim, detached: !onWindows };
  return input === "open"
    ? spawn(file, args, { ...options, stdio: ["pipe", "pipe", "pipe"] })
    : spawn(file, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
}

/** The same with the mark of a family in its environment. */
export function marked(launch: Launch, mark: string): Launch {
  return { ...launch, env: { ...launch.env, [markName]: mark } };
}

/**
 * Asks every process of the family to end, and ends by force what is left after half a second, also what has left the
 * group, where the platform lets it be found.
 */
export async function endFamily(family: Family): Promise<void> {
  if (onWindows) return family.shell ? endTree(family.shell.pid) : undefined;
  await signalFamily(family, "SIGTERM");
  for (let waited = 0; waited < patience; waited += pollEvery) {
    await sleep(pollEvery);
    if (!(await isAlive(family))) return;
  }
  for (let sweep = 0; sweep < sweeps; sweep++) {
    await signalFamily(family, "SIGKILL");
    if (!(await isAlive(family))) return;
    await sleep(pollEvery);
  }
}

/** Whether a process of the family is left. On Windows nobody can tell once the shell is gone. */
export async function isAlive(family: Family): Promise<boolean> {
  if (onWindows) return false;
  return onLinux ? (await processesOf(family)).length > 0 : family.shell !== null && signal(-family.shell.pid, 0);
}

async function signalFamily(family: Family, name: NodeJS.Signals): Promise<void> {
  // Where they can be found one by one, the group's number is not used: it may be somebody else's by now.
  const group = family.shell ? [-family.shell.pid] : [];
  const all = onLinux ? await processesOf(family) : group;
  for (const pid of all) signal(pid, name);
}

/** @returns false when there is no such process any more */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
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
