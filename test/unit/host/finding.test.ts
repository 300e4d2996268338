// The host's side of the find box: what it answers, where it begins, how it steps, and what a later question makes of an earlier one.
import assert from "node:assert/strict";
import { createFinding } from "../../../src/host/finding.ts";
import type { PanelEvent } from "../../../src/protocol/events.ts";
import type { FindAsked, SoughtPlace } from "../../../src/protocol/sessions.ts";
import { emptyView, reduce, type View } from "../../../src/protocol/view.ts";
import type { ToWebview } from "../../../src/protocol/wire.ts";
import { fakeClock } from "../../support/kit.ts";

const started = (runId: string): PanelEvent => ({
  type: "loop:start",
  runId,
  sessionId: "s",
  message: "Go",
  messageId: `u-${runId}`,
  timestamp: "",
});
const called = (runId: string, toolCallId: string): PanelEvent => ({
  type: "call:streaming",
  runId,
  toolCallId,
  toolName: "read_file",
  messageId: "m",
  iteration: 1,
});
const ended = (runId: string): PanelEvent => ({
  type: "loop:end",
  runId,
  success: true,
  duration: 1,
  status: "completed",
  usage: { input: 1, output: 1 },
  iterations: 1,
});
const place = (runId: string, item = `u-${runId}`): SoughtPlace => ({ runId, item });

function opened(places: readonly SoughtPlace[], events: readonly PanelEvent[] = ["a", "b", "c"].map(started)) {
  const clock = fakeClock();
  const told: ToWebview[] = [];
  const searched: string[] = [];
  let found = places;
  let view: View = events.reduce(reduce, emptyView);
  let reach = (_run: string): Promise<boolean> => Promise.resolve(true);
  const handlers = createFinding({
    sessions: () => ({
      async *find(id, text, signal) {
        searched.push(`${id} ${text}`);
        for (const one of found) {
          await Promise.resolve();
          if (signal?.aborted === true) return;
          yield one;
        }
      },
    }),
    view: () => view,
    reach: (run) => reach(run),
    clock,
    ask: (message) => told.push(message),
  });
  /** What was told since the last time. */
  const news = (): readonly string[] =>
    told.splice(0).map((message) => {
      if (message.type === "sought:show") return `show ${message.runId} ${message.item} “${message.words}”`;
      assert.ok(message.type === "session:found");
      const { number, at, count, more } = message;
      return `${number}: ${at} of ${count}${more ? "+" : ""}`;
    });
  const rest = async (): Promise<void> => {
    await clock.advance(100);
    for (let n = 0; n < 10; n += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    searched,
    news,
    rest,
    ask: (asked: Partial<FindAsked> = {}) =>
      handlers["session:find"]({ type: "session:find", number: 1, text: "x", go: true, ...asked }),
    async step(by: number) {
      await handlers["session:findNext"]({ type: "session:findNext", by });
      await rest();
      return news();
    },
    happened: (event: PanelEvent) => (view = reduce(view, event)),
    finds: (next: readonly SoughtPlace[]) => (found = next),
    reaches: (next: (run: string) => Promise<boolean>) => (reach = next),
  };
}

describe("the host's side of the find box", () => {
  it("begins at the end, goes up, and around the ends", async () => {
    const { ask, rest, news, step } = opened([place("c"), place("b"), place("a")]);
    void ask({ text: "  two \n words " });
    await rest();
    assert.deepEqual(news(), ["1: 1 of 3", "show c u-c “two words”"]);
    assert.deepEqual(await step(1), ["1: 2 of 3", "show b u-b “two words”"]);
    assert.deepEqual(await step(1), ["1: 3 of 3", "show a u-a “two words”"]);
    assert.deepEqual(await step(1), ["1: 1 of 3", "show c u-c “two words”"]);
    assert.deepEqual(await step(-1), ["1: 3 of 3", "show a u-a “two words”"]);
  });

  it("begins at the last place up to where the reader is, else at the first one behind", async () => {
    const { ask, rest, news } = opened([place("c"), place("b"), place("not-loaded")]);
    void ask({ reader: place("b") });
    await rest();
    assert.deepEqual(news(), ["1: 2 of 3", "show b u-b “x”"]);
    void ask({ number: 2, reader: place("a") });
    await rest();
    assert.deepEqual(news(), ["2: 3 of 3", "show not-loaded u-not-loaded “x”"]);
    const other = opened([place("c"), place("b")]);
    void other.ask({ reader: place("a") });
    await other.rest();
    assert.deepEqual(other.news(), ["1: 2 of 2", "show b u-b “x”"]);
  });

  it("while somebody types stays near to where they were; after a step, to where that led", async () => {
    const { ask, rest, news, step, finds } = opened([place("c"), place("a")]);
    void ask({ reader: place("b") });
    await rest();
    finds([place("c"), place("b"), place("a")]);
    void ask({ number: 2 });
    await rest();
    assert.deepEqual(news(), ["1: 2 of 2", "show a u-a “x”", "2: 3 of 3", "show a u-a “x”"]);
    await step(1);
    void ask({ number: 3 });
    await rest();
    assert.deepEqual(news(), ["3: 1 of 3", "show c u-c “x”"]);
  });

  it("counts from the place that is shown already, without showing it again", async () => {
    const events = [started("a"), started("b"), called("b", "no hit"), started("c")];
    const { ask, rest, news, step } = opened([place("c"), place("b"), place("a")], events);
    void ask({ go: false, reader: place("b") });
    await rest();
    assert.deepEqual(news(), ["1: 2 of 3"]);
    assert.deepEqual(await step(1), ["1: 3 of 3", "show a u-a “x”"]);
    void ask({ number: 2, go: false, reader: place("b", "no hit") });
    await rest();
    assert.deepEqual(news(), ["2: 0 of 3"]);
    assert.deepEqual(await step(1), ["2: 2 of 3", "show b u-b “x”"]);
  });

  it("answers the last question only, and searches once the typing pauses", async () => {
    const { ask, rest, news, searched } = opened([place("a")]);
    void ask({ text: "n" });
    void ask({ number: 2, text: "ne" });
    void ask({ number: 3, text: "nee" });
    await rest();
    assert.deepEqual(searched, ["s nee"]);
    assert.deepEqual(news(), ["3: 1 of 1", "show a u-a “nee”"]);
    void ask({ number: 4, text: " ", go: false });
    await rest();
    assert.deepEqual([news(), searched.length], [["4: 0 of 0"], 1]);
  });

  it("finds nothing, without an error, where no session is open", async () => {
    const { ask, rest, news, searched, step } = opened([place("a")], []);
    void ask();
    await rest();
    assert.deepEqual([news(), searched], [["1: 0 of 0"], []]);
    assert.deepEqual(await step(1), ["1: 0 of 0"]);
  });

  it("puts what was written down late where it stands", async () => {
    const events = [started("a"), called("a", "one"), called("a", "two"), started("b")];
    const { ask, rest, news, step } = opened([place("a", "one"), place("b"), place("a", "two"), place("a")], events);
    void ask();
    await rest();
    assert.deepEqual(news(), ["1: 1 of 4", "show b u-b “x”"]);
    assert.deepEqual(await step(1), ["1: 2 of 4", "show a two “x”"]);
    assert.deepEqual(await step(1), ["1: 3 of 4", "show a one “x”"]);
    assert.deepEqual(await step(1), ["1: 4 of 4", "show a u-a “x”"]);
  });

  it("counts a thousand places, and says that there are more", async () => {
    const many = Array.from({ length: 1_500 }, (_, n) => place("z", `m${n}`));
    const { ask, rest, news, finds } = opened(many);
    void ask();
    for (let n = 0; n < 300; n += 1) await rest();
    assert.deepEqual(news(), ["1: 1 of 1000+", "show z m0 “x”"]);
    finds(many.slice(0, 1_000));
    void ask({ number: 2, go: false });
    for (let n = 0; n < 300; n += 1) await rest();
    assert.deepEqual(news(), ["2: 1 of 1000"]);
  });

  it("searches again at a step after a run has begun or ended, and stays where it is", async () => {
    const { ask, rest, news, step, finds, happened, searched } = opened([place("c"), place("b")]);
    void ask();
    await rest();
    news();
    happened(ended("c"));
    happened(started("d"));
    finds([place("d"), place("c"), place("b")]);
    assert.deepEqual(await step(1), ["1: 3 of 3", "show b u-b “x”"]);
    assert.equal(searched.length, 2);
    await step(1);
    assert.equal(searched.length, 2);
  });

  it("does not take a person to a place that was read too late, or is gone", async () => {
    const { ask, rest, news, step, reaches } = opened([place("c"), place("b"), place("a")]);
    const release: (() => void)[] = [];
    reaches((run) => (run === "b" ? new Promise((done) => release.push(() => done(true))) : Promise.resolve(true)));
    void ask();
    await rest();
    assert.deepEqual(await step(1), ["1: 1 of 3", "show c u-c “x”", "1: 2 of 3"]);
    assert.deepEqual(await step(1), ["1: 3 of 3", "show a u-a “x”"]);
    for (const go of release) go();
    await rest();
    assert.deepEqual(news(), []);
    reaches(() => Promise.resolve(false));
    assert.deepEqual(await step(1), ["1: 1 of 3"]);
  });
});
