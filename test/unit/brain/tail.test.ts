import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readTail } from "../../../src/brain/tail.ts";
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
        const { entries, complete } = await readTail(path, count);
        assert.deepEqual(entries, all.slice(-entries.length));
        assert.equal(entries.length, Math.min(Math.ceil(count / 6) * 6, all.length));
        assert.equal(complete, entries.length === all.length);
      }
    }));

  it("C-10 is closed where the last run was cut off, and the file stays as it was", () => {
    const text = `${toText(runs(50))}${toText(conversation("cut").slice(0, 3))}{"torn`;
    return withText(text, async (path) => {
      const { entries } = await readTail(path, 4);
      assert.deepEqual(entries, (await readTranscript(path)).entries.slice(-entries.length));
      assert.equal(entries.at(-1)?.["status"], "aborted");
      assert.equal(await readFile(path, "utf8"), text);
    });
  });

  it("of one run that is longer than any look is the whole run", () => {
    const [user, ...rest] = conversation("long");
    assert.ok(user);
    const long = [...runs(2), user, ...Array.from({ length: 100 }, (_, n) => steering(n)), ...rest];
    return withText(toText(long), async (path) => {
      const { entries, complete } = await readTail(path, 10);
      assert.deepEqual([entries[0]?.id, entries.length, complete], ["long-user", 106, false]);
    });
  });

  it("of no file, or an empty one, is empty and complete; a folder in its place is an error", () =>
    withText("", async (path) => {
      assert.deepEqual(await readTail(path, 10), { entries: [], complete: true });
      assert.deepEqual(await readTail(`${path}-none`, 10), { entries: [], complete: true });
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
