// Whether a process of a test is still there.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

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

/** Waits a little for the process to end; fails when it stays. */
export async function gone(pid: number): Promise<void> {
  for (let tries = 0; (await alive(pid)) && tries < 50; tries++) await sleep(50);
  assert.ok(!(await alive(pid)), `process ${pid} is still there`);
}
