import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createSessions, type SessionStore } from "../../../src/brain/sessions.ts";
import { addEntry, emptySummary } from "../../../src/brain/summary.ts";
import type { Entry } from "../../../src/protocol/messages.ts";
import { conversation, inFolder, sessionId, stillClock, toText } from "./disk.ts";

const create = { create: true, runId: "run-1" };
const resume = { create: false, runId: "run-2" };

describe("sessions", () => {
  it("BRAIN-INTAKE-5 a new one is made with its folder, and resumed with its history", () =>
    withSessions(async ({ sessions, dir, folder }) => {
      const first = await sessions.open(sessionId, create);
      assert.deepEqual([first.id, first.history, first.repairs], [sessionId, [], []]);
      assert.match(await readFile(join(dir, ".gitignore"), "utf8"), /^sessions\/$/m);
      await first.append(conversation());
      await first.release();
      assert.equal(await readFile(join(folder, "transcript.jsonl"), "utf8"), toText(conversation()));
      const second = await sessions.open(sessionId, resume);
      assert.deepEqual([second.history, second.repairs], [conversation(), []]);
      await second.release();
      assert.deepEqual((await readdir(folder)).toSorted(), ["session.json", "transcript.jsonl"]);
    }));

  it("one that is not there, or whose id could be a way elsewhere, is not found", () =>
    withSessions(async ({ sessions, dir }) => {
      const missing = { code: "session_not_found" };
      await assert.rejects(sessions.open(sessionId, resume), missing);
      await assert.rejects(sessions.read(sessionId), missing);
      for (const id of ["", "..", "../../etc", `${sessionId}/..`, `${sessionId}\n`, sessionId.replace("1", "A")])
        await assert.rejects(sessions.open(id, create), missing);
      assert.deepEqual(await readdir(dir), []);
    }));

  it("BRAIN-INTAKE-6 one that was marked as terminated is refused, and stays so", () =>
    withSessions(async ({ sessions, folder }) => {
      await record(sessions, sessionId, conversation());
      const path = join(folder, "session.json");
      const summary: unknown = JSON.parse(await readFile(path, "utf8"));
      await writeFile(path, JSON.stringify(Object.assign({}, summary, { terminated: true })));
      await assert.rejects(sessions.open(sessionId, resume), { code: "session_terminated" });
      assert.equal((await sessions.list())[0]?.terminated, true);
    }));

  it("BRAIN-CONC-1 one run at a time; BRAIN-INTAKE-10 what fails while opening gives the lock back", () =>
    withSessions(async ({ sessions, folder }) => {
      const first = await sessions.open(sessionId, create);
      await assert.rejects(sessions.open(sessionId, resume), { code: "session_busy" });
      await first.release();
      await mkdir(join(folder, "transcript.jsonl"));
      await assert.rejects(
        sessions.open(sessionId, resume),
        /Could not read transcript\.jsonl: a folder is in its place\./,
      );
      await rmdir(join(folder, "transcript.jsonl"));
      await (await sessions.open(sessionId, resume)).release();
    }));

  it("BRAIN-CONC-8 a run that lost its session may not write", () =>
    withSessions(async ({ sessions, clock, folder }) => {
      const first = await sessions.open(sessionId, create);
      clock.sleep(900_001);
      const second = await sessions.open(sessionId, resume);
      await assert.rejects(first.append(conversation("run-1")), { code: "session_busy" });
      await second.append(conversation("run-2"));
      await first.release();
      await second.release();
      assert.equal(await readFile(join(folder, "transcript.jsonl"), "utf8"), toText(conversation("run-2")));
    }));

  it("BRAIN-PERS-4, BRAIN-PERS-5 lines that the disk refused are written before the next ones", () =>
    withSessions(async ({ sessions, folder }) => {
      const [a, b, c, d, ...rest] = conversation();
      assert.ok(a && b && c && d);
      const path = join(folder, "transcript.jsonl");
      const session = await sessions.open(sessionId, create);
      await session.append([a]);
      await rename(path, `${path}.away`);
      await mkdir(path);
      await assert.rejects(session.append([b]), { code: "disk_write" });
      await assert.rejects(session.append([c]), { code: "disk_write" });
      await rmdir(path);
      await rename(`${path}.away`, path);
      await session.append([d]);
      assert.equal(await readFile(path, "utf8"), toText([a, b, c, d]));
      await session.append(rest);
      await session.release();
      assert.deepEqual(await sessions.read(sessionId), conversation());
    }));

  it("BRAIN-PERS-5 what is still waiting is tried once more at the release", () =>
    withSessions(async ({ sessions, folder }) => {
      const session = await sessions.open(sessionId, create);
      const path = join(folder, "transcript.jsonl");
      await mkdir(path);
      await assert.rejects(session.append(conversation()), { code: "disk_write" });
      await rmdir(path);
      await session.release();
      assert.equal(await readFile(path, "utf8"), toText(conversation()));
      await assert.rejects(session.append(conversation()), { code: "session_busy" });
    }));

  it("BRAIN-PERS-11 appends that are not awaited stay in order", () =>
    withSessions(async ({ sessions, folder }) => {
      const session = await sessions.open(sessionId, create);
      await Promise.all(conversation().map((entry) => session.append([entry])));
      await session.release();
      assert.equal(await readFile(join(folder, "transcript.jsonl"), "utf8"), toText(conversation()));
    }));

  it("says which folder could not be made", () =>
    withSessions(async ({ sessions, dir }) => {
      await writeFile(join(dir, "sessions"), "");
      await assert.rejects(sessions.open(sessionId, create), { code: "disk_write" });
    }));

  it("an ignore file that was there, or that was removed later, is left alone", () =>
    withSessions(async ({ sessions, dir }) => {
      await writeFile(join(dir, ".gitignore"), "mine\n");
      await record(sessions, sessionId, conversation());
      assert.equal(await readFile(join(dir, ".gitignore"), "utf8"), "mine\n");
      await rm(join(dir, ".gitignore"));
      await record(sessions, id(7), conversation());
      assert.deepEqual(await readdir(dir), ["sessions"]);
    }));

  it("BRAIN-PERS-3 session.json says what happened, and is rebuilt from the transcript", () =>
    withSessions(async ({ sessions, folder }) => {
      await record(sessions, sessionId, conversation("run-1"));
      const session = await sessions.open(sessionId, resume);
      await session.append(conversation("run-2", 60));
      await session.release();
      const expected = {
        id: sessionId,
        title: "Make the tests pass 🌱",
        created: "2026-01-02T10:00:00.000Z",
        updated: "2026-01-02T10:01:05.000Z",
        messageCount: 10,
        usage: { input: 20, output: 8 },
        agent: "Coder",
        model: null,
        status: "completed",
      };
      const path = join(folder, "session.json");
      assert.deepEqual(JSON.parse(await readFile(path, "utf8")), expected);
      for (const broken of ["", "{", '{"id":1}']) {
        await writeFile(path, broken);
        assert.deepEqual(await sessions.list(), [expected]);
        assert.deepEqual(JSON.parse(await readFile(path, "utf8")), expected);
      }
    }));

  it("BRAIN-PERS-3 says what all runs cost, and nothing of it as soon as that of one is not known", () => {
    const end = (cost: number | undefined, input = 5): Entry => {
      const about = { id: "e", runId: "r", timestamp: "t", status: "completed", duration: 1 } as const;
      return { type: "run_end", ...about, usage: { input, output: 0 }, ...(cost !== undefined && { cost }) };
    };
    const costOf = (...ends: readonly Entry[]): unknown => ends.reduce(addEntry, emptySummary("s")).cost;
    assert.equal(costOf(), undefined);
    assert.equal(costOf(end(0.25), end(0.5)), 0.75);
    assert.equal(costOf(end(undefined, 0), end(0.25), end(undefined, 0)), 0.25, "a run that used nothing cost nothing");
    assert.equal(costOf(end(0.25), end(undefined), end(0.5)), undefined);
    assert.equal(costOf(end(undefined), end(0.5)), undefined);
    assert.equal(costOf({ ...end(0.5), within: "call" }, end(0.25)), 0.25);
    assert.equal("cost" in [end(0.25), end(undefined)].reduce(addEntry, emptySummary("s")), false);
  });

  it("a title that was given stays", () =>
    withSessions(async ({ sessions, folder }) => {
      await record(sessions, sessionId, conversation("run-1"));
      const path = join(folder, "session.json");
      await writeFile(path, (await readFile(path, "utf8")).replace("Make the tests pass 🌱", "Prices"));
      await record(sessions, sessionId, conversation("run-2", 60));
      assert.equal((await sessions.list())[0]?.title, "Prices");
    }));

  it("a list of 300 has the last used first, and nothing that is empty or no session", () =>
    withSessions(async ({ sessions, dir }) => {
      const ids = Array.from({ length: 300 }, (_, n) => id(n));
      for (const [n, session] of ids.entries()) {
        const folder = join(dir, "sessions", session);
        await mkdir(folder, { recursive: true });
        await writeFile(join(folder, "transcript.jsonl"), toText(conversation("run", n)));
      }
      await mkdir(join(dir, "sessions", id(900)));
      await mkdir(join(dir, "sessions", "notes"));
      await writeFile(join(dir, "sessions", id(901)), "");
      const rebuilt = await sessions.list();
      assert.deepEqual(
        rebuilt.map((summary) => summary.id),
        ids.toReversed(),
      );
      for (const session of ids) await rm(join(dir, "sessions", session, "transcript.jsonl"));
      assert.deepEqual(await sessions.list(), rebuilt);
    }));

  it("without a folder the list is empty", () =>
    withSessions(async ({ sessions, dir }) => {
      await rm(dir, { recursive: true });
      assert.deepEqual(await sessions.list(), []);
    }));
});

interface Fixture {
  readonly dir: string;
  readonly folder: string;
  readonly sessions: SessionStore;
  readonly clock: ReturnType<typeof stillClock>;
}

async function withSessions(test: (fixture: Fixture) => Promise<void>): Promise<void> {
  await inFolder(async (dir) => {
    const clock = stillClock();
    await test({ dir, folder: join(dir, "sessions", sessionId), sessions: createSessions({ dir, clock }), clock });
  });
}

async function record(sessions: SessionStore, session: string, entries: readonly Entry[]): Promise<void> {
  const handle = await sessions.open(session, create);
  await handle.append(entries);
  await handle.release();
}

function id(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
}
