import assert from "node:assert/strict";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { createSessions, type SessionStore } from "../../../src/brain/sessions.ts";
import { readTranscript } from "../../../src/brain/transcript.ts";
import { tracesOf } from "../../../src/engine/carried.ts";
import { revisionOf } from "../../../src/engine/compactSession.ts";
import { conversation as request } from "../../../src/engine/conversation.ts";
import { flushedThisCycle } from "../../../src/engine/flush.ts";
import type { SessionHandle } from "../../../src/engine/ports.ts";
import { type CompactionEntry, type Entry, isMessage } from "../../../src/protocol/messages.ts";
import { conversation, inFolder, sessionId, stillClock, toText } from "./disk.ts";
import { ordinarySteps, randomTranscript, type Step, steps } from "./randomTranscript.ts";

/** Of each property. */
const runs = process.env["BRAIN_SLOW"] === "1" ? 1_000 : 40;
const resume = { create: false, runId: "next" };

describe("opening a session that was compacted", () => {
  it("BRAIN-COMP-6 whatever happened in it, a request reads what it would read if all were at hand, opened anew or again", () =>
    fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 60 }), fc.nat(400), (made, torn) =>
        inFolder(async (dir) => {
          const { sessions, folder, path } = await place(dir);
          const text = toText(randomTranscript(made));
          // Now and then the last process died while it wrote.
          await writeFile(path, torn < 300 ? text : text.slice(0, -(torn - 299)));
          const first = await opened(sessions, path);
          await rewriteCache(sessions);
          assert.deepEqual(await opened(sessions, path), first);
          await rm(join(folder, "session.json"), { force: true });
          assert.deepEqual(await opened(sessions, path), first);
        }),
      ),
      { numRuns: runs },
    )).timeout(300_000);

  it("run after run, each opened by what the last one left, the summary and the history are those of all lines", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(ordinarySteps, { minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 6 }),
        (sends) =>
          inFolder(async (dir) => {
            const { sessions, folder, path } = await place(dir);
            const all = randomTranscript(sends.flatMap((made): Step[] => [...made, { kind: "end" }]));
            for (const run of runsOf(all)) {
              const handle = await sessions.open(sessionId, { create: true, runId: "run" });
              assert.deepEqual(handle.repairs, []);
              for (const entry of run) await handle.append([entry]);
              await handle.release();
              await opened(sessions, path);
            }
            assert.equal(await readFile(path, "utf8"), toText(all));
            const kept = await sessions.rename(sessionId, "Told");
            await rm(join(folder, "session.json"));
            assert.deepEqual(await sessions.rename(sessionId, "Told"), kept);
          }),
      ),
      { numRuns: runs },
    )).timeout(300_000);

  it("passes over what a compaction stands for, and reads it when it is asked for", () =>
    inFolder(async (dir) => {
      const { sessions, path } = await place(dir);
      const all = compacted();
      await writeFile(path, toText(all));
      for (const _ of ["read through", "read on"]) {
        const handle = await sessions.open(sessionId, resume);
        assert.equal(handle.history[0]?.id, "run-5-user");
        const earlier = await handle.earlier(({ id }) => [id]);
        await handle.release();
        assert.deepEqual(
          [...earlier, ...handle.history.map(({ id }) => id)],
          all.map(({ id }) => id),
        );
        await rewriteCache(sessions);
        all.push(...(await sessions.read(sessionId)).slice(all.length));
      }
    }));

  it("a cache about another file is not believed: what was put in, taken out or changed by hand is read", () =>
    inFolder(async (dir) => {
      const { sessions, folder, path } = await place(dir);
      await writeFile(path, toText(compacted()));
      await rewriteCache(sessions);
      const text = await readFile(path, "utf8");
      const cache = await readFile(join(folder, "session.json"), "utf8");
      const changes: readonly string[] = [
        text.replace("Make the tests pass", "Make the tests fail"),
        text.slice(text.indexOf("\n") + 1),
        text + toText(conversation("by-hand")),
        text + toText(compacted().slice(0, 1)),
        text + toText(compacted().slice(0, 1)).replace("Make the tests pass", "Said by another"),
        `${text}{"torn`,
      ];
      for (const changed of changes) {
        await writeFile(path, changed);
        await writeFile(join(folder, "session.json"), cache);
        await opened(sessions, path);
      }
    }));

  it("a cache that lies about where to begin is found out by the line that is there", () =>
    inFolder(async (dir) => {
      const { sessions, folder, path } = await place(dir);
      await writeFile(path, toText(compacted()));
      await rewriteCache(sessions);
      const file = join(folder, "session.json");
      const cache = await readFile(file, "utf8");
      for (const [from, to] of [
        [/"from": \d+/, '"from": 7'],
        [/"from": \d+/, '"from": -1'],
        [/"first": "[^"]+"/, '"first": "x"'],
        [/"size"/, '"length"'],
      ] as const) {
        assert.match(cache, from);
        await writeFile(file, cache.replace(from, to));
        await opened(sessions, path);
      }
    }));

  it("C-10 an undone compaction brings back what it stood for, also behind a cache that passed it over", () =>
    inFolder(async (dir) => {
      const { sessions, path } = await place(dir);
      await writeFile(path, toText(compacted()));
      await rewriteCache(sessions);
      const handle = await sessions.open(sessionId, resume);
      const about = { id: "undo", timestamp: "2026-01-03T00:00:00.000Z" };
      await handle.append([revisionOf(handle.history, { compactionId: "compaction", summary: null }, about)]);
      await handle.release();
      const after = await sessions.open(sessionId, resume);
      await after.release();
      assert.deepEqual(after.history, (await readTranscript(path)).entries);
      assert.equal(after.history[0]?.id, "run-0-user");
    }));

  it("a title that was given before the compaction stays, and one that was written into session.json does", () =>
    inFolder(async (dir) => {
      const { sessions, folder, path } = await place(dir);
      await writeFile(path, toText(compacted()));
      await rewriteCache(sessions);
      const file = join(folder, "session.json");
      await writeFile(file, (await readFile(file, "utf8")).replace(/"title": ".*"/, '"title": "By hand"'));
      await rewriteCache(sessions);
      assert.equal((await sessions.list())[0]?.title, "By hand");
      await sessions.rename(sessionId, "Given");
      await rewriteCache(sessions);
      assert.equal((await sessions.list())[0]?.title, "Given");
      assert.equal("resume" in ((await sessions.list())[0] ?? {}), false);
    }));

  it("a line that was written twice, on both sides of the cut, counts where it was first", () =>
    inFolder(async (dir) => {
      const { sessions, path } = await place(dir);
      const all = compacted();
      const [first] = all;
      assert.ok(first);
      await writeFile(path, toText([...all, first]));
      await opened(sessions, path);
      await rewriteCache(sessions);
      await opened(sessions, path);
    }));
});

/** Eight runs; the seventh ends with a compaction that keeps the messages from the sixth on. */
function compacted(): Entry[] {
  const runs = Array.from({ length: 8 }, (_, n) => conversation(`run-${n}`, n));
  const line = { id: "compaction", runId: "run-6", timestamp: "2026-01-02T10:00:30.000Z" };
  const counts = { messages: 25, tokensBefore: 9_000, tokensAfter: 900 };
  const entry: CompactionEntry = {
    type: "compaction",
    ...line,
    summary: "Prices were mended.",
    carried: [],
    firstKeptId: "run-5-user",
    ...counts,
  };
  runs[6]?.splice(-1, 0, entry);
  return runs.flat();
}

async function place(dir: string): Promise<{ sessions: SessionStore; folder: string; path: string }> {
  const folder = join(dir, "sessions", sessionId);
  await mkdir(folder, { recursive: true });
  return { sessions: createSessions({ dir, clock: stillClock() }), folder, path: join(folder, "transcript.jsonl") };
}

/** Opens and looks at what a run would read; it must be what all lines give. */
async function opened(sessions: SessionStore, path: string): Promise<unknown> {
  const before = await readTranscript(path);
  const handle = await sessions.open(sessionId, resume);
  await handle.release();
  const { entries } = await readTranscript(path);
  assert.deepEqual(entries, before.entries, "nothing is lost");
  const read = await readBy(handle);
  assert.deepEqual(read, await readBy({ history: entries, earlier: () => Promise.resolve([]) }));
  assert.deepEqual(handle.history, entries.slice(entries.length - handle.history.length));
  return read;
}

/** Everything that a run makes of a session. */
async function readBy({ history, earlier }: Pick<SessionHandle, "history" | "earlier">): Promise<unknown> {
  const about = { id: "revision", timestamp: "2026-01-03T00:00:00.000Z" };
  const revise = (compactionId: string): unknown => {
    try {
      return revisionOf(history, { compactionId, summary: "Other words." }, about);
    } catch (error) {
      return String(error);
    }
  };
  return {
    request: request(history),
    traces: [...(await earlier(tracesOf)), ...history.flatMap(tracesOf)],
    flushed: flushedThisCycle(history),
    ended: history.findLast((entry) => !isMessage(entry) && entry.type === "run_end"),
    revisions: Array.from({ length: 8 }, (_, n) => revise(`c${n}`)),
  };
}

/** As a run leaves it: with a line at the end that is none of the conversation. */
async function rewriteCache(sessions: SessionStore): Promise<void> {
  await sessions.rename(sessionId, (await sessions.list())[0]?.title || "Untitled");
}

function runsOf(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const ends = entries.flatMap((entry, index) => (!isMessage(entry) && entry.type === "run_end" ? [index + 1] : []));
  return ends.map((end, n) => entries.slice(ends[n - 1] ?? 0, end));
}
