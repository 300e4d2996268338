// Whether a process of a test is still there.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

/** Whether the process still runs: one that ended but was not collected by its parent does not. */
async function alive(pid: number): Promise<boolean> {
  const state = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  if (state !== null) return !/\) [ZX] /.test(state);
  try {
    return process.platform !== "linux" && process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Waits a little until no process has these words in its command line: inside a sandbox a process has another number. */
export async function goneWith(words: string): Promise<void> {
  const { stdout } = await promisify(execFile)("ps", ["-eo", "pid,args"]);
  for (const line of stdout.split("\n").filter((line) => line.includes(words))) await gone(Number.parseInt(line, 10));
}

/** Waits a little for the process to end; fails when it stays. */
export async function gone(pid: number): Promise<void> {
  for (let tries = 0; (await alive(pid)) && tries < 50; tries++) await sleep(50);
  assert.ok(!(await alive(pid)), `process ${pid} is still there`);
}
