// One at a time: two suites started together must not install the same thing into the same folder.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { sleep } from "./run.ts";

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

async function tryTake(file: string): Promise<boolean> {
  try {
    await writeFile(file, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    // An empty file is one that its owner is about to write its number into.
    const owner = Number(await readFile(file, "utf8").catch(() => ""));
    if (owner > 0 && !isAlive(owner)) await rm(file, { force: true });
    return false;
  }
}

/** Runs `work` while this process holds `file`; waits for another living owner, steps over a dead one. */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  await mkdir(path.dirname(file), { recursive: true });
  for (let waited = 0; !(await tryTake(file)); waited++) {
    if (waited === 10) console.log(`waiting for another process that holds ${path.basename(file)}`);
    await sleep(200);
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}
