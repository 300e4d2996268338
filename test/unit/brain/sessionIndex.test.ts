// The followed list of sessions: everything at first, then only what has changed; pins, owners, and what is not read again.
import assert from "node:assert/strict";
import fs from "node:fs";
import { readdir, rm, utimes, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { createSessions, type SessionStore } from "../../../src/brain/sessions.ts";
import type { Look } from "../../../src/brain/sessionIndex.ts";
import { conversation, inFolder, stillClock } from "./disk.ts";

const id = (n: number): string => `11111111-2222-4333-8444-${String(n).padStart(12, "0")}`;

interface Fixture {
  readonly dir: string;
  readonly sessions: SessionStore;
  /** What a look finds, together. */
  readonly look: () => Promise<{ readonly changed: readonly string[]; readonly gone: readonly string[] }>;
}

describe("the index of sessions", () => {
  it("tells everything at first, and then what has changed: titles, pins, new ones, and those that are gone", () =>
    withSessions(async ({ dir, sessions, look }) => {
      await record(sessions, 1);
      await record(sessions, 2);
      assert.deepEqual(await look(), { changed: ["1: Make the tests pass 🌱", "2: Make the tests pass 🌱"], gone: [] });
      assert.deepEqual(await look(), { changed: [], gone: [] });
      await sessions.rename(id(1), "Prices");
      await sessions.pin(id(2), true);
      await record(sessions, 3);
      assert.deepEqual(await look(), {
        changed: ["1: Prices", "2: Make the tests pass 🌱, pinned", "3: Make the tests pass 🌱"],
        gone: [],
      });
      await sessions.pin(id(2), false);
      await sessions.delete(id(3));
      await rm(join(dir, "sessions", id(1), "session.json"));
      assert.deepEqual(await look(), { changed: ["2: Make the tests pass 🌱"], gone: [id(3)] });
      assert.equal(sessions.index.all().length, 2);
    }));

  it("says which one a run has, and when it has it no more", () =>
    withSessions(async ({ sessions, look }) => {
      await record(sessions, 1);
      await look();
      const run = await sessions.open(id(1), { create: false, runId: "run-2" });
      assert.deepEqual((await look()).changed, ["1: Make the tests pass 🌱, owned"]);
      assert.deepEqual((await look()).changed, []);
      await run.release();
      assert.deepEqual((await look()).changed, ["1: Make the tests pass 🌱"]);
    }));

  it("keeps a pin where a session goes: into the trash and back, through a lost session.json, and while it runs", () =>
    withSessions(async ({ dir, sessions, look }) => {
      await record(sessions, 1);
      const run = await sessions.open(id(1), { create: false, runId: "run-2" });
      await sessions.pin(id(1), true);
      await run.release();
      await sessions.delete(id(1));
      await sessions.restore(id(1));
      await rm(join(dir, "sessions", id(1), "session.json"));
      assert.deepEqual((await look()).changed, ["1: Make the tests pass 🌱, pinned"]);
      const { summary } = await sessions.fork(id(1));
      await look();
      assert.equal(sessions.index.all().find((one) => one.summary.id === summary.id)?.pinned, false);
      await assert.rejects(sessions.pin(id(9), true), { code: "session_not_found" });
    }));

  it("tells the last used first, and reads no file of what has not changed", () =>
    withSessions(async ({ dir, sessions, look }) => {
      for (let n = 1; n <= 120; n++) await record(sessions, n);
      const old = Date.now() / 1_000 - 100_000;
      for (const [n, name] of (await readdir(join(dir, "sessions"))).toSorted().entries()) {
        const folder = join(dir, "sessions", name);
        for (const file of ["transcript.jsonl", "session.json"]) await utimes(join(folder, file), old + n, old + n);
        await utimes(folder, old + n, old + n);
      }
      const looks: Look[] = [];
      for await (const one of sessions.index.look()) looks.push(one);
      assert.deepEqual(
        looks.map(({ changed }) => [changed.length, changed[0]?.summary.id]),
        [
          [100, id(120)],
          [20, id(20)],
        ],
      );
      await sessions.pin(id(7), true);
      const read = await filesRead(look);
      assert.deepEqual(
        read.map((path) => path.slice(-49)),
        [`${id(7)}/session.json`],
      );
    }));

  it("lists what can be read when something else is in the folder", () =>
    withSessions(async ({ dir, sessions, look }) => {
      await record(sessions, 1);
      await writeFile(join(dir, "sessions", "notes.txt"), "x");
      await writeFile(join(dir, "sessions", id(5)), "no folder");
      assert.deepEqual((await look()).changed, ["1: Make the tests pass 🌱"]);
    }));
});

async function withSessions(test: (fixture: Fixture) => Promise<void>): Promise<void> {
  await inFolder(async (dir) => {
    const sessions = createSessions({ dir, clock: stillClock() });
    const look: Fixture["look"] = async () => {
      const looks: Look[] = [];
      for await (const one of sessions.index.look()) looks.push(one);
      const changed = looks.flatMap((one) => one.changed);
      return {
        changed: changed
          .map(({ summary, pinned, owned }) => {
            const marks = [pinned ? ", pinned" : "", owned ? ", owned" : ""].join("");
            return `${Number(summary.id.slice(-12))}: ${summary.title}${marks}`;
          })
          .toSorted(),
        gone: looks.flatMap((one) => one.gone),
      };
    };
    await test({ dir, sessions, look });
  });
}

async function record(sessions: SessionStore, n: number): Promise<void> {
  const handle = await sessions.open(id(n), { create: true, runId: "run" });
  await handle.append(conversation());
  await handle.release();
}

/** The files whose contents are read while something is done. */
async function filesRead(work: () => Promise<unknown>): Promise<readonly string[]> {
  const { promises } = fs;
  const { readFile, open } = promises;
  const paths: string[] = [];
  const noting =
    <A extends readonly unknown[], R>(real: (...given: A) => R) =>
    (...given: A): R => {
      paths.push(String(given[0]));
      return real(...given);
    };
  Object.assign(promises, { readFile: noting(readFile), open: noting(open) });
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    Object.assign(promises, { readFile, open });
    syncBuiltinESMExports();
  }
  return paths;
}
