// What Linux tells of processes: which belong to a command, since when one runs, which waits for input. Elsewhere: nothing.
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setImmediate as breathe } from "node:timers/promises";
import type { Family } from "./processGroup.ts";

/** The variable in the environment of every process of a command. */
export const markName = "BRAIN_COMMAND";

/** Processes that are looked at before others have their turn: quicker one after the other than through the thread pool. */
const readAtOnce = 50;

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
  const all = await processesThere();
  const withMark = all.filter(({ pid }) => textOf(pid, "environ").split("\0").includes(`${markName}=${mark}`));
  const found = new Set(withMark.map(({ pid }) => pid));
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
  if (process.platform === "linux") return statOf(pid)?.[19] ?? null;
  if (process.platform === "win32") return null;
  return new Promise((resolve) => {
    execFile("ps", ["-o", "lstart=", "-p", String(pid)], (error, out) => resolve(error ? null : out.trim() || null));
  });
}

/** What the input of a process is connected to; null when nobody can tell. */
export function inputOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/fd/0`);
  } catch {
    return null;
  }
}

/** Number of the system call `read`, by processor. */
const readCalls: Readonly<Partial<Record<string, string>>> = { x64: "0", arm64: "63", riscv64: "63" };

/** Whether a process of the command hangs in reading what is typed into it. Never throws. */
export async function readsInput(family: Family, input: string): Promise<boolean> {
  const read = readCalls[process.arch];
  for (const pid of await processesOf(family)) {
    if (textOf(pid, "syscall").startsWith(`${read} 0x0 `) && inputOf(pid) === input) return true;
  }
  return false;
}

/** Time that the processes of a command have computed so far, in milliseconds; 0 where nobody can tell. Never throws. */
export async function workOf(family: Family): Promise<number> {
  if (process.platform !== "linux") return 0;
  const ticks = (await processesOf(family)).flatMap((pid) => statOf(pid)?.slice(11, 15) ?? []);
  return ticks.reduce((sum, part) => sum + Number(part) * tick, 0);
}

/** What Linux counts that time in, whatever the machine: hundredths of a second. */
const tick = 10;

async function processesThere(): Promise<Seen[]> {
  const all: Seen[] = [];
  for (const [index, pid] of pidsThere().entries()) {
    if (index % readAtOnce === readAtOnce - 1) await breathe();
    const one = seen(pid);
    if (one) all.push(one);
  }
  return all;
}

function pidsThere(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function seen(pid: number): Seen | null {
  const [state, parent, group, session] = statOf(pid) ?? [];
  if (state === undefined || state === "Z" || state === "X") return null;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session) };
}

/** The fields behind the name, which may hold anything; null when there is no such process. */
function statOf(pid: number): string[] | null {
  const text = textOf(pid, "stat");
  return text === "" ? null : text.slice(text.lastIndexOf(") ") + 2).split(" ");
}

/** `""` when there is no such process, or it is somebody else's. */
function textOf(pid: number, file: "stat" | "environ" | "syscall"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}
