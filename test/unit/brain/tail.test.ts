import assert from "node:assert/strict";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readGrowth, readTail, unread } from "../../../src/brain/tail.ts";
import { writeAtomic } from "../../../src/brain/files.ts";
import { closeRuns } from "../../../src/brain/interrupted.ts";
import { readTranscript } from "../../../src/brain/transcript.ts";
import type { Entry } from "../../../src/protocol/messages.ts";
import { conversation, inFolder, toText } from "./disk.ts";

/** So many runs of six entries each, most of them large enough that no look ends where a run begins. */
const runs = (count: number): Entry[] =>
  Array.from({ length: count }, (_, n) =>
    conversation(`run-${n}`, n).map((entry) => ({ ...entry, padding: "é".repeat((n * 977) % 20_000) })),
  ).flat();

describe("the end of a transcript", () => {
  it("is what reading all of it gives at the end, in whole runs, however many are asked for", () =>
    withText(toText(runs(60)), async (path) => {
      const { entries: all } = await readTranscript(path);
      for (const count of [1, 5, 6, 7, 60, 200, 359, 360, 1_000]) {
        const { entries, begin } = await readTail(path, count);
        assert.deepEqual(entries, all.slice(-entries.length));
        assert.equal(entries.length, Math.min(Math.ceil(count / 6) * 6, all.length));
        assert.equal(begin === null, entries.length === all.length);
      }
    }));

  it("C-10 is open where the last run was cut off, and the file stays as it was", () => {
    const text = `${toText(runs(50))}${toText(conversation("cut").slice(0, 3))}{"torn`;
    return withText(text, async (path) => {
      const entries = closeRuns((await readTail(path, 4)).entries);
      assert.deepEqual(entries, (await readTranscript(path)).entries.slice(-entries.length));
      assert.equal(entries.at(-1)?.["status"], "aborted");
      assert.equal(await readFile(path, "utf8"), text);
    });
  });

  it("goes on before what is known, stretch by stretch, also when a repair has moved it", () =>
    withText(toText(runs(60)), async (path) => {
      const { entries: all } = await readTranscript(path);
      let tail = await readTail(path, 50);
      const read = [...tail.entries];
      for (let moved = 0; tail.begin; moved++) {
        if (moved === 2) await writeFile(path, `{"torn\n${await readFile(path, "utf8")}`);
        tail = await readTail(path, 50, tail.begin);
        read.unshift(...tail.entries);
      }
      assert.deepEqual(read, all);
    }));

  it("is followed by what is written behind it, in whole lines, until another file is in its place", () =>
    withText(`${toText(runs(3))}{"role":"us`, async (path) => {
      const { entries, mark } = await readTail(path, 1);
      assert.equal(entries.at(-1)?.id, runs(3).at(-1)?.id);
      assert.deepEqual((await readGrowth(path, mark))?.entries, []);
      const [user, reply, ...rest] = conversation("next");
      assert.ok(user && reply);
      await writeFile(path, `${toText(runs(3))}${toText([user])}${JSON.stringify(reply).slice(0, 40)}`);
      const grown = await readGrowth(path, mark);
      assert.deepEqual(grown?.entries, [user]);
      await appendFile(path, `${JSON.stringify(reply).slice(40)}\n${toText(rest)}`);
      assert.deepEqual((await readGrowth(path, grown.mark))?.entries, [reply, ...rest]);
      await writeAtomic(path, toText(runs(50)));
      assert.equal(await readGrowth(path, grown.mark), null);
    }));

  it("of one run that is longer than any look is the whole run", () => {
    const [user, ...rest] = conversation("long");
    assert.ok(user);
    const long = [...runs(2), user, ...Array.from({ length: 100 }, (_, n) => steering(n)), ...rest];
    return withText(toText(long), async (path) => {
      const { entries, begin } = await readTail(path, 10);
      assert.deepEqual([entries[0]?.id, entries.length, begin?.id], ["long-user", 106, "long-user"]);
    });
  });

  it("of no file, or an empty one, is empty and complete; a folder in its place is an error", () =>
    withText("", async (path) => {
      assert.deepEqual((await readTail(path, 10)).entries, []);
      assert.deepEqual(await readTail(`${path}-none`, 10), { entries: [], begin: null, mark: unread });
      await assert.rejects(readTail(join(path, ".."), 10), { code: "disk_write" });
    }));
});

function steering(n: number): Entry {
  const line = { id: `steer-${n}`, runId: "long", timestamp: "2026-01-02T10:00:00.000Z", steering: true };
  return { role: "user", content: "x".repeat(20_000), ...line };
}

async function withText(text: string, test: (path: string) => Promise<void>): Promise<void> {
  await inFolder(async (dir) => {
    const path = join(dir, "transcript.jsonl");
    await writeFile(path, text);
    await test(path);
  });
}
