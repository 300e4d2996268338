// What Linux tells of processes: which belong to a command, since when one runs, which waits for input. Elsewhere: nothing.
import { execFile } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import type { Family } from "./processGroup.ts";

/** The variable in the environment of every process of a command. */
export const markName = "BRAIN_COMMAND";

interface Seen {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

/**
 * The processes of a command that still run, by what they descend from, their group, their session and their mark: one
 * that has left the first three has kept the last, or the other way round. Never throws.
 */
export async function processesOf({ mark, shell }: Family): Promise<number[]> {
  const all = (await Promise.all((await pidsThere()).map(seen))).filter((one) => one !== null);
  const marks = await Promise.all(all.map((one) => hasMark(one.pid, mark)));
  const found = new Set(all.filter((_, index) => marks[index]).map((one) => one.pid));
  const head = shell === null || isTaken(shell, all, found) ? null : shell.pid;
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const { pid, parent, group, session } of all)
      if ((head !== null && [pid, group, session].includes(head)) || found.has(parent)) found.add(pid);
  }
  return [...found];
}

/** Whether the number of a shell that is gone belongs to somebody else by now. */
function isTaken(shell: NonNullable<Family["shell"]>, all: readonly Seen[], own: ReadonlySet<number>): boolean {
  return shell.ended() && !own.has(shell.pid) && all.some(({ pid }) => pid === shell.pid);
}

/** Tells two processes apart that had the same number; null when there is none, or nobody can tell. */
export async function startOf(pid: number): Promise<string | null> {
  if (process.platform === "linux") return (await statOf(pid))?.[19] ?? null;
  if (process.platform === "win32") return null;
  return new Promise((resolve) => {
    execFile("ps", ["-o", "lstart=", "-p", String(pid)], (error, out) => resolve(error ? null : out.trim() || null));
  });
}

/** What the input of a process is connected to; null when nobody can tell. */
export async function inputOf(pid: number): Promise<string | null> {
  return readlink(`/proc/${pid}/fd/0`).catch(() => null);
}

/** Number of the system call `read`, by processor. */
const readCalls: Readonly<Partial<Record<string, string>>> = { x64: "0", arm64: "63", riscv64: "63" };

/** Whether a process of the command hangs in reading what is typed into it. Never throws. */
export async function readsInput(family: Family, input: string): Promise<boolean> {
  const read = readCalls[process.arch];
  for (const pid of await processesOf(family)) {
    const call = await readFile(`/proc/${pid}/syscall`, "utf8").catch(() => "");
    if (call.startsWith(`${read} 0x0 `) && (await inputOf(pid)) === input) return true;
  }
  return false;
}

async function pidsThere(): Promise<number[]> {
  const names = await readdir("/proc").catch(() => []);
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

async function seen(pid: number): Promise<Seen | null> {
  const [state, parent, group, session] = (await statOf(pid)) ?? [];
  if (state === undefined || state === "Z" || state === "X") return null;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session) };
}

/** The fields behind the name, which may hold anything; null when there is no such process. */
async function statOf(pid: number): Promise<string[] | null> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  return text === null ? null : text.slice(text.lastIndexOf(") ") + 2).split(" ");
}

async function hasMark(pid: number, mark: string): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
  return environment.split("\0").includes(`${markName}=${mark}`);
}
