import assert from "node:assert/strict";
import { interruptedResult } from "../../../src/protocol/replay.ts";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import pLimit from "p-limit";
import { appendLines } from "../../../src/brain/files.ts";
import { openTranscript, readLines, readTranscript } from "../../../src/brain/transcript.ts";
import { type Entry, isMessage } from "../../../src/protocol/messages.ts";
import { conversation, inFolder, toText } from "./disk.ts";

const interrupted = "The last run was interrupted; it is kept as stopped.";
const copied = "The transcript as it was is kept as transcript.damaged-1.jsonl.";

describe("the transcript", () => {
  it("BRAIN-CTX-1 is read as it was written", () =>
    withText(toText(conversation()), async (path) => {
      assert.deepEqual(await openTranscript(path), { entries: conversation(), repairs: [] });
      assert.equal(await readFile(path, "utf8"), toText(conversation()));
    }));

  it("BRAIN-PERS-10 cut off at any byte, keeps every complete line and the damaged file", async () => {
    const whole = conversation();
    const bytes = Buffer.from(toText(whole));
    const limit = pLimit(16);
    const cut = async (dir: string, end: number): Promise<void> => {
      const path = join(dir, String(end), "transcript.jsonl");
      await mkdir(join(dir, String(end)));
      await writeFile(path, bytes.subarray(0, end));
      const complete = whole.filter((_, n) => Buffer.byteLength(toText(whole.slice(0, n + 1))) - 1 <= end);
      const { entries, repairs } = await openTranscript(path);
      assert.deepEqual(entries.slice(0, complete.length), complete, `cut at ${end}`);
      assertWhole(entries);
      assert.deepEqual(await openTranscript(path), { entries, repairs: [] }, `cut at ${end}, read again`);
      const kept = repairs.includes(copied) ? damaged(path) : path;
      assert.deepEqual((await readFile(kept)).subarray(0, end), bytes.subarray(0, end));
    };
    await inFolder((dir) =>
      Promise.all(Array.from({ length: bytes.length + 1 }, (_, end) => limit(() => cut(dir, end)))),
    );
  });

  it("BRAIN-CTX-2 garbage in the middle costs nothing but itself", () => {
    const lines = conversation().map((entry) => JSON.stringify(entry));
    const text = [...lines.slice(0, 2), "}{ not json", '{"role":"user"}', "[1]", ...lines.slice(2), ""].join("\n");
    return withText(text, async (path) => {
      const { entries, repairs } = await openTranscript(path);
      assert.deepEqual(entries, conversation());
      assert.deepEqual(repairs, ["3 lines of the transcript could not be read and are left out.", copied]);
      assert.equal(await readFile(damaged(path), "utf8"), text);
      assert.equal(await readFile(path, "utf8"), toText(conversation()));
    });
  });

  it("BRAIN-CTX-2 binary is kept beside an empty conversation", () => {
    const bytes = Buffer.from([0, 255, 10, 254, 0, 10, 200]);
    return withText(bytes, async (path) => {
      const { entries, repairs } = await openTranscript(path);
      assert.deepEqual([entries.length, repairs.length], [0, 3]);
      assert.deepEqual(await readFile(damaged(path)), bytes);
    });
  });

  it("keeps a line with broken characters, and zeros of a power failure out of the next one", () => {
    const [user, ...rest] = conversation();
    const line = Buffer.from(JSON.stringify(user));
    line[line.indexOf("Make")] = 0xff;
    const bytes = Buffer.concat([line, Buffer.from("\n"), Buffer.alloc(64), Buffer.from(toText(rest))]);
    return withText(bytes, async (path) => {
      const { entries, repairs } = await openTranscript(path);
      assert.deepEqual(entries, [{ ...user, content: "\uFFFDake the tests pass 🌱" }, ...rest]);
      assert.deepEqual(repairs, ["2 lines of the transcript had broken characters.", copied]);
    });
  });

  it("of two lines with one id the first is read; the same line twice is no damage", () => {
    const [user, ...rest] = conversation();
    assert.ok(user);
    const twice = toText([user, user, ...rest]);
    const other = toText([user, { ...user, content: "Something else" }, ...rest]);
    return withText(twice, async (path) => {
      assert.deepEqual(await openTranscript(path), { entries: conversation(), repairs: [] });
      assert.equal(await readFile(path, "utf8"), twice);
      await writeFile(path, other);
      const { entries, repairs } = await openTranscript(path);
      assert.deepEqual(entries, conversation());
      assert.equal(repairs[0], "One line of the transcript repeated an id and is left out.");
    });
  });

  it("leaves lines of a later version where they are, also in a repair", () => {
    const later = '{"type":"bookmark","id":"c","name":"…"}\n{"type":"compaction","id":"d","summary":"in another form"}';
    const [user, ...rest] = conversation();
    assert.ok(user);
    return withText(`${toText([user])}${later}\n${toText(rest)}{"torn`, async (path) => {
      assert.deepEqual((await openTranscript(path)).entries, conversation());
      assert.equal(await readFile(path, "utf8"), `${toText([user])}${later}\n${toText(rest)}`);
    });
  });

  it("BRAIN-COMP-3 what was said of the context is read back; a run that was revised after its end is no interrupted one", () => {
    const about = { runId: "run-1", timestamp: "2026-01-02T10:00:09.000Z" };
    const sizes = { messages: 2, tokensBefore: 9, tokensAfter: 3 };
    const carried = [{ kind: "message" as const, id: "run-1-user", text: "Make the tests pass 🌱" }];
    const made = { type: "compaction" as const, ...about, summary: "…", carried, firstKeptId: "", ...sizes };
    const calls = [{ name: "update_memory", arguments: "{}", status: "succeeded" as const, content: "ok" }];
    const [user, ...rest] = conversation();
    assert.ok(user);
    const entries: readonly Entry[] = [
      user,
      { type: "memory_flush", id: "f", ...about, wrote: true, calls },
      { ...made, id: "c" },
      ...rest,
      { ...made, id: "e", edits: "c", summary: "Mine" },
      { type: "compaction_undone", id: "x", ...about, compactionId: "c" },
    ];
    return withText(toText(entries), async (path) => {
      assert.deepEqual(await openTranscript(path), { entries, repairs: [] });
      assert.equal(await readFile(path, "utf8"), toText(entries));
    });
  });

  it("BRAIN-EXEC-18 closes an interrupted run by appending, and twice gives the same", () => {
    const begun = conversation().slice(0, 3);
    return withText(toText(begun).trimEnd(), async (path) => {
      const { entries, repairs } = await openTranscript(path);
      assert.deepEqual(repairs, [interrupted]);
      assert.deepEqual(entries.slice(0, 3), begun);
      const [answer, end, ...more] = entries.slice(3);
      assert.deepEqual(more, []);
      assert.deepEqual(
        [answer?.["tool_call_id"], answer?.["status"], answer?.["content"]],
        ["b", "cancelled", interruptedResult],
      );
      assert.deepEqual([end?.["type"], end?.["status"], end?.["duration"]], ["run_end", "aborted", 2000]);
      assert.equal(await readFile(path, "utf8"), toText(entries));
      assert.deepEqual(await openTranscript(path), { entries, repairs: [] });
    });
  });

  it("reading alone changes nothing", () => {
    const text = `${toText(conversation().slice(0, 2))}garbage\n{"torn`;
    return withText(text, async (path) => {
      assertWhole((await readTranscript(path)).entries);
      assert.equal(await readFile(path, "utf8"), text);
      assert.deepEqual(await readdir(join(path, "..")), ["transcript.jsonl"]);
    });
  });

  it("numbers lines as the file has them, with those that cannot be read", () => {
    const [first, second] = conversation().map((entry) => JSON.stringify(entry));
    const text = ["", first, "not json", '{"type":"later","id":"x"}', second, ""].join("\n");
    return withText(text, async (path) => {
      const { lines, repairs } = await readLines(path);
      assert.deepEqual(
        lines.map(({ number, entry }) => [number, JSON.stringify(entry)]),
        [
          [2, first],
          [5, second],
        ],
      );
      assert.match(repairs.join(" "), /One line of the transcript could not be read/);
      assert.equal(await readFile(path, "utf8"), text);
    });
  });

  it("reads Windows line ends and a byte order mark, and no file as an empty transcript", () =>
    withText(`\uFEFF${toText(conversation()).replaceAll("\n", "\r\n")}`, async (path) => {
      assert.deepEqual(await openTranscript(path), { entries: conversation(), repairs: [] });
      assert.deepEqual(await openTranscript(join(path, "..", "none.jsonl")), { entries: [], repairs: [] });
    }));

  it("gives back whatever was appended, byte for byte", () =>
    fc.assert(
      fc.asyncProperty(fc.uniqueArray(anyEntry, { selector: (entry) => entry.id, minLength: 1 }), (entries) =>
        inFolder(async (dir) => {
          const path = join(dir, "transcript.jsonl");
          const whole: Entry[] = [...entries, { ...runEnd, runId: "r" }];
          for (const entry of whole) await appendLines(path, [JSON.stringify(entry)], { sync: false });
          assert.deepEqual(await openTranscript(path), { entries: whole, repairs: [] });
        }),
      ),
      { numRuns: 60 },
    ));
});

const runEnd: Entry = {
  type: "run_end",
  id: "the end of the run",
  runId: "r",
  timestamp: "t",
  status: "completed",
  duration: 0,
  usage: { input: 0, output: 0 },
};

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.stringMatching(/^[\u2028\u2029\u0085\r\n\0\uFEFF"\\]*$/),
  fc.constant("\uD800 alone"),
);
const anyLine = { id: anyText, runId: fc.constant("r"), timestamp: anyText };
/** What JSON can say: not -0. */
const readBack = fc.json().map((text): unknown => JSON.parse(text));
const plain = { noNullPrototype: true };
const anyEntry: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({ role: fc.constant("user" as const), content: anyText, ...anyLine, extra: readBack }, plain),
  fc.record({ role: fc.constant("assistant" as const), content: anyText, ...anyLine, iteration: fc.nat() }, plain),
  fc.record(
    {
      role: fc.constant("tool" as const),
      tool_call_id: anyText,
      content: anyText,
      ...anyLine,
      name: anyText,
      status: fc.constantFrom("succeeded" as const, "denied" as const),
      duration: fc.nat(),
    },
    plain,
  ),
);

function assertWhole(entries: readonly Entry[]): void {
  const calls = entries.flatMap((entry) =>
    isMessage(entry) && entry.role === "assistant" ? (entry.tool_calls ?? []).map(({ id }) => id) : [],
  );
  const answers = entries.flatMap((entry) => (isMessage(entry) && entry.role === "tool" ? [entry.tool_call_id] : []));
  assert.deepEqual(answers.toSorted(), calls.toSorted());
  const last = entries.at(-1);
  assert.ok(last === undefined || last["type"] === "run_end");
}

function damaged(path: string): string {
  return join(path, "..", "transcript.damaged-1.jsonl");
}

async function withText(text: string | Buffer, test: (path: string) => Promise<void>): Promise<void> {
  await inFolder(async (dir) => {
    const path = join(dir, "transcript.jsonl");
    await writeFile(path, text);
    await test(path);
  });
}
