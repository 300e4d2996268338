// What is written down of running commands, so that those of a window that crashed are found and ended at the next start.
import { lstat, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { endFamily, type Family } from "./processGroup.ts";
import { startOf } from "./processTree.ts";

const Started = z.object({ pid: z.number().int().positive(), start: z.string() });
const Recorded = z.object({ mark: z.uuid(), host: z.string(), owner: Started, shell: Started });

export interface CommandRecords {
  /** Writes a command down; the returned function takes it back. Never throws: then it is not swept. */
  add(family: Family): Promise<() => Promise<void>>;
  /** Ends what windows that are gone have left running, and nothing else. @returns how many commands. Never throws. */
  sweep(): Promise<number>;
}

/** Where they are kept: on the machine that the processes are on, for all windows of its user. */
export function recordsFolder(): string {
  return join(tmpdir(), `brain-commands-${userInfo().uid}`);
}

/** @param folder its parent must be there; one that others could write into is not used */
export function commandRecords(folder: string): CommandRecords {
  return {
    async add({ mark, shell }) {
      const file = join(folder, `${mark}.json`);
      const [owner, start] = await Promise.all([startOf(process.pid), shell && startOf(shell.pid)]);
      if (owner === null || start === null || shell === null) return () => Promise.resolve();
      const us = { host: hostname(), owner: { pid: process.pid, start: owner } };
      const text = JSON.stringify({ mark, ...us, shell: { pid: shell.pid, start } });
      await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
      if (await isOurs(folder)) await writeFile(file, text, { flag: "wx" }).catch(() => undefined);
      return () => rm(file, { force: true }).catch(() => undefined);
    },
    async sweep() {
      const names = (await isOurs(folder)) ? await readdir(folder).catch(() => []) : [];
      const swept = await Promise.all(names.map((name) => sweepOne(join(folder, name)).catch(() => false)));
      return swept.filter(Boolean).length;
    },
  };
}

async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => null);
  return found !== null && found.isDirectory() && found.uid === userInfo().uid && (found.mode & 0o022) === 0;
}

async function sweepOne(file: string): Promise<boolean> {
  const { mark, host, owner, shell } = Recorded.parse(JSON.parse(await readFile(file, "utf8")));
  if (host !== hostname() || (await startOf(owner.pid)) === owner.start) return false;
  // A number may be somebody else's by now; a number with its time of start cannot, and neither can the mark.
  const same = (await startOf(shell.pid)) === shell.start;
  await endFamily({ mark, shell: same ? { pid: shell.pid, ended: () => false } : null });
  await rm(file, { force: true });
  return true;
}
