// The host's side of the page of sessions: what it answers, and what it tells by itself while the page is open.
import assert from "node:assert/strict";
import type { SearchHit } from "../../../src/brain/search.ts";
import type { ListedSession, Look } from "../../../src/brain/sessionIndex.ts";
import type { SessionSummary } from "../../../src/brain/summary.ts";
import type { DeletedSession } from "../../../src/brain/trash.ts";
import { createSessionsPage, type PageOptions } from "../../../src/host/sessionsPage.ts";
import type { PanelEvent } from "../../../src/protocol/events.ts";
import type { SessionsFound } from "../../../src/protocol/sessions.ts";
import { emptyView, reduce } from "../../../src/protocol/view.ts";
import { fakeClock } from "../../support/kit.ts";

const summary = (n: number, change: Partial<SessionSummary> = {}): SessionSummary => ({
  id: `id-${n}`,
  title: `Session ${n}`,
  created: "",
  updated: new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString(),
  messageCount: 2,
  usage: { input: 0, output: 0 },
  agent: "coder",
  model: "m",
  status: "completed",
  ...change,
});
const listed = (n: number, change: Partial<ListedSession> = {}): ListedSession => ({
  summary: summary(n),
  pinned: false,
  owned: false,
  ...change,
});
const hit = (n: number, role: SearchHit["role"], excerpt: string): SearchHit => ({
  sessionId: `id-${n}`,
  title: "",
  updated: "",
  role,
  line: 1,
  entryId: "e",
  runId: "run",
  item: "e",
  excerpt,
});
const started: PanelEvent = {
  type: "loop:start",
  runId: "run",
  sessionId: "id-1",
  message: "Go",
  messageId: "u",
  timestamp: "",
};

interface Disk {
  sessions: readonly ListedSession[];
  deleted: readonly DeletedSession[];
  hits: (text: string) => AsyncGenerator<SearchHit>;
}

function opened(disk: Partial<Disk> = {}) {
  const clock = fakeClock();
  const told: SessionsFound[] = [];
  const all: Disk = { sessions: [], deleted: [], hits: () => hitsOf(), ...disk };
  const known = new Map<string, ListedSession>();
  let [view, seen, looks] = [emptyView, true, 0];
  const index = {
    all: () => [...known.values()],
    async *look(): AsyncGenerator<Look> {
      looks += 1;
      await Promise.resolve();
      const now = new Map(all.sessions.map((one) => [one.summary.id, one]));
      const changed = all.sessions.filter((one) => known.get(one.summary.id) !== one);
      const gone = [...known.keys()].filter((id) => !now.has(id));
      known.clear();
      for (const [id, one] of now) known.set(id, one);
      if (changed.length + gone.length > 0) yield { changed, gone };
    },
  };
  const options: PageOptions = {
    sessions: () => ({ index, search: (text) => all.hits(text), deleted: () => Promise.resolve(all.deleted) }),
    view: () => view,
    clock,
    tell: (found) => told.push(found),
    seen: () => seen,
    failed: (error) => assert.fail(String(error)),
  };
  const page = createSessionsPage(options);
  /** What was told since the last time: ids of rows, of those that are gone, whether that was all. */
  const news = (): readonly string[] =>
    told
      .splice(0)
      .map(({ number, rows, gone, done }) =>
        [
          number,
          ...rows.map(({ id, state, found }) => [id, state, found?.excerpt].filter(Boolean).join(" ")),
          ...gone.map((id) => `-${id}`),
          ...(done ? ["done"] : []),
        ].join("; "),
      );
  return {
    page,
    disk: all,
    clock,
    told,
    news,
    find: async (number: number, text = "", deleted = false) => {
      page.find({ number, text, deleted });
      await clock.advance(text === "" ? 0 : 150);
    },
    happened: (event: PanelEvent) => {
      view = reduce(view, event);
      page.shown();
    },
    hide: () => (seen = false),
    looks: () => looks,
  };
}

async function* hitsOf(...hits: readonly SearchHit[]): AsyncGenerator<SearchHit> {
  for (const one of hits) yield await Promise.resolve(one);
}

describe("the host's side of the page of sessions", () => {
  it("lists all, and then tells what has changed, for as long as the page is open and can be seen", async () => {
    const { disk, find, news, clock, page, looks, hide } = opened({ sessions: [listed(1), listed(2)] });
    await find(1);
    assert.deepEqual(news(), ["1; id-1; id-2", "1; done"]);
    disk.sessions = [listed(2, { owned: true }), ...disk.sessions.slice(2)];
    await clock.advance(2_000);
    assert.deepEqual(news(), ["1; id-2 elsewhere; -id-1"]);
    hide();
    const before = looks();
    await clock.advance(10_000);
    assert.equal(looks(), before);
    page.close();
    await page.look();
    assert.deepEqual(news(), []);
  });

  it("answers from what it knows when the page is opened again, newest first, and looks at the disk after that", async () => {
    const { disk, find, news } = opened({ sessions: [listed(1), listed(2)] });
    await find(1);
    news();
    disk.sessions = [...disk.sessions, listed(3)];
    await find(2);
    assert.deepEqual(news(), ["2; id-2; id-1", "2; id-3", "2; done"]);
  });

  it("knows what this window does in the session that it shows, at once", async () => {
    const { find, news, happened } = opened({
      sessions: [
        listed(1, { owned: true }),
        listed(2, { owned: true }),
        listed(3, { summary: summary(3, { status: null }) }),
      ],
    });
    happened({ type: "session:open", sessionId: "id-1", title: "" });
    happened(started);
    await find(1);
    assert.deepEqual(news(), ["1; id-1 running; id-2 elsewhere; id-3 unfinished", "1; done"]);
    happened({
      type: "run:paused",
      runId: "run",
      reason: "time",
      message: "",
      choices: ["stop"],
    });
    assert.deepEqual(news(), ["1; id-1 waiting"]);
    happened({ type: "session:open", sessionId: "id-3", title: "" });
    assert.deepEqual(news(), ["1; id-1 elsewhere; id-3 unfinished"]);
  });

  it("searches for what was typed last, tells hits as they come, and says where", async () => {
    const asked: string[] = [];
    const hits = (text: string) => {
      asked.push(text);
      return hitsOf(hit(2, "title", "x"), hit(1, "user", "a needle"), hit(9, "user", "gone"));
    };
    const { find, page, clock, disk, news } = opened({ sessions: [listed(1), listed(2), listed(3)], hits });
    for (const [number, text] of ["n", "ne", "needle"].entries()) page.find({ number, text, deleted: false });
    await clock.advance(150);
    assert.deepEqual(asked, ["needle"]);
    assert.deepEqual(news(), ["2; id-2", "2; id-1 a needle", "2; done"]);
    // What was found and changes is told; what was not found is not.
    disk.sessions = [listed(1, { pinned: true }), ...disk.sessions.slice(1), listed(4)];
    await page.look();
    assert.deepEqual(news(), ["2; id-1 a needle"]);
    await find(3, "  ");
    assert.equal(news().at(-1), "3; done");
  });

  it("does not tell of many hits one by one", async () => {
    const many = Array.from({ length: 400 }, (_, n) => listed(n));
    const { find, told } = opened({ sessions: many, hits: () => hitsOf(...many.map((_, n) => hit(n, "user", "x"))) });
    await find(1, "x");
    assert.ok(told.length < 50, String(told.length));
    assert.equal(told.flatMap(({ rows }) => rows).length, 400);
  });

  it("lists what was deleted by its title, and follows that, too", async () => {
    const deleted = [1, 2].map((n) => ({ summary: summary(n), deletedAt: "2026-02-01T00:00:00.000Z" }));
    const { disk, find, page, news, told } = opened({ deleted });
    await find(1, "", true);
    assert.equal(told[0]?.rows[0]?.at, "2026-02-01T00:00:00.000Z");
    assert.deepEqual(news(), ["1; id-1; id-2; done"]);
    disk.deleted = deleted.slice(1);
    await page.look();
    assert.deepEqual(news(), ["1; -id-1; done"]);
    await find(2, "session 2", true);
    assert.deepEqual(news(), ["2; id-2; done"]);
  });
});
