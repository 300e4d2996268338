// The bridge between chat and panel: joining, back-pressure, snapshots, and what a foreign panel may send.
import assert from "node:assert/strict";
import fc from "fast-check";
import { createBridge, type Handlers } from "../../../src/host/bridge.ts";
import { join } from "../../../src/host/outflow.ts";
import type { PanelEvent } from "../../../src/protocol/events.ts";
import { emptyView, reduce, type View } from "../../../src/protocol/view.ts";
import type { ToHost, ToWebview } from "../../../src/protocol/wire.ts";

const delta = (content: string, messageId = "m"): PanelEvent => ({
  type: "stream:delta",
  runId: "r",
  content,
  messageId,
  iteration: 1,
});
const start: PanelEvent = {
  type: "loop:start",
  runId: "r",
  sessionId: "s",
  message: "Hi",
  messageId: "u",
  timestamp: "t",
};

function made() {
  const handled: ToHost[] = [];
  const logged: string[] = [];
  const failures: unknown[] = [];
  const sent: ToWebview[] = [];
  let release: (() => void)[] = [];
  let view: View = emptyView;
  const take = (message: ToHost): void => void handled.push(message);
  const handlers: Handlers = {
    "panel:ready": take,
    "prompt:submit": take,
    "session:earlier": take,
    "session:takeOver": take,
    "sessions:find": take,
    "sessions:close": take,
    "session:do": take,
    "session:pin": take,
    "session:find": take,
    "session:findNext": take,
    "queue:remove": take,
    "queue:edit": take,
    "queue:move": take,
    "queue:send": take,
    "message:edit": take,
    "message:fork": take,
    "message:again": take,
    "call:decide": take,
    "hunk:decide": take,
    "call:review": take,
    "call:input": take,
    "call:terminal": take,
    "call:release": take,
    "command:stop": take,
    "call:allow": take,
    "plan:decide": take,
    "pause:choose": take,
    "context:edit": take,
    "context:undo": take,
    "todos:edit": take,
    "panel:draft": take,
    "changes:undo": take,
    "run:stop": take,
    "trace:read": take,
    "file:open": take,
    "link:open": () => Promise.reject(new Error("no browser")),
    "call:reveal": () => {
      throw new Error("no folder");
    },
    "text:copy": take,
    "code:use": take,
    "command:run": take,
    suggest: take,
    "files:drop": take,
  };
  let answers = 0;
  const bridge = createBridge({
    view: () => view,
    handlers,
    alive: () => void (answers += 1),
    log: (message) => logged.push(message),
    failed: (error) => failures.push(error),
    pause: () => new Promise((resolve) => release.push(resolve)),
  });
  const panel = { post: (message: ToWebview) => (sent.push(message), Promise.resolve(true)) };
  /** The panel has drawn the last batch. */
  const drawn = async (): Promise<void> => {
    const last = sent.findLast((message) => message.type === "events");
    await bridge.receive({ type: "panel:drawn", batch: last?.type === "events" ? last.batch : 0 });
  };
  return {
    bridge,
    panel,
    handled,
    logged,
    failures,
    sent,
    drawn,
    answers: () => answers,
    event(event: PanelEvent) {
      view = reduce(view, event);
      bridge.event(event);
    },
    async frame() {
      for (const go of release.splice(0)) go();
      await new Promise((resolve) => setImmediate(resolve));
    },
    view: () => view,
  };
}

describe("the bridge", () => {
  it("tells a panel nothing before it is ready, then the whole as a snapshot", async () => {
    const { bridge, panel, sent, event, frame, view } = made();
    bridge.attach(panel);
    event(start);
    event(delta("a"));
    await frame();
    assert.deepEqual(sent, []);
    await bridge.receive({ type: "panel:ready" });
    assert.deepEqual(sent, [{ type: "snapshot", view: view() }]);
  });

  it("sends a burst once per frame, joined, and the panel's fold is the host's", async () => {
    const { bridge, panel, sent, event, frame, view } = made();
    bridge.attach(panel);
    await bridge.receive({ type: "panel:ready" });
    event(start);
    for (let n = 0; n < 1_000; n++) event(delta(`${n} `));
    await frame();
    assert.equal(sent.length, 2);
    const [, batch] = sent;
    assert.ok(batch?.type === "events" && batch.events.length === 2);
    assert.deepEqual(batch.events.reduce(reduce, emptyView), view());
  });

  it("waits until a batch is drawn before it sends the next, and a panel made again waits for none", async () => {
    const { bridge, panel, sent, event, frame, drawn } = made();
    bridge.attach(panel);
    await bridge.receive({ type: "panel:ready" });
    event(start);
    await frame();
    event(delta("a"));
    await frame();
    await bridge.receive({ type: "panel:drawn", batch: 0 });
    event(delta("b"));
    await frame();
    assert.equal(sent.length, 2, "snapshot and first batch; the second waits");
    await drawn();
    await frame();
    await frame();
    assert.deepEqual(sent[2], { type: "events", events: [delta("ab")], batch: 2 });
    event(delta("c"));
    bridge.attach(panel);
    await bridge.receive({ type: "panel:ready" });
    event(delta("d"));
    await frame();
    await frame();
    assert.deepEqual(sent.at(-1), { type: "events", events: [delta("d")], batch: 3 });
  });

  it("sends the newest turns of a long session, those before them when asked, and asks the disk after the last", async () => {
    const { bridge, panel, sent, event, frame, handled, view } = made();
    for (let n = 0; n < 200; n++) event({ ...start, runId: `r${n}` });
    bridge.attach(panel);
    await bridge.receive({ type: "panel:ready" });
    const [snapshot] = sent;
    assert.ok(snapshot?.type === "snapshot" && snapshot.view.more && snapshot.view.turns.length < 100);
    const got = [...snapshot.view.turns];
    event({ type: "changes:undone", runId: "r1", undoId: "u", calls: [], changes: { files: [], more: 0 }, left: [] });
    for (let more = true; more;) {
      await bridge.receive({ type: "session:earlier" });
      const earlier = sent.at(-1);
      assert.ok(earlier?.type === "earlier");
      got.unshift(...earlier.turns);
      more = earlier.more;
    }
    assert.deepEqual(got, view().turns);
    const before = sent.length;
    await frame();
    assert.equal(sent.length, before, "what was undone is in the turns already");
    await bridge.receive({ type: "session:earlier" });
    assert.deepEqual(handled.at(-1), { type: "session:earlier" });
  });

  it("shows what was found once the panel has its turn, however far up that is", async () => {
    const { bridge, panel, sent, event, frame, view } = made();
    for (let n = 0; n < 500; n++) event({ ...start, runId: `r${n}` });
    bridge.attach(panel);
    await bridge.receive({ type: "panel:ready" });
    const sought = { type: "sought:show", runId: "r100", item: "u", words: "Hi" } as const;
    bridge.ask(sought);
    bridge.ask(sought);
    const turns = sent.flatMap((message) => (message.type === "earlier" ? [message.turns] : [])).toReversed();
    const first = turns.flat()[0]?.runId;
    assert.ok(view().turns.findIndex(({ runId }) => runId === first) <= 100);
    assert.deepEqual(
      sent.slice(-2).map(({ type }) => type),
      ["sought:show", "sought:show"],
    );
    // What another panel has asked the disk for is before what this one has not been sent.
    const count = sent.length;
    event({ type: "session:earlier", events: [{ ...start, runId: "older" }], more: false });
    await frame();
    assert.equal(sent.length, count);
    bridge.ask({ ...sought, runId: "older" });
    const all = sent.flatMap((message) => (message.type === "earlier" ? [message.turns] : [])).toReversed();
    assert.equal(all.flat()[0]?.runId, "older");
    assert.equal(new Set(all.flat().map(({ runId }) => runId)).size, all.flat().length);
  });

  it("sends what a reader had before them, when the panel comes back", async () => {
    const { bridge, panel, sent, event } = made();
    for (let n = 0; n < 500; n++) event({ ...start, runId: `r${n}` });
    bridge.attach(panel);
    await bridge.receive({ type: "panel:ready", from: "r100" });
    const [snapshot] = sent;
    assert.ok(snapshot?.type === "snapshot" && snapshot.view.more);
    assert.ok(snapshot.view.turns.some(({ runId }) => runId === "r100"));
    await bridge.receive({ type: "panel:ready", from: "gone" });
    const again = sent.at(-1);
    assert.ok(again?.type === "snapshot" && again.view.turns.length < 100);
  });

  it("asks a panel that is ready whether it lives", async () => {
    const { bridge, panel, sent, answers } = made();
    assert.equal(bridge.ping(), false);
    bridge.attach(panel);
    assert.equal(bridge.ping(), false);
    await bridge.receive({ type: "panel:ready" });
    assert.equal(bridge.ping(), true);
    assert.deepEqual(sent.at(-1), { type: "ping" });
    await bridge.receive({ type: "panel:alive" });
    assert.equal(answers(), 1);
  });

  it("a panel that was killed and made again gets a snapshot and nothing twice", async () => {
    const { bridge, panel, sent, event, frame, view } = made();
    bridge.attach(panel);
    await bridge.receive({ type: "panel:ready" });
    event(start);
    bridge.detach(panel);
    event(delta("while away"));
    await frame();
    bridge.attach(panel);
    await bridge.receive({ type: "panel:ready" });
    await frame();
    assert.deepEqual(sent.at(-1), { type: "snapshot", view: view() });
    assert.equal(sent.filter((message) => message.type === "events").length, 0);
  });

  it("keeps the host's last request for a panel that is still being made", async () => {
    const { bridge, panel, sent } = made();
    bridge.ask({ type: "composer:focus" });
    bridge.attach(panel);
    bridge.ask({ type: "call:focus", toolCallId: "c", part: "modify" });
    assert.equal(sent.length, 0);
    await bridge.receive({ type: "panel:ready" });
    assert.deepEqual(
      sent.map((message) => message.type),
      ["snapshot", "call:focus"],
    );
    bridge.ask({ type: "composer:focus" });
    assert.equal(sent.at(-1)?.type, "composer:focus");
  });

  it("passes on what is well formed and logs the rest", async () => {
    const { bridge, handled, logged } = made();
    const good: readonly ToHost[] = [
      { type: "prompt:submit", text: "x" },
      { type: "prompt:submit", text: "x", how: "steer" },
      { type: "queue:send", id: "q", how: "interrupt" },
      { type: "queue:remove", id: "q" },
      { type: "plan:decide", planId: "p", decision: { kind: "approveAll" } },
      { type: "pause:choose", choice: "sumUp" },
      { type: "context:edit", compactionId: "c", summary: "Shorter." },
      { type: "context:undo", compactionId: "c" },
    ];
    for (const message of good) await bridge.receive(message);
    const bad: readonly unknown[] = [
      null,
      7,
      {},
      { type: "prompt:submit" },
      { type: "shell:run", text: "x" },
      { type: "command:run", command: "evil" },
      { type: "call:decide", toolCallId: "1", decision: { kind: "yes" } },
      { type: "prompt:submit", text: "x", how: "drop" },
      { type: "queue:send", id: "q" },
      { type: "plan:decide", planId: "p", decision: { kind: "modify", params: {} } },
      { type: "pause:choose", choice: "later" },
      { type: "context:edit", compactionId: "c" },
    ];
    for (const message of bad) await bridge.receive(message);
    assert.deepEqual(handled, good);
    assert.equal(logged.length, bad.length);
  });

  it("says what the panel has asked for and did not get, whether that failed at once or later", async () => {
    const { bridge, failures } = made();
    await bridge.receive({ type: "link:open", url: "https://example.com" });
    await bridge.receive({ type: "call:reveal", toolCallId: "c" });
    assert.deepEqual(failures.map(String), ["Error: no browser", "Error: no folder"]);
  });

  it("joining changes nothing in the fold, whatever the order of events", () => {
    const event = fc.oneof(
      fc.tuple(fc.string(), fc.constantFrom("m", "n")).map(([content, id]) => delta(content, id)),
      fc.string().map((chunk): PanelEvent => ({ type: "tool:output", runId: "r", toolCallId: "c", chunk })),
      fc.constant<PanelEvent>({
        type: "call:streaming",
        runId: "r",
        toolCallId: "c",
        toolName: "t",
        messageId: "m",
        iteration: 1,
      }),
      fc.constant<PanelEvent>({
        type: "message:end",
        runId: "r",
        messageId: "m",
        iteration: 1,
        interim: true,
        interrupted: false,
      }),
    );
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const all = [start, ...events];
        assert.deepEqual(join(all).reduce(reduce, emptyView), all.reduce(reduce, emptyView));
      }),
    );
  });
});
