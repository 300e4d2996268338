// The processes that commands of a test have left, found by a variable of its own in their environment.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** Processes that have `TEST_PLACE=<root>` in their environment, or hold the folder open as theirs. */
async function left(root: string): Promise<string[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
      return environment.split("\0").includes(`TEST_PLACE=${root}`) ? pid : "";
    }),
  );
  return found.filter((pid) => pid !== "");
}

/** Fails when a process of a place is still there after a little while. */
export async function noneLeft(root: string): Promise<void> {
  for (let tries = 0; tries < 400 && (await left(root)).length > 0; tries++) await sleep(50);
  assert.deepEqual(await left(root), []);
}
