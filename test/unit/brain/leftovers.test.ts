import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readdir, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { createSessions } from "../../../src/brain/sessions.ts";
import { conversation, inFolder, sessionId, stillClock } from "./disk.ts";

const id = randomUUID();
/** No process has this number: it is more than a system gives out. */
const dead = { pid: 2 ** 22 + 1, host: hostname(), started: 0 };

describe("what dead processes leave in a session's folder", () => {
  it("C-11 is swept when the session is opened, and nothing that somebody may still want", () =>
    inFolder(async (dir) => {
      const sessions = createSessions({ dir, clock: stillClock() });
      const first = await sessions.open(sessionId, { create: true, runId: "run-1" });
      await first.append(conversation());
      await first.release();
      const folder = join(dir, "sessions", sessionId);
      const leave = async (name: string, writer: object | null, days = 0): Promise<string> => {
        await writeFile(join(folder, name), writer ? JSON.stringify(writer) : "");
        const at = new Date(Date.now() - days * 25 * 60 * 60 * 1000);
        await utimes(join(folder, name), at, at);
        return name;
      };
      const alive = { ...dead, pid: process.pid, started: performance.timeOrigin };
      const kept = [
        await leave(`lock.${id}.tmp`, alive),
        await leave("lock-elsewhere", { ...dead, host: "another" }),
        await leave(`session.json.${id}.tmp`, null),
        await leave("notes.tmp", null, 9),
        await leave("transcript.damaged-1.jsonl", null, 9),
      ];
      await leave(`lock.${randomUUID()}.tmp`, dead);
      await leave("lock-guard", dead);
      await leave(`lock-guard-inner.${id}.tmp`, dead);
      await leave(`lock-old.${id}.tmp`, null, 1);
      await leave("lock-far", { ...dead, host: "another" }, 1);
      await leave(`transcript.jsonl.${id}.tmp`, null, 1);
      const second = await sessions.open(sessionId, { create: false, runId: "run-2" });
      assert.deepEqual(
        (await readdir(folder)).toSorted(),
        [...kept, "lock", "session.json", "transcript.jsonl"].toSorted(),
      );
      await second.release();
    }));
});
