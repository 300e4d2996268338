// The search behind the list of sessions: what is typed last counts, hits come as they are found, and rows say where.
import assert from "node:assert/strict";
import type { SearchHit, SearchLimits } from "../../../src/brain/search.ts";
import type { SessionSummary } from "../../../src/brain/summary.ts";
import { createFinder, fileNameOf, whenOf, type SessionRow } from "../../../src/host/sessionFinder.ts";

const summary = (n: number, title = `Session ${n}`): SessionSummary => ({
  id: `id-${n}`,
  title,
  created: "",
  updated: "2026-01-02T10:00:00.000Z",
  messageCount: n,
  usage: { input: 0, output: 0 },
  agent: null,
  model: null,
  status: null,
});
const hit = (n: number, role: SearchHit["role"], excerpt: string): SearchHit => ({
  sessionId: `id-${n}`,
  title: "",
  updated: "",
  role,
  line: 1,
  entryId: "e",
  excerpt,
});

interface Shown {
  readonly rows: readonly SessionRow[];
  readonly done: boolean;
}

function finding(
  all: readonly SessionSummary[],
  search: (text: string, limits?: SearchLimits) => AsyncGenerator<SearchHit>,
) {
  const shown: Shown[] = [];
  const failures: unknown[] = [];
  const waits: (() => void)[] = [];
  let lists = 0;
  const finder = createFinder({
    sessions: { list: () => Promise.resolve((lists++, all)), search },
    openId: "id-2",
    show: (rows, done) => shown.push({ rows, done }),
    pause: () => new Promise((resolve) => waits.push(resolve)),
    failed: (error) => failures.push(error),
  });
  const settled = async (): Promise<void> => {
    for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
  };
  return { finder, shown, failures, waits, settled, lists: () => lists };
}

async function* hitsOf(...hits: readonly SearchHit[]): AsyncGenerator<SearchHit> {
  for (const one of hits) yield await Promise.resolve(one);
}

describe("the list of sessions", () => {
  it("shows all at once while nothing is typed, and which one is open", async () => {
    const { finder, shown, settled } = finding([summary(1, ""), summary(2)], () => hitsOf());
    finder.find("  ");
    await settled();
    const when = whenOf("2026-01-02T10:00:00.000Z");
    assert.deepEqual(shown, [
      {
        done: true,
        rows: [
          { id: "id-1", title: "Untitled", description: when, detail: "1 message" },
          { id: "id-2", title: "Session 2", description: `${when}, open now`, detail: "2 messages" },
        ],
      },
    ]);
  });

  it("shows hits as they come, one row for a session, with what was said", async () => {
    const hits = [
      hit(2, "title", "Session 2"),
      hit(2, "user", "a needle"),
      hit(1, "title", "x"),
      hit(9, "user", "gone"),
    ];
    const { finder, shown, waits, settled } = finding([summary(1), summary(2)], () => hitsOf(...hits));
    finder.find("needle");
    await settled();
    assert.equal(shown.length, 0);
    waits[0]?.();
    await settled();
    assert.deepEqual(
      shown.map(({ rows, done }) => [rows.map(({ id, detail }) => `${id}: ${detail}`), done]),
      [
        [["id-2: 2 messages"], false],
        [["id-2: You: a needle"], false],
        [["id-2: You: a needle", "id-1: 1 message"], false],
        [["id-2: You: a needle", "id-1: 1 message"], true],
      ],
    );
  });

  it("searches once for what is typed quickly, ends an older search, and lists only once", async () => {
    const asked: string[] = [];
    const signals: (AbortSignal | undefined)[] = [];
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    async function* search(text: string, limits?: SearchLimits): AsyncGenerator<SearchHit> {
      asked.push(text);
      signals.push(limits?.signal);
      if (text === "pri") await held;
      yield hit(1, "user", text);
    }
    const { finder, shown, waits, settled, lists } = finding([summary(1)], search);
    for (const text of ["p", "pr", "pri"]) finder.find(text);
    await settled();
    for (const go of waits) go();
    await settled();
    assert.deepEqual(asked, ["pri"]);
    finder.find("price");
    await settled();
    assert.equal(signals[0]?.aborted, true);
    waits.at(-1)?.();
    await settled();
    letGo();
    await settled();
    assert.deepEqual(asked, ["pri", "price"]);
    assert.ok(shown.every(({ rows }) => rows[0]?.detail === "You: price"));
    assert.equal(shown.at(-1)?.done, true);
    assert.equal(lists(), 1);
  });

  it("shows nothing more once it is stopped, and says what failed", async () => {
    const { finder, shown, waits, failures, settled } = finding([summary(1)], () => {
      throw new Error("disk");
    });
    finder.find("a");
    await settled();
    finder.stop();
    waits[0]?.();
    await settled();
    assert.deepEqual([shown, failures], [[], []]);
    finder.find("b");
    await settled();
    waits[1]?.();
    await settled();
    assert.match(String(failures[0]), /disk/);
  });

  it("does not draw a long list for each of its rows", async () => {
    const many = Array.from({ length: 400 }, (_, n) => summary(n));
    const { finder, shown, waits, settled } = finding(many, () => hitsOf(...many.map((_, n) => hit(n, "user", "x"))));
    finder.find("x");
    await settled();
    waits[0]?.();
    for (let n = 0; n < 60 && shown.at(-1)?.done !== true; n++) await settled();
    assert.ok(shown.length < 50, `${shown.length}`);
    assert.equal(shown.at(-1)?.rows.length, 400);
  });
});

describe("the name of an exported file", () => {
  it("is the title without what file systems do not take", () => {
    const names = ["Fix a/b: “prices”?", "..", "", "/etc/passwd", "x".repeat(100), "Größe (fork 2)", "a\nb"].map(
      fileNameOf,
    );
    const expected = ["Fix a b prices", "session", "session", "etc passwd", "x".repeat(60), "Größe (fork 2)", "a b"];
    assert.deepEqual(names, expected);
  });
});
