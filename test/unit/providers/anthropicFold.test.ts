// The fold alone: events as the Messages API and its imitators really send them, and the events they must become.
import assert from "node:assert/strict";
import type { ModelEvent } from "../../../src/engine/ports.ts";
import { foldEnd, foldEvent, foldFailure, startFold, type Fold } from "../../../src/providers/anthropicFold.ts";
import { brokenReply } from "../../../src/providers/providerFailure.ts";
import { countedIds } from "../../support/kit.ts";
import { blockEvents, eventsOfMessage } from "../../support/messagesWire.ts";

const endpoint = { host: "models.example", apiKey: "sk-secret", model: "m-1", now: () => 0 };

function fed(stream: readonly unknown[], taken: readonly string[] = []): { fold: Fold; steps: ModelEvent[][] } {
  let fold = startFold({ endpoint, newId: countedIds("made"), taken: new Set(taken), seal: "sealed" });
  const steps = stream.map((event) => {
    const step = foldEvent(fold, event);
    fold = step.fold;
    return [...step.events];
  });
  return { fold, steps };
}

/** The events of each event of the stream, and those of its end. */
function steps(stream: readonly unknown[], taken?: readonly string[]): ModelEvent[][] {
  const { fold, steps: all } = fed(stream, taken);
  return [...all, [...foldEnd(fold)]];
}

const events = (stream: readonly unknown[], taken?: readonly string[]): ModelEvent[] => steps(stream, taken).flat();
const call = (id: string, name: string, text: string): ModelEvent => ({
  type: "call",
  call: { id, name, arguments: text },
});
const start = (id: string, name: string): ModelEvent => ({ type: "call:start", id, name });
const piece = (id: string, text: string): ModelEvent => ({ type: "call:delta", id, text });
const finish = (reason: string): unknown => ({ type: "finish", reason });
const callsOf = (list: readonly ModelEvent[]): ModelEvent[] => list.filter(({ type }) => type === "call");
const providerOf = (list: readonly ModelEvent[]): unknown => list.find(({ type }) => type === "provider");

const begin = (index: number, block: object): object => ({ type: "content_block_start", index, content_block: block });
const json = (index: number, text: string): object => ({
  type: "content_block_delta",
  index,
  delta: { type: "input_json_delta", partial_json: text },
});
const words = (index: number, text: string): object => ({
  type: "content_block_delta",
  index,
  delta: { type: "text_delta", text },
});
const stop = (index: number): object => ({ type: "content_block_stop", index });
const reason = (name: string, more: object = {}): object => ({
  type: "message_delta",
  delta: { stop_reason: name, ...more },
});
const over = { type: "message_stop" };
const use = (id: string, name: string): object => ({ type: "tool_use", id, name, input: {} });
const thought = { type: "thinking", thinking: "Hm, so.", signature: "signed" };

describe("anthropic fold", () => {
  it("streams text and thinking, gives usage once and finishes last", () => {
    assert.deepEqual(
      steps([
        { type: "message_start", message: { content: [], usage: { input_tokens: 4, output_tokens: 1 } } },
        begin(0, { type: "thinking", thinking: "", signature: "" }),
        { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm" } },
        stop(0),
        { type: "ping" },
        begin(1, { type: "text", text: "" }),
        words(1, "Hel"),
        words(1, "lo"),
        stop(1),
        reason("end_turn"),
        over,
      ]).map((list) => list.map(({ type }) => type)),
      [[], [], ["thinking"], [], [], [], ["text"], ["text"], [], [], ["usage", "provider", "finish"], []],
    );
  });

  it("gives out a call at the end of its block, while the message goes on (C-47)", () => {
    assert.deepEqual(
      steps([
        begin(0, use("a", "read_file")),
        json(0, ""),
        json(0, '{"path":'),
        json(0, '"."}'),
        stop(0),
        begin(1, use("b", "list_files")),
        json(1, "{}"),
        stop(1),
        reason("tool_use"),
        over,
      ]),
      [
        [start("a", "read_file")],
        [],
        [piece("a", '{"path":')],
        [piece("a", '"."}')],
        [call("a", "read_file", '{"path":"."}')],
        [start("b", "list_files")],
        [piece("b", "{}")],
        [call("b", "list_files", "{}")],
        [],
        [finish("calls")],
        [],
      ],
    );
  });

  it("takes an empty text for no arguments once it is clear that no limit cut them off (C-47)", () => {
    const empty = (id: string, index: number): object[] => [begin(index, use(id, "now")), json(index, ""), stop(index)];
    assert.deepEqual(
      steps([...empty("a", 0), ...empty("b", 1), reason("tool_use"), over]).map((list) => callsOf(list)),
      [[], [], [], [call("a", "now", "{}")], [], [], [call("b", "now", "{}")], [], []],
    );
  });

  for (const limit of ["max_tokens", "model_context_window_exceeded"])
    for (const [what, cut] of Object.entries({
      "has not ended": [json(1, '{"path":"src')],
      "was ended in the middle of its arguments": [json(1, '{"path":"src'), stop(1)],
      "was ended before its arguments came": [json(1, ""), stop(1)],
    }))
      it(`does not give out a call that ${what} at ${limit}, though it gives those before it`, () => {
        const got = events([
          begin(0, use("a", "f")),
          json(0, "{}"),
          stop(0),
          begin(1, use("b", "write_file")),
          ...cut,
          reason(limit),
          over,
        ]);
        assert.deepEqual(callsOf(got), [call("a", "f", "{}")]);
        assert.deepEqual(got.at(-1), finish("length"));
      });

  it("gives out arguments that are no JSON as they are, when nothing cut them off", () => {
    const got = events([begin(0, use("a", "f")), json(0, '{"x":'), stop(0), reason("tool_use"), over]);
    assert.deepEqual(callsOf(got), [call("a", "f", '{"x":')]);
  });

  it("takes arguments that come whole, and blocks that servers forget to end", () => {
    const whole = { type: "tool_use", id: "a", name: "f", input: { x: 1 } };
    assert.deepEqual(callsOf(events([begin(0, whole), stop(0), reason("tool_use"), over])), [
      call("a", "f", '{"x":1}'),
    ]);
    assert.deepEqual(callsOf(events([begin(0, use("a", "f")), json(0, '{"x":2}'), reason("tool_use"), over])), [
      call("a", "f", '{"x":2}'),
    ]);
    assert.deepEqual(
      callsOf(events([begin(0, use("a", "f")), json(0, "{}"), begin(0, use("b", "g")), json(0, "{}"), stop(0), over])),
      [call("a", "f", "{}"), call("b", "g", "{}")],
    );
  });

  it("makes an id for a call without one, and for one whose id is taken, and keeps it", () => {
    const got = events(
      [begin(0, use("", "f")), json(0, "{}"), stop(0), begin(1, use("old", "g")), json(1, "{}"), stop(1), over],
      ["old"],
    );
    assert.deepEqual(callsOf(got), [call("made-1", "f", "{}"), call("made-2", "g", "{}")]);
    assert.deepEqual(
      got.filter(({ type }) => type === "call:start"),
      [start("made-1", "f"), start("made-2", "g")],
    );
  });

  it("says that the parts of calls are mixed up when arguments belong to none", () => {
    const got = events([begin(0, { type: "text", text: "" }), json(7, '{"x":1}'), reason("tool_use"), over]);
    assert.equal(got.length, 1);
    const [last] = got;
    assert.ok(last?.type === "error" && last.retryable);
    assert.match(last.failure.message, /^models\.example mixed up/);
  });

  it("counts what is read from and written to the cache as input, and takes the last word on each count", () => {
    const first = {
      input_tokens: 10,
      cache_creation_input_tokens: 100,
      cache_read_input_tokens: 1000,
      output_tokens: 1,
    };
    const got = events([
      { type: "message_start", message: { usage: first } },
      { type: "message_start", message: { usage: first } },
      {
        ...reason("end_turn"),
        usage: { input_tokens: 0, output_tokens: 50, output_tokens_details: { thinking_tokens: 30 } },
      },
      over,
    ]);
    assert.deepEqual(got, [
      { type: "usage", usage: { input: 1110, output: 50, cached: 1000, written: 100, reasoning: 30 } },
      finish("stop"),
    ]);
  });

  it("keeps thoughts with their signatures, and all blocks in their order, with what they were bound to (C-45)", () => {
    const content = [
      thought,
      { type: "redacted_thinking", data: "secret" },
      { type: "text", text: "First this." },
      { type: "tool_use", id: "a", name: "f", input: { x: 1 }, caller: { type: "direct" } },
      { type: "thinking", thinking: "", signature: "only signed" },
      { type: "tool_use", id: "b", name: "g", input: {} },
    ];
    const got = events(eventsOfMessage({ content, stop_reason: "tool_use" }));
    assert.deepEqual(providerOf(got), {
      type: "provider",
      data: { host: "models.example", seal: "sealed", blocks: content },
    });
    assert.equal(got.at(-2)?.type, "provider");
  });

  it("keeps nothing of a reply that words and calls say wholly, but keeps another order", () => {
    const text = { type: "text", text: "So." };
    const plain = { type: "tool_use", id: "a", name: "f", input: { x: [1, "ä"] } };
    assert.equal(providerOf(events(eventsOfMessage({ content: [text, plain], stop_reason: "tool_use" }))), undefined);
    assert.equal(providerOf(events(eventsOfMessage({ content: [text], stop_reason: "end_turn" }))), undefined);
    assert.ok(providerOf(events(eventsOfMessage({ content: [plain, text], stop_reason: "tool_use" }))));
    assert.ok(providerOf(events(eventsOfMessage({ content: [text, text], stop_reason: "end_turn" }))));
  });

  for (const [given, calls, expected] of [
    ["end_turn", false, "stop"],
    ["stop_sequence", false, "stop"],
    ["something_new", false, "stop"],
    ["tool_use", true, "calls"],
    ["end_turn", true, "calls"],
    ["tool_use", false, "stop"],
    ["max_tokens", false, "length"],
    ["max_tokens", true, "length"],
    ["model_context_window_exceeded", false, "length"],
    ["pause_turn", false, "length"],
    ["pause_turn", true, "calls"],
    ["refusal", false, "refusal"],
  ] as const)
    it(`reads “${given}” ${calls ? "with" : "without"} calls as ${expected}`, () => {
      const before = calls ? blockEvents({ ...use("a", "f") }, 0) : blockEvents({ type: "text", text: "x" }, 0);
      assert.deepEqual(events([...before, reason(given), over]).at(-1), finish(expected));
      assert.deepEqual(events([...before, reason(given)]).at(-1), finish(expected), "without message_stop");
    });

  it("shows why the server refused", () => {
    const details = { stop_details: { type: "refusal", category: "cyber", explanation: "Blocked by policy." } };
    assert.deepEqual(events([reason("refusal", details), over]), [
      { type: "text", text: "Blocked by policy." },
      finish("refusal"),
    ]);
  });

  it("finishes with message_stop alone, and says nothing after it", () => {
    assert.deepEqual(events([...blockEvents({ type: "text", text: "x" }, 0), over, words(0, "more"), over]), [
      { type: "text", text: "x" },
      finish("stop"),
    ]);
  });

  it("says that the reply broke off when neither reason nor end came, without the half call, with its usage", () => {
    const got = events([
      { type: "message_start", message: { usage: { input_tokens: 4, output_tokens: 1 } } },
      begin(0, use("a", "f")),
      json(0, '{"x":1}'),
    ]);
    assert.deepEqual(
      got.map(({ type }) => type),
      ["call:start", "call:delta", "usage", "error"],
    );
    const last = got.at(-1);
    assert.ok(last?.type === "error" && last.retryable);
    assert.equal(last.failure.code, "reply_malformed");
    assert.match(last.failure.message, /^models\.example broke off/);
  });

  it("keeps what calls need when the reply breaks after them, because their results go back (C-05)", () => {
    const done = { type: "tool_use", id: "a", name: "f", input: { x: 1 } };
    const { fold } = fed([...blockEvents(thought, 0), ...blockEvents(done, 1), begin(2, use("b", "g"))]);
    const error = brokenReply(endpoint);
    assert.deepEqual(foldFailure(fold, error), [
      { type: "provider", data: { host: "models.example", seal: "sealed", blocks: [thought, done] } },
      error,
    ]);
    assert.deepEqual(foldFailure(fed(blockEvents(thought, 0)).fold, error), [error], "nothing goes back without calls");
  });

  it("makes an error of an error that comes in the stream, and stops there", () => {
    const got = events([
      ...blockEvents({ type: "text", text: "Hi" }, 0),
      { type: "error", error: { type: "overloaded_error", message: "Overloaded, key sk-secret" } },
      over,
    ]);
    assert.equal(got.length, 2);
    const last = got.at(-1);
    assert.ok(last?.type === "error" && last.retryable);
    assert.equal(last.failure.code, "provider_failed");
    assert.equal(last.failure.message, "models.example failed (529): Overloaded, key …");
  });

  it("ignores pings, unknown events and odd shapes", () => {
    const odd = [
      { type: "ping" },
      { type: "message_note", note: 1 },
      null,
      7,
      "x",
      [],
      { type: "content_block_start" },
      { type: "content_block_delta", index: 0, delta: { type: "new_delta", what: 1 } },
      { type: "content_block_delta", index: 9, delta: null },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_stop", index: 12 },
      { type: "message_delta", delta: null, usage: null },
      { type: "message_start" },
    ];
    assert.deepEqual(events([...odd, reason("end_turn"), over]), [finish("stop")]);
  });
});
