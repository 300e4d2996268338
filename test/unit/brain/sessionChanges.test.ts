// What is done to whole sessions: titles, forks, the trash, the list of very many, search, and the exported text.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import fs from "node:fs";
import { appendFile, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { linesBack, linesOf } from "../../../src/brain/lines.ts";
import type { SearchHit } from "../../../src/brain/search.ts";
import { createSessions, type SessionStore } from "../../../src/brain/sessions.ts";
import { conversation as forModel } from "../../../src/engine/conversation.ts";
import { Preview } from "../../../src/protocol/calls.ts";
import { type Entry, isAboutSession, isMessage, type ToolEntry } from "../../../src/protocol/messages.ts";
import { interruptedResult, replay } from "../../../src/protocol/replay.ts";
import { emptyView, reduce, type View } from "../../../src/protocol/view.ts";
import { conversation, inFolder, sessionId, stillClock, toText } from "./disk.ts";

const day = 24 * 60 * 60 * 1_000;

describe("a session's title", () => {
  it("is kept in session.json and in the transcript, so that a rebuilt cache still has it", () =>
    withSessions(async ({ sessions, folder }) => {
      await record(sessions, sessionId, conversation());
      const before = await sessions.list();
      const renamed = await sessions.rename(sessionId, "  Prices,\n  rounded ");
      assert.equal(renamed.title, "Prices, rounded");
      assert.deepEqual(await sessions.list(), [{ ...before[0], title: "Prices, rounded" }]);
      const line: unknown = JSON.parse((await readFile(join(folder, "transcript.jsonl"), "utf8")).split("\n")[6] ?? "");
      assert.ok(typeof line === "object" && line !== null && "type" in line && "title" in line && "runId" in line);
      assert.deepEqual([line.type, line.title, line.runId], ["title", "Prices, rounded", ""]);
      for (const gone of [() => rm(join(folder, "session.json")), () => writeFile(join(folder, "session.json"), "{")]) {
        await gone();
        assert.deepEqual(await sessions.list(), [renamed]);
      }
      await record(sessions, sessionId, conversation("run-2", 60));
      assert.equal((await sessions.list())[0]?.title, "Prices, rounded");
      await sessions.rename(sessionId, "Prices");
      assert.equal((await sessions.list())[0]?.title, "Prices");
    }));

  it("is no turn, no part of what the model reads, and no interrupted run", () =>
    withSessions(async ({ sessions }) => {
      await record(sessions, sessionId, conversation());
      const before = await sessions.read(sessionId);
      await sessions.rename(sessionId, "Prices");
      const after = await sessions.read(sessionId);
      assert.deepEqual(forModel(after), forModel(before));
      assert.deepEqual(shown(after), shown(before));
      const handle = await sessions.open(sessionId, { create: false, runId: "run-2" });
      await handle.release();
      assert.deepEqual(handle.repairs, []);
    }));

  it("must be a line of text, and is not given to a session that runs", () =>
    withSessions(async ({ sessions, folder }) => {
      await record(sessions, sessionId, conversation());
      const before = await contentsOf(folder);
      for (const title of ["", " \n\t", "x".repeat(201)])
        await assert.rejects(sessions.rename(sessionId, title), { code: "title_invalid" });
      const run = await sessions.open(sessionId, { create: false, runId: "run-2" });
      await assert.rejects(
        sessions.rename(sessionId, "Prices"),
        /^LoopError: A session is not renamed while it runs\./,
      );
      await run.release();
      assert.deepEqual(await contentsOf(folder), before);
    }));

  it("is given to a session whose run was interrupted, after that run", () =>
    withSessions(async ({ sessions, folder }) => {
      await record(sessions, sessionId, conversation().slice(0, 3));
      await sessions.rename(sessionId, "Prices");
      const kinds = (await lines(folder)).map((entry) => ("role" in entry ? entry.role : entry.type));
      assert.deepEqual(kinds, ["user", "assistant", "tool", "tool", "run_end", "title"]);
    }));
});

describe("a fork", () => {
  it("shows exactly the turns up to its point, and leaves the original untouched", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("whole", "cut", "steered", "titled"), { minLength: 1, maxLength: 5 }),
        fc.nat(),
        (kinds, pick) =>
          withSessions(async ({ sessions, folder, dir }) => {
            const runs = kinds.map((kind, n) => turn(kind, `run-${n}`, n * 60));
            await write(folder, runs.flat());
            const before = await contentsOf(folder);
            const messages = runs.flat().filter(isMessage);
            const at = messages[pick % messages.length];
            assert.ok(at);
            const original = shown(await sessions.read(sessionId));
            const { summary } = await sessions.fork(sessionId, { entryId: at.id, side: "with" });
            assert.deepEqual(await contentsOf(folder), before);
            const entries = await sessions.read(summary.id);
            const index = runs.findIndex((run) => run.includes(at));
            assert.deepEqual(shown(entries), original.slice(0, index + 1));
            assert.deepEqual(summary.forkedFrom, { sessionId, entryId: at.id });
            assert.equal(unanswered(entries).length, 0);
            // What was read is what is there: nothing had to be mended or closed.
            assert.deepEqual(await lines(join(dir, "sessions", summary.id)), entries);
          }),
      ),
      { numRuns: 40 },
    ));

  it("before a message ends where that was written, and gives its text back", () =>
    withSessions(async ({ sessions }) => {
      await record(sessions, sessionId, [...conversation("run-1"), ...conversation("run-2", 60)]);
      const { summary, text } = await sessions.fork(sessionId, { entryId: "run-2-user", side: "before" });
      assert.equal(text, "Make the tests pass 🌱");
      assert.deepEqual(
        (await sessions.read(summary.id)).filter((entry) => !isAboutSession(entry)),
        conversation("run-1"),
      );
      assert.equal(summary.title, "Make the tests pass 🌱 (fork)");
    }));

  it("before a message that was sent into a run gives the calls that are cut off a result", () =>
    withSessions(async ({ sessions, folder }) => {
      const [user, reply, first, second, ...rest] = conversation();
      assert.ok(user && reply && first && second);
      const into = {
        role: "user",
        content: "Not that",
        steering: true,
        id: "s",
        runId: "run-1",
        timestamp: "t",
      } as const;
      await write(folder, [user, reply, first, into, second, ...rest]);
      const { summary, text } = await sessions.fork(sessionId, { entryId: "s", side: "before" });
      assert.equal(text, "Not that");
      const entries = (await sessions.read(summary.id)).filter((entry) => !isAboutSession(entry));
      assert.deepEqual(entries.slice(0, 3), [user, reply, first]);
      const [cut, end] = entries.slice(3);
      assert.ok(cut && isMessage(cut) && cut.role === "tool" && end && "type" in end && end.type === "run_end");
      assert.deepEqual([cut.tool_call_id, cut.content, cut.status], ["b", interruptedResult, "cancelled"]);
      assert.equal(end.status, "aborted");
      assert.deepEqual(
        forModel(entries).map(({ role }) => role),
        ["user", "assistant", "tool", "tool"],
      );
    }));

  it("before the first message is empty, and is called by what is written then", () =>
    withSessions(async ({ sessions }) => {
      await record(sessions, sessionId, conversation());
      const { summary } = await sessions.fork(sessionId, { entryId: "run-1-user", side: "before" });
      assert.deepEqual([summary.title, summary.messageCount], ["", 0]);
      assert.ok((await sessions.list()).some(({ id }) => id === summary.id));
      const [first, ...rest] = conversation("run-2");
      assert.ok(first && isMessage(first));
      await record(sessions, summary.id, [{ ...first, content: "Something else" }, ...rest]);
      const made = (await sessions.list()).find(({ id }) => id === summary.id);
      assert.deepEqual([made?.title, made?.forkedFrom?.sessionId], ["Something else", sessionId]);
    }));

  it("can be gone on with, forked again, and tells its title and origin from a rebuilt cache too", () =>
    withSessions(async ({ sessions, dir }) => {
      await record(sessions, sessionId, conversation());
      const { summary } = await sessions.fork(sessionId);
      await record(sessions, summary.id, conversation("run-2", 60));
      const again = await sessions.fork(summary.id);
      assert.equal(again.summary.title, "Make the tests pass 🌱 (fork 2)");
      assert.deepEqual(again.summary.forkedFrom, { sessionId: summary.id, entryId: "run-2-end" });
      await rm(join(dir, "sessions", again.summary.id, "session.json"));
      assert.deepEqual(
        (await sessions.list()).find(({ id }) => id === again.summary.id),
        again.summary,
      );
    }));

  it("is refused while the session runs, where nothing is there, and at what is no message", () =>
    withSessions(async ({ sessions, dir }) => {
      const run = await sessions.open(sessionId, { create: true, runId: "run-1" });
      await assert.rejects(sessions.fork(sessionId), /A session is not forked while it runs\./);
      await run.release();
      await assert.rejects(sessions.fork(sessionId), { code: "entry_not_found" });
      await record(sessions, sessionId, conversation());
      await assert.rejects(sessions.fork(sessionId, { entryId: "no", side: "with" }), { code: "entry_not_found" });
      const answer = { entryId: "run-1-answer", side: "before" } as const;
      await assert.rejects(sessions.fork(sessionId, answer), { code: "entry_not_found" });
      assert.deepEqual(await readdir(join(dir, "sessions")), [sessionId]);
    }));
});

describe("the trash", () => {
  it("gives back exactly what was deleted", () =>
    withSessions(async ({ sessions, dir, folder }) => {
      await record(sessions, sessionId, conversation());
      await record(sessions, id(1), conversation("run-2", 60));
      await mkdir(join(folder, "snapshots"));
      await writeFile(join(folder, "snapshots", "a"), Buffer.from([0, 255]));
      const [before, list] = [await contentsOf(join(dir, "sessions")), await sessions.list()];
      const { deletedAt } = await sessions.delete(sessionId);
      assert.deepEqual(
        (await sessions.list()).map((summary) => summary.id),
        [id(1)],
      );
      await assert.rejects(sessions.read(sessionId), { code: "session_not_found" });
      assert.deepEqual(await sessions.deleted(), [{ summary: list[1], deletedAt }]);
      assert.deepEqual((await readdir(join(dir, "trash", "sessions", sessionId))).toSorted(), [
        "deleted.json",
        "session.json",
        "snapshots",
        "transcript.jsonl",
      ]);
      assert.equal(await readFile(join(dir, "trash", ".gitignore"), "utf8"), "*\n");
      assert.equal(await sessions.restore(sessionId), sessionId);
      assert.deepEqual(await contentsOf(join(dir, "sessions")), before);
      assert.deepEqual([await sessions.list(), await sessions.deleted()], [list, []]);
    }));

  it("takes no session that runs, and does not know one that is not there", () =>
    withSessions(async ({ sessions, folder }) => {
      const run = await sessions.open(sessionId, { create: true, runId: "run-1" });
      await run.append(conversation());
      const before = await contentsOf(folder);
      await assert.rejects(
        sessions.delete(sessionId),
        /A session is not deleted while it runs\. Another run, in this window/,
      );
      assert.deepEqual(await contentsOf(folder), before);
      await run.release();
      await assert.rejects(sessions.delete(id(4)), { code: "session_not_found" });
      await assert.rejects(sessions.restore(sessionId), { code: "session_not_found" });
    }));

  it("brings a session back beside one that has its id by now, and keeps both of two deleted ones", () =>
    withSessions(async ({ sessions, clock }) => {
      await record(sessions, sessionId, conversation("old"));
      await sessions.delete(sessionId);
      clock.pass(1_000);
      await record(sessions, sessionId, conversation("new", 60));
      const other = await sessions.restore(sessionId);
      assert.notEqual(other, sessionId);
      assert.deepEqual(await sessions.read(other), conversation("old"));
      assert.deepEqual(await sessions.read(sessionId), conversation("new", 60));
      await sessions.delete(sessionId);
      clock.pass(1_000);
      await record(sessions, sessionId, conversation("newest", 120));
      await sessions.delete(sessionId);
      assert.equal((await sessions.deleted()).length, 2);
      await sessions.restore(sessionId);
      assert.deepEqual(await sessions.read(sessionId), conversation("newest", 120));
    }));

  it("is emptied of what is older than 30 days, but never of the newest 20", () =>
    withSessions(async ({ sessions, clock, dir }) => {
      const put = async (n: number): Promise<void> => {
        await record(sessions, id(n), conversation());
        await sessions.delete(id(n));
        clock.pass(1_000);
      };
      for (let n = 0; n < 22; n++) await put(n);
      clock.sleep(30 * day - 60_000);
      assert.equal(await sessions.emptyTrash(), 0);
      clock.sleep(2 * 60_000);
      await writeFile(join(dir, "trash", "sessions", "notes"), "mine");
      assert.equal(await sessions.emptyTrash(), 2);
      const left = (await sessions.deleted()).map(({ summary }) => summary.id);
      assert.deepEqual(
        left,
        Array.from({ length: 20 }, (_, n) => id(21 - n)),
      );
      for (let n = 30; n < 35; n++) await put(n);
      assert.equal(await sessions.emptyTrash(), 5);
      assert.equal(await sessions.emptyTrash(), 0);
      assert.equal((await sessions.deleted()).length, 20);
      assert.equal(await readFile(join(dir, "trash", "sessions", "notes"), "utf8"), "mine");
    }));

  it("without a time counts from when its folder was last changed", () =>
    withSessions(async ({ sessions, dir }) => {
      await record(sessions, sessionId, conversation());
      await sessions.delete(sessionId);
      await rm(join(dir, "trash", "sessions", sessionId, "deleted.json"));
      const [only] = await sessions.deleted();
      const { mtime } = await stat(join(dir, "trash", "sessions", sessionId));
      assert.equal(only?.deletedAt, mtime.toISOString());
    }));
});

describe("the list of sessions", () => {
  it("of 10,000 opens no transcript", () =>
    withSessions(async ({ sessions, dir }) => {
      const many = Array.from({ length: 10_000 }, (_, n) => n);
      await mkdir(join(dir, "sessions"));
      for (const n of many) {
        const folder = join(dir, "sessions", id(n));
        fs.mkdirSync(folder);
        fs.writeFileSync(join(folder, "transcript.jsonl"), "{}\n");
        fs.writeFileSync(join(folder, "session.json"), JSON.stringify(summaryOf(n)));
      }
      const { result, opened } = await countingOpens(() => sessions.list());
      assert.deepEqual(
        result.map((summary) => summary.title),
        many.map((n) => `Session ${9_999 - n}`),
      );
      assert.equal(opened.filter((path) => path.endsWith("session.json")).length, 10_000);
      assert.deepEqual(
        opened.filter((path) => path.endsWith("transcript.jsonl")),
        [],
      );
    }));

  it("reads the transcript of the one whose cache is behind, and writes the cache unless somebody runs it", () =>
    withSessions(async ({ sessions, folder }) => {
      await record(sessions, sessionId, conversation());
      const path = join(folder, "session.json");
      const cache = await readFile(path, "utf8");
      await write(folder, [...conversation(), ...conversation("run-2", 60)]);
      await utimes(path, new Date(0), new Date(0));
      await writeFile(join(folder, "lock"), "");
      const [running] = await sessions.list();
      assert.deepEqual([running?.messageCount, running?.updated], [10, "2026-01-02T10:01:05.000Z"]);
      assert.equal(await readFile(path, "utf8"), cache);
      await rm(join(folder, "lock"));
      assert.deepEqual(await sessions.list(), [running]);
      assert.deepEqual(JSON.parse(await readFile(path, "utf8")), running);
    }));
});

describe("the search through sessions", () => {
  const said = (run: string, from: number, text: string): Entry[] =>
    conversation(run, from).map((entry) =>
      isMessage(entry) && entry.role === "user" ? { ...entry, content: text } : entry,
    );

  it("finds titles and messages, the last used session first, and says where", () =>
    withSessions(async ({ sessions }) => {
      await record(sessions, id(1), said("a", 0, 'Round "prices" \\ up'));
      await record(sessions, id(2), [...said("b", 60, "Hello"), ...said("c", 120, "The\nPRICES are wrong")]);
      await sessions.rename(id(2), "Prices again");
      const hits = await all(sessions.search("prices"));
      assert.deepEqual(
        hits.map(({ sessionId, role, line, entryId, excerpt }) => [sessionId, role, line, entryId, excerpt]),
        [
          [id(2), "title", null, null, "Prices again"],
          [id(2), "user", 7, "c-user", "The PRICES are wrong"],
          [id(1), "title", null, null, 'Round "prices" \\ up'],
          [id(1), "user", 1, "a-user", 'Round "prices" \\ up'],
        ],
      );
      assert.deepEqual(
        hits.map(({ runId, item }) => [runId, item]),
        [
          [null, null],
          ["c", "c-user"],
          [null, null],
          ["a", "a-user"],
        ],
      );
      assert.equal((await all(sessions.search('"PRICES" \\ u'))).length, 2);
      assert.deepEqual((await all(sessions.search("1 failing"))).map(({ role, line }) => [role, line]).slice(0, 2), [
        ["tool", 4],
        ["tool", 10],
      ]);
      assert.deepEqual(await all(sessions.search("  ")), []);
      // Ids, names and times are not what was said.
      assert.deepEqual(await all(sessions.search("run_command")), []);
    }));

  it("is bounded, in all and in one session, and cuts long texts", () =>
    withSessions(async ({ sessions }) => {
      for (let n = 0; n < 4; n++) {
        const turns = Array.from({ length: 8 }, (_, at) =>
          said(`r${at}`, n * 600 + at * 60, `${"x".repeat(500)} needle ${"y".repeat(500)}`),
        );
        await record(sessions, id(n), turns.flat());
      }
      const hits = await all(sessions.search("needle"));
      assert.deepEqual(
        hits.map((hit) => hit.sessionId),
        [3, 2, 1, 0].flatMap((n) => Array.from({ length: 5 }, () => id(n))),
      );
      assert.ok(hits.every(({ excerpt }) => excerpt.length < 140 && excerpt.includes(" needle ")));
      assert.equal((await all(sessions.search("needle", { hits: 7, hitsPerSession: 2 }))).length, 7);
    }));

  it("stops where it is when it is cancelled, and reads nothing more", () =>
    withSessions(async ({ sessions }) => {
      for (let n = 0; n < 40; n++) await record(sessions, id(n), said("r", n * 60, "needle"));
      const stop = new AbortController();
      const { result, opened } = await countingOpens(() =>
        all(sessions.search("needle", { signal: stop.signal }), () => stop.abort()),
      );
      assert.equal(result.length, 1);
      const read = opened.filter((path) => path.endsWith("transcript.jsonl")).length;
      assert.ok(read > 0 && read < 20, `${read} of 40`);
    }));

  it("passes over what cannot be read, and reads letters that another program has escaped", () =>
    withSessions(async ({ sessions, dir }) => {
      await record(sessions, id(1), said("r", 0, "grün"));
      await record(sessions, id(2), said("r", 60, "grün"));
      await rm(join(dir, "sessions", id(2), "transcript.jsonl"));
      const path = join(dir, "sessions", id(1), "transcript.jsonl");
      await writeFile(path, `{"broken\n${(await readFile(path, "utf8")).replaceAll("ü", "\\u00fc")}`);
      const hits = (await all(sessions.search("GRÜN"))).filter(({ role }) => role === "user");
      assert.deepEqual(
        hits.map(({ sessionId, line }) => [sessionId, line]),
        [[id(1), 2]],
      );
    }));
});

describe("the search through one session", () => {
  const places = async (sessions: SessionStore, text: string): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const { runId, item } of sessions.find(sessionId, text)) found.push(`${runId} ${item}`);
    return found;
  };
  const line = (id: string) => ({ id, runId: "r", timestamp: "2026-01-02T10:00:00.000Z" });
  const call = (id: string, change: Partial<ToolEntry>): Entry => ({
    role: "tool",
    tool_call_id: id,
    content: "",
    ...line(`line-${id}`),
    name: "run_command",
    status: "succeeded",
    duration: 1,
    ...change,
  });

  it("names each message and call once, the last one first, however many there are", () =>
    withSessions(async ({ sessions }) => {
      const turns = Array.from({ length: 30 }, (_, n): Entry[] => [
        { role: "user", content: `Needle, needle ${"long ".repeat(4_000)}`, ...line(`u${n}`) },
        call(`c${n}`, { content: n % 2 === 0 ? "a NEEDLE" : "hay" }),
      ]);
      await record(sessions, sessionId, turns.flat());
      const expected = turns.flatMap((_, n) => [`r u${n}`, ...(n % 2 === 0 ? [`r c${n}`] : [])]);
      assert.deepEqual(await places(sessions, "needle"), expected.toReversed());
      assert.deepEqual(await places(sessions, "no such thing"), []);
      assert.deepEqual(await places(sessions, " "), []);
    }));

  it("finds what a call is about and what it would do, in calls of delegates too, but not their talk", () =>
    withSessions(async ({ sessions }) => {
      const diff = { kind: "diff", path: "src/a.ts", patch: "-old\n+new words", added: 1, removed: 1, created: false };
      await record(sessions, sessionId, [
        { role: "user", content: "Go", ...line("u") },
        call("read", { label: { verb: "Read", subject: "src/price.js" } }),
        call("edit", { preview: Preview.parse(diff) }),
        call("run", { within: "task", preview: { kind: "command", command: "npm run price", cwd: "" } }),
        { role: "assistant", content: "The price is wrong", ...line("talk"), within: "task", iteration: 1 },
      ]);
      assert.deepEqual(await places(sessions, "price"), ["r task/run", "r read"]);
      assert.deepEqual(await places(sessions, "new words"), ["r edit"]);
      assert.deepEqual(await places(sessions, "run_command"), []);
    }));

  it("takes words as they stand on the page: line breaks, and what makes them bold or code, are between them", () =>
    withSessions(async ({ sessions }) => {
      const content = 'The **loud** `needle`\nin the\thay\u2028of "x * y"';
      await record(sessions, sessionId, [{ role: "user", content, ...line("u") }]);
      for (const text of ["the LOUD needle", "needle in", "the hay of", '"x * y"', "**loud** `needle`", "(?"])
        assert.deepEqual(await places(sessions, text), text === "(?" ? [] : ["r u"], text);
      // However many ways there are to share them out, the answer comes.
      await record(sessions, sessionId, [{ role: "user", content: "_ ".repeat(50_000), ...line("v") }]);
      assert.deepEqual(await places(sessions, "_ _ _ _ _ _ _ x"), []);
      await record(sessions, sessionId, [{ role: "user", content: "a ".repeat(500_000), ...line("w") }]);
      assert.deepEqual(await places(sessions, `${"a ".repeat(31)}b ${"a ".repeat(400)}`), []);
      // So many words tell a place apart; the rest is not looked at.
      assert.deepEqual(await places(sessions, `${"a ".repeat(32)} and more`), ["r w"]);
      // A row of empty lines is a row of letters in the file.
      await record(sessions, sessionId, [{ role: "user", content: "\n".repeat(500_000), ...line("x") }]);
      assert.deepEqual(await places(sessions, "n n"), []);
    }));

  it("of what is not written, or is no session, finds nothing; a torn line is passed over", () =>
    withSessions(async ({ sessions, dir }) => {
      assert.deepEqual(await places(sessions, "x"), []);
      await record(sessions, sessionId, [{ role: "user", content: "xyz", ...line("u") }]);
      await appendFile(join(dir, "sessions", sessionId, "transcript.jsonl"), '{"role":"user","content":"x');
      assert.deepEqual(await places(sessions, "x"), ["r u"]);
      for await (const found of sessions.find("../elsewhere", "x")) assert.fail(found.item);
    }));

  it("reads the same lines back as forth, wherever they are cut", () =>
    inFolder(async (dir) => {
      const path = join(dir, "lines");
      const line = fc.string({ maxLength: 9 }).chain((text) => fc.constantFrom(text, text.padEnd(200_000, "ü")));
      await fc.assert(
        fc.asyncProperty(fc.array(line, { maxLength: 6 }), fc.boolean(), async (lines, ended) => {
          await writeFile(path, lines.join("\n") + (ended ? "\n" : ""));
          const [forth, back]: [string[], string[]] = [[], []];
          for await (const { bytes } of linesOf(path)) forth.push(bytes.toString());
          for await (const bytes of linesBack(path)) back.unshift(bytes.toString());
          assert.deepEqual(
            back.filter((one) => one !== ""),
            forth.filter((one) => one !== ""),
          );
        }),
        { numRuns: 50 },
      );
    }));
});

describe("an exported session", () => {
  it("as Markdown is what was said, with each call, who decided and how it ended", () =>
    withSessions(async ({ sessions }) => {
      const entries = conversation().map((entry): Entry => {
        if (!isMessage(entry)) return entry;
        if (entry.role === "user") return { ...entry, content: "# Not a heading\n- of the document" };
        if (entry.role !== "tool") return entry;
        const at = "2026-01-02T10:00:02.000Z";
        return entry.name === "read_file"
          ? { ...entry, label: { verb: "Read", subject: "src/price.js" } }
          : {
              ...entry,
              label: { verb: "Run", subject: "npm test" },
              verdict: { decision: { kind: "modify", params: { command: "npm `t`" } }, by: "person", at },
            };
      });
      await record(sessions, sessionId, entries);
      await sessions.rename(sessionId, "Prices");
      const { title, text } = await sessions.export(sessionId, "markdown");
      assert.equal(title, "Prices");
      assert.equal(
        text,
        `# Prices

session ${sessionId} · 2026-01-02 10:00 UTC to 2026-01-02 10:00 UTC · agent Coder · 5 messages · 10 tokens in, 4 out

## You, 2026-01-02 10:00 UTC

> # Not a heading
> - of the document

I look first.

- **Read src/price.js** (read_file): succeeded in 3 ms
- **Run npm test** (run_command), changed by you to \`\` {"command":"npm \`t\`"} \`\`: failed in 9 ms: 1 failing

Done.

*completed, 5.0 s, 10 tokens in, 4 out.*
`,
      );
    }));

  it("as JSON lines is every entry, also of a session that runs", () =>
    withSessions(async ({ sessions }) => {
      const run = await sessions.open(sessionId, { create: true, runId: "run-1" });
      await run.append(conversation());
      assert.equal((await sessions.export(sessionId, "json")).text, toText(conversation()));
      await run.release();
      await assert.rejects(sessions.export(id(5), "json"), { code: "session_not_found" });
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
  const handle = await sessions.open(session, { create: true, runId: "run" });
  await handle.append(entries);
  await handle.release();
}

async function write(folder: string, entries: readonly Entry[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "transcript.jsonl"), toText(entries));
}

async function lines(folder: string): Promise<Entry[]> {
  const text = await readFile(join(folder, "transcript.jsonl"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line): Entry => JSON.parse(line));
}

/** A run as it may stand in a transcript. */
function turn(kind: "whole" | "cut" | "steered" | "titled", runId: string, from: number): Entry[] {
  const whole = conversation(runId, from);
  const timestamp = new Date(Date.UTC(2026, 0, 2, 11, 0, from)).toISOString();
  const line = { id: `${runId}-${kind}`, timestamp };
  switch (kind) {
    case "whole":
      return whole;
    case "cut":
      return whole.slice(0, 3);
    case "steered":
      return whole.toSpliced(4, 0, { role: "user", content: "Not that", steering: true, runId, ...line });
    case "titled":
      return [...whole, { type: "title", title: "Named", runId: "", ...line }];
  }
}

function shown(entries: readonly Entry[]): View["turns"] {
  return replay(entries, { id: "s", title: "" }).reduce(reduce, emptyView).turns;
}

/** Ids of calls that have no result. */
function unanswered(entries: readonly Entry[]): readonly string[] {
  const messages = entries.filter(isMessage);
  return messages
    .flatMap((message) =>
      message.role === "assistant"
        ? (message.tool_calls ?? []).filter(
            (call) =>
              !messages.some(
                (other) => other.role === "tool" && other.runId === message.runId && other.tool_call_id === call.id,
              ),
          )
        : [],
    )
    .map((call) => call.id);
}

/** Every file below a folder with its bytes. */
async function contentsOf(folder: string): Promise<Record<string, string>> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const contents = files
    .filter((file) => file.isFile())
    .map(async (file) => {
      const path = join(file.parentPath, file.name);
      return [path.slice(folder.length), await readFile(path, "base64")] as const;
    });
  return Object.fromEntries((await Promise.all(contents)).toSorted(([a], [b]) => a.localeCompare(b)));
}

async function all(hits: AsyncGenerator<SearchHit>, seen: () => void = () => undefined): Promise<SearchHit[]> {
  const found: SearchHit[] = [];
  for await (const hit of hits) {
    found.push(hit);
    seen();
  }
  return found;
}

/** The files that are opened while something is done, in whatever way. */
async function countingOpens<T>(work: () => Promise<T>): Promise<{ result: T; opened: readonly string[] }> {
  const opened: string[] = [];
  const { createReadStream, promises } = fs;
  const { open, readFile: read } = promises;
  const note = (path: unknown): void => void (typeof path === "string" && opened.push(path));
  fs.createReadStream = (path, options) => (note(path), createReadStream(path, options));
  promises.open = (path, ...rest) => (note(path), open(path, ...rest));
  Object.assign(promises, { readFile: (...args: Parameters<typeof read>) => (note(args[0]), read(...args)) });
  syncBuiltinESMExports();
  try {
    return { result: await work(), opened };
  } finally {
    fs.createReadStream = createReadStream;
    Object.assign(promises, { open, readFile: read });
    syncBuiltinESMExports();
  }
}

function summaryOf(n: number): object {
  const at = new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString();
  const counts = { messageCount: 2, usage: { input: 1, output: 1 } };
  return {
    id: id(n),
    title: `Session ${n}`,
    created: at,
    updated: at,
    ...counts,
    agent: null,
    model: null,
    status: null,
  };
}

function id(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
}
