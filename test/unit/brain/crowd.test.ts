import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { acquireLock } from "../../../src/brain/lock.ts";
import { readTranscript } from "../../../src/brain/transcript.ts";
import { inFolder, sessionId, stillClock } from "./disk.ts";

const racer = fileURLToPath(new URL("racer.ts", import.meta.url));
const sends = process.env["BRAIN_SLOW"] === "1" ? 50 : 5;
const timeout = 900_000;

describe("many on one session", () => {
  it(`C-11 ten processes send ${sends} messages each: one after the other, no line mixed, none lost`, () =>
    inFolder(async (dir) => {
      const names = Array.from({ length: 10 }, (_, n) => `process-${n}`);
      await Promise.all(names.map((name) => promisify(execFile)(process.execPath, [racer, dir, name, String(sends)])));
      const path = join(dir, "sessions", sessionId, "transcript.jsonl");
      const { entries, repairs } = await readTranscript(path);
      assert.deepEqual(repairs, []);
      const sent = names.flatMap((name) => Array.from({ length: sends }, (_, n) => `${name}-${n}`));
      const users = entries.filter((entry) => entry["role"] === "user");
      assert.deepEqual(users.map(({ id }) => id).toSorted(), sent.toSorted());
      assert.deepEqual(
        entries.map(({ id }) => id),
        users.flatMap(({ id }) => [id, `${id}-end`]),
      );
      assert.equal((await readFile(path, "utf8")).trimEnd().split("\n").length, entries.length);
    })).timeout(300_000);

  for (const [name, jump] of [
    ["forwards", timeout * 2],
    ["backwards", -timeout * 2],
  ] as const)
    it(`C-11 a clock that jumps ${name} makes no two owners, whoever of them it jumps for`, () =>
      inFolder(async (dir) => {
        for (const jumps of ["owner", "rival"] as const) {
          const path = join(dir, `${name}-${jumps}`);
          const clocks = { owner: stillClock(), rival: stillClock() };
          const owner = await acquireLock(path, { sessionId, runId: "owner" }, { clock: clocks.owner, timeout });
          clocks[jumps].sleep(jump);
          const rival = await acquireLock(path, { sessionId, runId: "rival" }, { clock: clocks.rival, timeout }).catch(
            () => null,
          );
          const checked = await owner.check().then(
            () => true,
            () => false,
          );
          assert.equal(owner.holds(), checked);
          assert.equal(rival?.holds() ?? false, !checked, `${jumps}: exactly one may write`);
        }
      }));
});
