// Two windows on one session: one writes, the other reads along, takes over, and shows a long session from its end.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { createSessions } from "../../../src/brain/sessions.ts";
import { layoutOf } from "../../../src/brain/layout.ts";
import { createChat, type Chat } from "../../../src/host/chat.ts";
import { createFold } from "../../../src/host/fold.ts";
import { createQueues } from "../../../src/host/queues.ts";
import type { PanelEvent } from "../../../src/protocol/events.ts";
import { emptyView, reduce, type View } from "../../../src/protocol/view.ts";
import { conversation, inFolder, sessionId, toText } from "../brain/disk.ts";
import { countedIds, fakeClock, kit, says, scriptedModel, type FakeClock, type Script } from "../../support/kit.ts";

interface Window {
  readonly chat: Chat;
  readonly view: () => View;
  readonly events: readonly PanelEvent[];
}

/** A window with its own store, as of a process of its own, on the same folder and under the same time. */
function windowOn(dir: string, clock: FakeClock, ...scripts: readonly Script[]): Window {
  const sessions = createSessions({ dir, clock });
  const name = `window${++windows}`;
  const { ports } = kit({ model: scriptedModel(...scripts), ports: { sessions, clock, ids: countedIds(name) } });
  const events: PanelEvent[] = [];
  const log = (): void => undefined;
  const fold = createFold((event) => events.push(event), log);
  const chat = createChat({
    fold,
    workspace: {
      open: () => ({ composition: { ports, sessions } }),
      describe: () => Promise.reject(new Error("nobody asks")),
    },
    remembered: { get: () => undefined, set: log },
    queues: createQueues({ get: () => undefined, set: () => Promise.resolve() }, log),
    limits: () => ({}),
    ids: countedIds("message"),
    clock,
    log,
  });
  return { chat, view: fold.view, events };
}
let windows = 0;

/** A reply that stands still in the middle until it is let go. */
function held(): { script: Script; letGo: () => void } {
  let letGo = (): void => undefined;
  const free = new Promise<void>((resolve) => (letGo = resolve));
  const script: Script = async function* script(_, signal) {
    await Promise.race([free, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
    if (!signal.aborted) yield* says("First.");
  };
  return { script, letGo };
}

/** Lets time go on, no faster than the disk can follow, until something is true. */
async function until(clock: FakeClock, what: () => boolean): Promise<void> {
  for (const limit = Date.now() + 20_000; Date.now() < limit && !what(); await wait(1)) await clock.advance(50);
  assert.ok(what(), what.toString());
}

const lookOf = ({ view }: Window) => view().turns.map(({ user, end }) => [user, end?.status ?? null]);

/** Two windows, of which the first has begun a run in a session that the second has opened. */
async function together(
  test: (made: { a: Window; b: Window; clock: FakeClock; letGo: () => void; dir: string }) => Promise<void>,
): Promise<void> {
  await inFolder(async (dir) => {
    const clock = fakeClock();
    const { script, letGo } = held();
    const [a, b] = [windowOn(dir, clock, script, says("Third.")), windowOn(dir, clock, says("Second."))];
    await writeSession(dir, toText(conversation()));
    await a.chat.openSession(sessionId);
    void a.chat.submit("one");
    await until(clock, () => a.events.some(({ type }) => type === "loop:execute"));
    await b.chat.openSession(sessionId);
    try {
      await test({ a, b, clock, letGo, dir });
    } finally {
      await Promise.all([a.chat.stop(), b.chat.stop()]);
      a.chat.end();
      b.chat.end();
    }
  });
}

async function writeSession(dir: string, text: string): Promise<void> {
  const session = layoutOf(dir).session(sessionId);
  await mkdir(session.folder, { recursive: true });
  await writeFile(session.transcript, text);
}

const stored = ["Make the tests pass 🌱", "completed"] as const;
const begun = ["one", null] as const;

describe("a session that another window writes", () => {
  it("is shown as far as it has come, followed as it grows, and free again when its run has ended", () =>
    together(async ({ a, b, clock, letGo }) => {
      assert.deepEqual(lookOf(b), [stored, begun]);
      assert.deepEqual(b.view().reading, { state: "working", host: null });
      assert.equal(a.view().reading, null);
      letGo();
      await until(clock, () => b.view().reading === null);
      assert.deepEqual(lookOf(b), [stored, ["one", "completed"]]);
      assert.deepEqual(
        b.view().turns.map(({ items }) => items),
        a.view().turns.map(({ items }) => items),
      );
      assert.equal((await b.chat.submit("two"))?.output, "Second.");
      await until(clock, () => a.view().turns.length === 3 && a.view().reading === null);
      assert.deepEqual(lookOf(a), [stored, ["one", "completed"], ["two", "completed"]]);
      // What a window has written itself is not shown to it a second time: neither "two" here, nor "one" there.
      await a.chat.submit("three");
      await until(clock, () => b.view().turns.length === 4 && b.view().reading === null);
      assert.deepEqual(lookOf(b), [...lookOf(a).slice(0, 3), ["three", "completed"]]);
    }));

  it("takes no message here, and says why", () =>
    together(async ({ b, a }) => {
      assert.equal(await b.chat.submit("two"), null);
      assert.equal(b.view().failure?.code, "session_busy");
      assert.deepEqual(lookOf(b), [stored, begun]);
      assert.equal(a.chat.running(), true);
    }));

  it("is given back when it is asked for: stopped, kept, and the other way round from then on", () =>
    together(async ({ a, b, clock }) => {
      await a.chat.submit("waits");
      await b.chat.takeOver();
      assert.equal(b.view().reading?.state, "asked");
      await until(clock, () => b.view().reading === null);
      assert.equal(a.chat.running(), false);
      assert.equal(a.view().reading?.state, "given");
      assert.match(JSON.stringify(a.view().turns.at(-1)?.items), /Another window took this session over/);
      assert.deepEqual(lookOf(b), [stored, ["one", "aborted"]]);
      assert.equal(await a.chat.submit("mine again"), null);
      assert.equal(a.view().failure?.code, "session_busy");
      assert.equal((await b.chat.submit("two"))?.output, "Second.");
      await until(clock, () => a.view().turns.length === 3);
      // What waited here waits on: it is the person's to send.
      assert.deepEqual(
        a.view().queue.map(({ text }) => text),
        ["waits"],
      );
      await a.chat.takeOver();
      await until(clock, () => a.view().reading === null);
      assert.equal((await a.chat.submit("three"))?.output, "Third.");
    }));

  it("stays theirs while its owner lives and does not answer; the person is told, and waits or tries again", () =>
    inFolder(async (dir) => {
      const clock = fakeClock();
      const b = windowOn(dir, clock, says("Mine."));
      await writeSession(dir, toText(conversation()));
      const expiresAt = new Date(clock.now() + 60_000).toISOString();
      const lease = { token: "t", sessionId, runId: "r", pid: 1, host: "elsewhere", started: 0, expiresAt };
      await writeFile(layoutOf(dir).session(sessionId).lock, JSON.stringify({ ...lease, acquiredAt: expiresAt }));
      await b.chat.openSession(sessionId);
      assert.deepEqual(b.view().reading, { state: "working", host: "elsewhere" });
      await b.chat.takeOver();
      await until(clock, () => b.view().reading?.state === "silent");
      await b.chat.takeOver();
      assert.deepEqual(b.view().reading, { state: "asked", host: "elsewhere" });
      assert.equal(await b.chat.submit("two"), null);
      await until(clock, () => b.view().reading === null);
      assert.ok(clock.now() >= Date.parse(expiresAt));
      assert.equal((await b.chat.submit("two"))?.output, "Mine.");
      b.chat.end();
    }));

  it("whose owner has died ends as stopped, and goes on from here without being shown twice", () =>
    inFolder(async (dir) => {
      const clock = fakeClock();
      const b = windowOn(dir, clock, says("Mine."));
      await writeSession(dir, toText([...conversation(), ...conversation("dead", 60).slice(0, 3)]));
      await b.chat.openSession(sessionId);
      assert.equal(b.view().reading, null);
      await b.chat.submit("two");
      const c = windowOn(dir, clock, says("Third."));
      await c.chat.openSession(sessionId);
      await c.chat.submit("three");
      await until(clock, () => b.view().turns.length > 3);
      assert.deepEqual(lookOf(b).slice(0, 3), [stored, [stored[0], "aborted"], ["two", "completed"]]);
      assert.equal(lookOf(b)[3]?.[0], "three");
      b.chat.end();
      c.chat.end();
    }));
});

describe("a long session", () => {
  const runs = (count: number) => Array.from({ length: count }, (_, n) => conversation(`run-${n}`, n)).flat();

  it("is shown from its end, and the runs before by stretches, in order, until all of it is shown", () =>
    inFolder(async (dir) => {
      const clock = fakeClock();
      const here = windowOn(dir, clock);
      await writeSession(dir, toText(runs(90)));
      await here.chat.openSession(sessionId);
      const ids = () => here.view().turns.map(({ runId }) => runId);
      assert.deepEqual([ids()[0], ids().at(-1), here.view().more], ["run-56", "run-89", true]);
      assert.equal(here.view().session.title, stored[0]);
      await Promise.all([here.chat.showEarlier(), here.chat.showEarlier()]);
      assert.deepEqual([ids()[0], here.view().more], ["run-22", true]);
      await here.chat.showEarlier();
      await here.chat.showEarlier();
      assert.deepEqual(
        ids(),
        Array.from({ length: 90 }, (_, n) => `run-${n}`),
      );
      assert.equal(here.view().more, false);
      here.chat.end();
    }));

  it("is shown from a run on that is far up; one that is not there is none", () =>
    inFolder(async (dir) => {
      const here = windowOn(dir, fakeClock());
      await writeSession(dir, toText(runs(900)));
      await here.chat.openSession(sessionId);
      assert.deepEqual(await Promise.all([here.chat.showRun("run-450"), here.chat.showEarlier()]), [true, undefined]);
      const ids = here.view().turns.map(({ runId }) => runId);
      const first = 900 - ids.length;
      assert.ok(first > 0 && first <= 450, `${first}`);
      assert.deepEqual(
        ids,
        Array.from({ length: ids.length }, (_, n) => `run-${first + n}`),
      );
      assert.equal(await here.chat.showRun("run-x"), false);
      assert.equal(here.view().turns.length, 900);
      here.chat.end();
    }));

  it("can be forked at what is shown, and what was done to a compaction later is known when it is shown", () =>
    inFolder(async (dir) => {
      const clock = fakeClock();
      const here = windowOn(dir, clock);
      const line = { runId: "run-3", timestamp: "2026-01-02T11:00:00.000Z" };
      const about = { messages: 4, tokensBefore: 9, tokensAfter: 3, carried: [], firstKeptId: "run-3-user" };
      const made = { type: "compaction", id: "c", ...line, summary: "Old.", ...about } as const;
      const edit = { ...made, id: "edit", summary: "New.", edits: "c" } as const;
      const all = runs(60);
      const within = all.findIndex(({ id }) => id === "run-3-user") + 1;
      await writeSession(dir, toText([...all.slice(0, within), made, ...all.slice(within), edit]));
      await here.chat.openSession(sessionId);
      assert.equal(here.view().compaction, null);
      await here.chat.showEarlier();
      assert.equal(here.view().compaction, "c");
      const card = here.view().turns.flatMap(({ items }) => items.filter(({ kind }) => kind === "compaction"));
      assert.deepEqual(
        card.map((item) => item.kind === "compaction" && item.summary),
        ["New."],
      );
      const forked = await here.chat.forkAt({ entryId: "run-59-user", side: "before" });
      assert.equal(forked?.text, stored[0]);
      assert.equal(here.view().turns.at(-1)?.runId, "run-58");
      here.chat.end();
    }));

  it("folds earlier runs before those that are shown, which stay as they are", () => {
    const start = (runId: string): PanelEvent & { type: "loop:start" } => ({
      type: "loop:start",
      runId,
      sessionId,
      message: runId,
      messageId: `${runId}-user`,
      timestamp: "",
    });
    const shown = [start("b")].reduce<View>(reduce, { ...emptyView, session: { id: sessionId, title: "T" } });
    const after = reduce(shown, { type: "session:earlier", events: [start("a")], more: true });
    assert.deepEqual(
      after.turns.map(({ runId }) => runId),
      ["a", "b"],
    );
    assert.equal(after.turns[1], shown.turns[0]);
    assert.deepEqual({ ...after, turns: [], more: false }, { ...shown, turns: [] });
  });
});
