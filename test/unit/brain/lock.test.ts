import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { acquireLock, type Lock } from "../../../src/brain/lock.ts";
import { readTranscript } from "../../../src/brain/transcript.ts";
import { inFolder, sessionId, stillClock, type StillClock } from "./disk.ts";

const timeout = 900_000;
const busy = { code: "session_busy" };
const racer = fileURLToPath(new URL("racer.ts", import.meta.url));

describe("the lock of a session", () => {
  it("holds what others need to know, and is gone after the release", () =>
    withLock(async ({ take, path, clock }) => {
      const lock = await take("run-1");
      const lease: unknown = JSON.parse(await readFile(path, "utf8"));
      assert.ok(typeof lease === "object" && lease !== null);
      const expiresAt = new Date(clock.now() + timeout).toISOString();
      const acquiredAt = new Date(clock.now()).toISOString();
      const expected = { sessionId, runId: "run-1", pid: process.pid, host: hostname(), acquiredAt, expiresAt };
      assert.deepEqual({ ...lease, ...expected }, lease);
      await lock.release();
      await lock.release();
      assert.deepEqual(await readdir(join(path, "..")), []);
    }));

  it("BRAIN-CONC-1 of fifty at once exactly one gets it", () =>
    withLock(async ({ take }) => {
      const results = await Promise.allSettled(Array.from({ length: 50 }, (_, n) => take(`run-${n}`)));
      const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
      assert.equal(refused.length, 49);
      assert.match(String(refused[0]), /Another run, in this window, has had this session since/);
    }));

  it("BRAIN-CONC-10 of fifty that find it stale exactly one takes it over", () =>
    withLock(async ({ take, path, clock }) => {
      for (let round = 0; round < 10; round++) {
        const owner = await take("owner");
        clock.sleep(timeout + 1);
        const results = await Promise.allSettled(Array.from({ length: 50 }, (_, n) => take(`run-${n}`)));
        const taken = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
        assert.equal(taken.length, 1);
        await taken[0]?.check();
        await assert.rejects(owner.check(), busy);
        await owner.release();
        await taken[0]?.check();
        await taken[0]?.release();
        assert.deepEqual(await readdir(join(path, "..")), []);
      }
    }));

  it("BRAIN-CONC-8 a run whose lock expired and was taken may not write", () =>
    withLock(async ({ take, clock }) => {
      const first = await take("run-1");
      clock.sleep(timeout + 1);
      const second = await take("run-2");
      await assert.rejects(first.check(), busy);
      await second.check();
    }));

  it("a run that slept goes on when nobody wanted its lock, and has it anew", () =>
    withLock(async ({ take, clock }) => {
      const lock = await take("run-1");
      clock.sleep(timeout * 3);
      await lock.check();
      await assert.rejects(take("run-2"), busy);
    }));

  it("is refreshed for as long as its run lives", () =>
    withLock(async ({ take, path, clock }) => {
      const lock = await take("run-1");
      for (let beat = 0; beat < 8; beat++) {
        clock.pass(timeout / 4);
        const fresh = new Date(clock.now() + timeout).toISOString();
        await until(async () => (await readFile(path, "utf8")).includes(fresh));
      }
      await assert.rejects(take("run-2"), busy);
      await lock.release();
      clock.pass(timeout);
      assert.equal(existsSync(path), false);
    }));

  it("BRAIN-CONC-9 only its owner removes it", () =>
    withLock(async ({ take, clock }) => {
      const first = await take("run-1");
      clock.sleep(timeout + 1);
      const second = await take("run-2");
      await first.release();
      await second.check();
      await assert.rejects(take("run-3"), busy);
    }));

  it("that was deleted by hand is made again", () =>
    withLock(async ({ take, path }) => {
      const lock = await take("run-1");
      await rm(path);
      await lock.check();
      await assert.rejects(take("run-2"), busy);
    }));

  it("of another computer counts until it expires", () =>
    withLock(async ({ take, path, clock }) => {
      await writeFile(path, lease({ host: "elsewhere", expiresAt: new Date(clock.now() + 1000).toISOString() }));
      await assert.rejects(take("run-1"), /process 999999 on elsewhere, has had this session since then\./);
      clock.sleep(1001);
      await (await take("run-1")).check();
    }));

  it("BRAIN-CONC-10 of a dead process is taken at once, also by a process that got its pid", () =>
    withLock(async ({ take, path }) => {
      const child = spawn(process.execPath, ["-e", ""]);
      await once(child, "exit");
      await writeFile(path, lease({ pid: child.pid }));
      await (await take("run-1")).release();
      await writeFile(path, lease({ pid: process.pid }));
      await (await take("run-2")).release();
    }));

  it("that cannot be read counts while it may be in the making, and not for ever", () =>
    withLock(async ({ take, path, clock }) => {
      await writeFile(path, "");
      await assert.rejects(take("run-1"), /Another process has this session\./);
      const old = clock.now() / 1000 - 60;
      await utimes(path, old, old);
      await (await take("run-1")).check();
    }));

  it("is no endless search when a link that leads nowhere is in its place", async function () {
    if (process.platform === "win32") return this.skip();
    await withLock(async ({ take, path }) => {
      await symlink(join(path, "nowhere"), path);
      await assert.rejects(take("run-1"), { code: "disk_write" });
      await rm(path);
      await symlink(`${path}-nowhere`, path);
      await assert.rejects(take("run-1"), { code: "disk_write" });
    });
  });

  it("is not stopped by a crash in the middle of a takeover", () =>
    withLock(async ({ take, path }) => {
      await writeFile(path, lease({ token: "stale" }));
      await writeFile(`${path}-stale`, lease({ token: "guard" }));
      await writeFile(`${path}-stale-guard`, lease({ token: "guard-of-guard" }));
      await (await take("run-1")).release();
      assert.deepEqual(await readdir(join(path, "..")), []);
    }));

  it("BRAIN-CONC-10 three processes on one session exclude each other, also after a crash", async () => {
    await inFolder(async (dir) => {
      const start = (name: string, rounds: number) =>
        promisify(execFile)(process.execPath, [racer, dir, name, String(rounds)]);
      await assert.rejects(start("crash", 1), { signal: "SIGKILL" });
      await rm(join(dir, "inside"));
      await Promise.all([start("a", 12), start("b", 12), start("c", 12)]);
      const { entries, repairs } = await readTranscript(join(dir, "sessions", sessionId, "transcript.jsonl"));
      assert.deepEqual(repairs, []);
      assert.equal(entries.filter((entry) => entry["role"] === "user").length, 37);
      const runs = entries.map(({ runId }) => runId);
      assert.deepEqual(runs.filter((run, n) => run !== runs[n - 1]).length, new Set(runs).size);
    });
  }).timeout(60_000);
});

interface Fixture {
  readonly path: string;
  readonly clock: StillClock;
  readonly take: (runId: string) => Promise<Lock>;
}

async function withLock(test: (fixture: Fixture) => Promise<void>): Promise<void> {
  await inFolder(async (dir) => {
    const path = join(dir, "lock");
    const clock = stillClock();
    await test({ path, clock, take: (runId) => acquireLock(path, { sessionId, runId }, { clock, timeout }) });
  });
}

function lease(change: Record<string, unknown>): string {
  const times = { acquiredAt: "then", expiresAt: "2999-01-01T00:00:00.000Z", started: 1 };
  const process = { pid: 999_999, host: hostname() };
  return JSON.stringify({ token: "t", sessionId, runId: "run-0", ...process, ...times, ...change });
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, "never happened");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
