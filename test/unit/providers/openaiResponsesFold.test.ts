// The fold alone: events as servers really send them, and what they must become.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { ModelEvent } from "../../../src/engine/ports.ts";
import { foldEnd, foldEvent, isOver, startFold } from "../../../src/providers/openaiResponsesFold.ts";
import { countedIds } from "../../support/kit.ts";
import {
  added,
  argumentsDelta,
  argumentsDone,
  callItem,
  completed,
  done,
  message,
  reasoning,
  summaryDelta,
  textDelta,
} from "./responses.ts";

const endpoint = { host: "models.example", apiKey: "sk-secret", model: "m-1", now: () => 0 };

/** What each event becomes; a reply that is not over at the last is ended there. */
function steps(wire: readonly unknown[], taken: readonly string[] = []): ModelEvent[][] {
  let fold = startFold({ endpoint, newId: countedIds("made"), taken: new Set(taken) });
  const all: ModelEvent[][] = [];
  for (const event of wire) {
    const step = foldEvent(fold, event);
    fold = step.fold;
    all.push([...step.events]);
    if (isOver(step.events)) return all;
  }
  return [...all, foldEnd(fold)];
}

const events = (wire: readonly unknown[], taken?: readonly string[]): ModelEvent[] => steps(wire, taken).flat();
const call = (id: string, name: string, text: string): ModelEvent => ({
  type: "call",
  call: { id, name, arguments: text },
});
const start = (id: string, name: string): ModelEvent => ({ type: "call:start", id, name });
const piece = (id: string, text: string): ModelEvent => ({ type: "call:delta", id, text });
const finish = (reason: string): unknown => ({ type: "finish", reason });
const text = (words: string): unknown => ({ type: "text", text: words });
const thinking = (words: string): unknown => ({ type: "thinking", text: words });
const used: ModelEvent = { type: "usage", usage: { input: 10, output: 5, cached: 4, reasoning: 2 } };
const callsOf = (list: readonly ModelEvent[]): ModelEvent[] => list.filter(({ type }) => type === "call");
const wordsOf = (list: readonly ModelEvent[], type: "text" | "thinking"): string =>
  list.map((event) => (event.type === type ? event.text : "")).join("");

/** The failure that ends a reply; there is no other end beside it. */
function failureIn(list: readonly ModelEvent[]): Extract<ModelEvent, { type: "error" }> {
  const last = list.at(-1);
  assert.ok(last?.type === "error");
  assert.equal(list.filter(({ type }) => type === "error" || type === "finish").length, 1);
  return last;
}

const open = (id: string, name: string, index = 0): object =>
  added(index, callItem(id, name, "", { status: "in_progress" }));
const a = ["fc_a", 0] as const;

describe("openaiResponses fold", () => {
  it("streams text, and gives usage and the end with the reply's last event", () => {
    assert.deepEqual(
      steps([
        { type: "response.created", response: { status: "in_progress", output: [] } },
        added(0, message("m", "", { content: [] })),
        textDelta(["m", 0], "Hel"),
        textDelta(["m", 0], "lo"),
        { type: "response.output_text.done", item_id: "m", output_index: 0, text: "Hello" },
        done(0, message("m", "Hello")),
        completed([message("m", "Hello")]),
      ]),
      [[], [], [text("Hel")], [text("lo")], [], [], [used, finish("stop")]],
    );
  });

  it("announces a call when its item begins and gives it when its arguments end, once (C-47)", () => {
    assert.deepEqual(
      steps([
        open("a", "read_file"),
        argumentsDelta(a, '{"path":'),
        argumentsDelta(a, '"x"}'),
        argumentsDone(a, '{"path":"x"}'),
        done(0, callItem("a", "read_file", '{"path":"x"}')),
        completed([callItem("a", "read_file", '{"path":"x"}')]),
      ]).slice(0, 5),
      [
        [start("a", "read_file")],
        [piece("a", '{"path":')],
        [piece("a", '"x"}')],
        [call("a", "read_file", '{"path":"x"}')],
        [],
      ],
    );
  });

  it("gives a call at the end of its item when that comes first, and never because its JSON parses (C-47)", () => {
    const got = steps([
      open("a", "f"),
      argumentsDelta(a, "{}"),
      argumentsDelta(a, ""),
      done(0, callItem("a", "f", "{}")),
      argumentsDone(a, "{}"),
      completed(),
    ]);
    assert.deepEqual(
      got.map((list) => callsOf(list).length),
      [0, 0, 0, 1, 0, 0],
    );
    assert.deepEqual(got.flat().at(-1), finish("calls"));
  });

  for (const [what, pieces, end] of [
    ["cut", '{"path":"sr', '{"path":"sr'],
    ["empty", "", ""],
    ["other than their pieces", '{"path":"src"}', "{}"],
  ] as const)
    it(`does not believe an end of arguments that are ${what}: the item's end decides (C-47)`, () => {
      const got = steps([
        open("a", "f"),
        argumentsDelta(a, pieces),
        argumentsDone(a, end),
        done(0, callItem("a", "f", '{"path":"src"}')),
        completed(),
      ]);
      assert.deepEqual(
        got.map((list) => callsOf(list)),
        [[], [], [], [call("a", "f", '{"path":"src"}')], []],
      );
    });

  it("takes the pieces when the item's end does not repeat them, and no arguments for an empty object", () => {
    const got = events([
      open("a", "f"),
      argumentsDelta(a, '{"x":1}'),
      done(0, callItem("a", "f", "")),
      open("b", "now", 1),
      done(1, callItem("b", "now", "")),
      completed(),
    ]);
    assert.deepEqual(callsOf(got), [call("a", "f", '{"x":1}'), call("b", "now", "{}")]);
  });

  it("gives what the model wrote badly when the wire says that it is complete: the model is told", () => {
    const got = events([open("a", "f"), argumentsDelta(a, '{"x":'), done(0, callItem("a", "f", '{"x":')), completed()]);
    assert.deepEqual(callsOf(got), [call("a", "f", '{"x":')]);
  });

  it("takes arguments that came as an object, or whole at the start", () => {
    const got = events([
      done(0, { ...callItem("a", "f", ""), arguments: { x: 1 } }),
      added(1, callItem("b", "g", '{"y":2}')),
      done(1, callItem("b", "g", "")),
      completed(),
    ]);
    assert.deepEqual(callsOf(got), [call("a", "f", '{"x":1}'), call("b", "g", '{"y":2}')]);
  });

  it("keeps calls apart that are written at the same time", () => {
    const b = ["fc_b", 1] as const;
    const got = events([
      open("a", "f"),
      open("b", "g", 1),
      argumentsDelta(b, '{"b":'),
      argumentsDelta(a, '{"a":1}'),
      argumentsDelta(b, "2}"),
      argumentsDone(b, '{"b":2}'),
      argumentsDone(a, '{"a":1}'),
      done(1, callItem("b", "g", '{"b":2}')),
      done(0, callItem("a", "f", '{"a":1}')),
      completed(),
    ]);
    assert.deepEqual(callsOf(got), [call("b", "g", '{"b":2}'), call("a", "f", '{"a":1}')]);
  });

  for (const [what, after] of Object.entries({
    "more of them": argumentsDelta(a, ',"y":2}'),
    "another end of them": argumentsDone(a, '{"x":2}'),
    "an item with others": done(0, callItem("a", "f", '{"x":1,"y":2}')),
    "an item that is incomplete": done(0, callItem("a", "f", '{"x":1}', { status: "incomplete" })),
  }))
    it(`reports ${what} after the arguments were given out, and does not give the call twice (C-47)`, () => {
      const got = events([
        open("a", "f"),
        argumentsDelta(a, '{"x":1}'),
        argumentsDone(a, '{"x":1}'),
        after,
        completed(),
      ]);
      assert.deepEqual(callsOf(got), [call("a", "f", '{"x":1}')]);
      const { failure, retryable } = failureIn(got);
      assert.equal(failure.message, "models.example mixed up the parts of its calls.");
      assert.ok(retryable);
    });

  it("does not choose between two whole objects that differ", () => {
    const got = events([
      open("a", "f"),
      argumentsDelta(a, '{"path":"src"}'),
      done(0, callItem("a", "f", "{}")),
      completed(),
    ]);
    assert.deepEqual(callsOf(got), []);
    assert.equal(failureIn(got).failure.code, "reply_malformed");
  });

  it("takes arguments that only look different for the same", () => {
    const got = events([
      open("a", "f"),
      argumentsDelta(a, '{"x": 1, "y": {"b": 2, "a": 1}}'),
      argumentsDone(a, '{"x": 1, "y": {"b": 2, "a": 1}}'),
      done(0, callItem("a", "f", '{"y":{"a":1,"b":2},"x":1}')),
      completed(),
    ]);
    assert.deepEqual(callsOf(got), [call("a", "f", '{"x": 1, "y": {"b": 2, "a": 1}}')]);
    assert.deepEqual(got.at(-1), finish("calls"));
  });

  it("makes up ids where the server gave none, one twice, or one that the conversation already has", () => {
    const item = (callId: string, id: string): object => callItem(callId, "f", "{}", { id });
    const got = events(
      [
        added(0, item("call_0", "1")),
        added(1, item("x", "2")),
        added(2, item("x", "3")),
        done(0, item("call_0", "1")),
        done(1, item("x", "2")),
        done(2, item("x", "3")),
        done(3, item("", "4")),
        completed(),
      ],
      ["call_0"],
    );
    assert.deepEqual(
      callsOf(got),
      ["made-1", "x", "made-2", "made-3"].map((id) => call(id, "f", "{}")),
    );
  });
});

describe("openaiResponses fold, on servers that do it their way", () => {
  const bare = (item: object): object => ({ ...item, id: undefined });
  const endings: Record<string, readonly object[]> = {
    "only ends items": [
      done(0, message("m", "Hi")),
      done(1, callItem("a", "f", '{"x":1}')),
      done(2, callItem("b", "f", '{"x":2}')),
      completed(),
    ],
    "only closes the reply": [
      completed([message("m", "Hi"), callItem("a", "f", '{"x":1}'), callItem("b", "f", '{"x":2}')]),
    ],
    "gives no ids and no indexes": [
      { type: "response.output_text.delta", delta: "H" },
      { type: "response.output_text.delta", delta: "i" },
      { type: "response.output_item.done", item: bare(message("m", "Hi")) },
      { type: "response.output_item.added", item: bare(callItem("a", "f", "")) },
      { type: "response.function_call_arguments.delta", delta: '{"x":1}' },
      { type: "response.function_call_arguments.done", arguments: '{"x":1}' },
      { type: "response.output_item.done", item: bare(callItem("a", "f", '{"x":1}')) },
      { type: "response.output_item.added", item: bare(callItem("b", "f", "")) },
      { type: "response.function_call_arguments.delta", delta: '{"x":2}' },
      { type: "response.output_item.done", item: bare(callItem("b", "f", '{"x":2}')) },
      completed(),
    ],
    "gives a new id with every event": [
      added(0, message("1", "")),
      textDelta(["2", 0], "H"),
      textDelta(["3", 0], "i"),
      done(0, message("4", "Hi")),
      added(1, callItem("a", "f", "", { id: "5" })),
      argumentsDelta(["6", 1], '{"x":1}'),
      argumentsDone(["7", 1], '{"x":1}'),
      done(1, callItem("a", "f", '{"x":1}', { id: "8" })),
      added(2, callItem("b", "f", "", { id: "9" })),
      done(2, callItem("b", "f", '{"x":2}', { id: "10" })),
      completed([
        message("11", "Hi"),
        callItem("a", "f", '{"x":1}', { id: "12" }),
        callItem("b", "f", '{"x":2}', { id: "13" }),
      ]),
    ],
    "counts every item as the first": [
      textDelta(["m", 0], "Hi"),
      added(0, callItem("a", "f", "")),
      added(0, callItem("b", "f", "")),
      done(0, callItem("a", "f", '{"x":1}')),
      done(0, callItem("b", "f", '{"x":2}')),
      completed(),
    ],
    "sends pieces before the item they are of": [
      textDelta(["m", 0], "Hi"),
      argumentsDelta(["fc_a", 1], '{"x":1}'),
      done(1, callItem("a", "f", '{"x":1}')),
      argumentsDone(["fc_b", 2], '{"x":2}'),
      done(2, callItem("b", "f", "")),
      completed(),
    ],
    "says its end in other words": [
      done(0, message("m", "Hi")),
      done(1, callItem("a", "f", '{"x":1}')),
      done(2, callItem("b", "f", '{"x":2}')),
      { type: "response.done", response: { status: "complete" } },
    ],
  };
  for (const [what, wire] of Object.entries(endings))
    it(`reads the same reply from one that ${what}`, () => {
      const got = events(wire);
      assert.equal(wordsOf(got, "text"), "Hi");
      assert.deepEqual(callsOf(got), [call("a", "f", '{"x":1}'), call("b", "f", '{"x":2}')]);
      assert.deepEqual(
        got.flatMap((event) => (event.type === "call:start" ? [event.id] : [])),
        ["a", "b"],
      );
      assert.deepEqual(got.at(-1), finish("calls"));
    });

  it("never takes one tool's arguments for another's", () => {
    const got = events([open("a", "f"), done(0, callItem("x", "g", '{"x":1}', { id: "" })), completed()]);
    assert.deepEqual(callsOf(got), [call("x", "g", '{"x":1}')]);
    assert.match(failureIn(got).failure.message, /in the middle of a call/);
  });

  it("gives no call twice, none with half its arguments and none unannounced, whichever events are lost (C-47)", () => {
    const texts = { a: '{"path":"src/a.ts","lines":12}', b: '{"query":"","deep":{"a":[1,2]}}' };
    const one = (id: "a" | "b", index: number): object[] => [
      open(id, "f", index),
      ...(texts[id].match(/.{1,4}/g) ?? []).map((piece) => argumentsDelta([`fc_${id}`, index], piece)),
      argumentsDone([`fc_${id}`, index], texts[id]),
      done(index, callItem(id, "f", texts[id])),
    ];
    const items = [callItem("a", "f", texts.a), callItem("b", "f", texts.b)];
    const whole = [...one("a", 0), textDelta(["m", 1], "Hi"), ...one("b", 2), completed(items)];
    fc.assert(
      fc.property(fc.subarray(whole), (wire) => {
        const got = events(wire);
        const calls = got.flatMap((event) => (event.type === "call" ? [event.call] : []));
        assert.equal(new Set(calls.map(({ id }) => id)).size, calls.length);
        for (const { id, name, arguments: given } of calls) {
          assert.equal(given, id === "a" ? texts.a : texts.b);
          assert.ok(got.some((event) => event.type === "call:start" && event.id === id && event.name === name));
        }
        assert.equal(got.filter(({ type }) => type === "finish" || type === "error").length, 1);
        // A reply that is called complete has both calls, or is none.
        if (got.at(-1)?.type === "finish") assert.equal(calls.length, 2);
      }),
      { numRuns: 500 },
    );
  });

  it("breaks off where it could only guess whose arguments these are", () => {
    const got = events([
      added(0, bare(callItem("a", "f", ""))),
      added(0, bare(callItem("b", "f", ""))),
      argumentsDone(["", 0], '{"x":1}'),
      done(0, bare(callItem("a", "f", '{"x":1}'))),
      done(0, bare(callItem("b", "f", '{"x":2}'))),
      completed(),
    ]);
    assert.deepEqual(callsOf(got), [call("a", "f", '{"x":1}')]);
    assert.match(failureIn(got).failure.message, /mixed up the parts of its calls/);
  });

  it("tells of a free-form call that was never offered as of any other unknown tool", () => {
    const item = { type: "custom_tool_call", id: "ct", call_id: "a", name: "sql", input: "SELECT 1" };
    const got = events([added(0, { ...item, input: "" }), done(0, item), completed([item])]);
    assert.deepEqual(callsOf(got), [call("a", "sql", '{"input":"SELECT 1"}')]);
  });

  it("says so when a call has no name", () => {
    assert.match(failureIn(events([done(0, callItem("a", "", "{}"))])).failure.message, /a call without a name/);
  });

  it("ignores pings, unknown events and items, and odd shapes", () => {
    const odd = [{ type: "ping" }, null, 7, "x", [], {}, added(0, {}), done(0, { type: "web_search_call" })];
    const nulls = [
      { type: "response.output_item.added", item: null },
      { type: "response.output_text.delta", delta: null },
      { type: "response.function_call_arguments.delta", delta: 3, item_id: null, output_index: null },
    ];
    assert.deepEqual(events([...odd, ...nulls.slice(0, 2), completed([], { output: null })]), [used, finish("stop")]);
    assert.match(failureIn(events([...nulls, completed()])).failure.message, /in the middle of a call/);
  });
});

describe("openaiResponses fold, words", () => {
  it("sets the messages of one reply apart", () => {
    const got = events([
      textDelta(["m", 0], "I look."),
      done(0, message("m", "I look.")),
      textDelta(["n", 1], "Do"),
      textDelta(["n", 1], "ne."),
      done(1, message("n", "Done.")),
      completed(),
    ]);
    assert.deepEqual(got.slice(0, 3), [text("I look."), text("\n\nDo"), text("ne.")]);
  });

  it("adds what pieces left out, and only that", () => {
    const got = events([
      textDelta(["m", 0], "Hel"),
      done(0, message("m", "Hello")),
      completed([message("m", "Hello")]),
    ]);
    assert.equal(wordsOf(got, "text"), "Hello");
  });

  it("shows summaries part by part, and items of reasoning apart", () => {
    const got = events([
      added(0, reasoning("r", "")),
      summaryDelta(["r", 0], 0, "One"),
      summaryDelta(["r", 0], 1, "Tw"),
      summaryDelta(["r", 0], 1, "o"),
      done(0, reasoning("r", "e", "One", "Two")),
      done(1, reasoning("s", "e", "Three")),
      completed([reasoning("r", "e", "One", "Two"), reasoning("s", "e", "Three")]),
    ]);
    assert.equal(wordsOf(got, "thinking"), "One\n\nTwo\n\nThree");
  });

  it("shows reasoning in clear, and not its summary a second time", () => {
    const got = events([
      { type: "response.reasoning_text.delta", item_id: "r", output_index: 0, content_index: 0, delta: "Why" },
      summaryDelta(["r", 0], 0, "Because"),
      done(0, reasoning("r", "", "Because")),
      completed(),
    ]);
    assert.deepEqual(got[0], thinking("Why"));
    assert.equal(wordsOf(got, "thinking"), "Why");
  });

  it("shows a refusal as text and finishes with it, streamed or not", () => {
    const refused = { ...message("m", ""), content: [{ type: "refusal", refusal: "I can't." }] };
    const streamed = [{ type: "response.refusal.delta", item_id: "m", output_index: 0, delta: "I can't." }];
    for (const wire of [[...streamed, done(0, refused)], streamed, [done(0, refused)], []])
      assert.deepEqual(events([...wire, completed([refused])]), [text("I can't."), used, finish("refusal")]);
  });
});

describe("openaiResponses fold, ends", () => {
  const incomplete = (reason: unknown, output: readonly object[] = []): object => ({
    type: "response.incomplete",
    response: { status: "incomplete", incomplete_details: reason === undefined ? null : { reason }, output },
  });

  for (const [reason, expected] of [
    ["max_output_tokens", "length"],
    ["content_filter", "refusal"],
    ["something new", "length"],
    [undefined, "length"],
  ] as const)
    it(`reads a reply that is incomplete for “${reason}” as ${expected}`, () => {
      assert.deepEqual(events([textDelta(["m", 0], "Hi"), incomplete(reason)]), [text("Hi"), finish(expected)]);
    });

  it("does not give out a call that the length limit cut, though it gives those before it", () => {
    const cutOff = callItem("b", "g", '{"path":"src', { status: "incomplete" });
    const before = [
      open("a", "f"),
      done(0, callItem("a", "f", "{}")),
      open("b", "g", 1),
      argumentsDelta(["fc_b", 1], '{"path":"src'),
    ];
    for (const after of [[], [done(1, cutOff)]])
      for (const output of [
        [],
        [callItem("a", "f", "{}"), cutOff],
        [callItem("a", "f", "{}"), { ...cutOff, status: null }],
      ]) {
        const got = events([...before, ...after, incomplete("max_output_tokens", output)]);
        assert.deepEqual(callsOf(got), [call("a", "f", "{}")]);
        assert.deepEqual(got.at(-1), finish("length"));
      }
  });

  it("does not give out a half call when the stream breaks off, and says so", () => {
    const got = events([open("a", "f"), argumentsDelta(a, '{"x":1}')]);
    assert.deepEqual(callsOf(got), []);
    const { failure, retryable } = failureIn(got);
    assert.ok(retryable);
    assert.equal(failure.code, "reply_malformed");
    assert.match(failure.message, /^models\.example broke off/);
  });

  it("says so when the server calls a reply complete in which a call is not", () => {
    const got = events([open("a", "f"), argumentsDelta(a, '{"x":1}'), completed()]);
    assert.deepEqual(callsOf(got), []);
    assert.match(failureIn(got).failure.message, /ended its reply in the middle of a call/);
    assert.deepEqual(got.at(-2), used);
  });

  for (const [what, error, code, retryable] of [
    ["server_error", { code: "server_error", message: "Oops, key sk-secret" }, "provider_failed", true],
    ["rate_limit_exceeded", { code: "rate_limit_exceeded", message: "Slow, key sk-secret" }, "rate_limited", true],
    ["invalid_prompt", { code: "invalid_prompt", message: "No" }, "request_refused", false],
    ["invalid_image_format", { code: "invalid_image_format", message: "No" }, "request_refused", false],
    ["context_length_exceeded", { code: "context_length_exceeded", message: "Too long" }, "context_overflow", false],
    ["insufficient_quota", { code: "insufficient_quota", message: "Pay" }, "quota_exhausted", false],
    ["nothing", null, "provider_failed", true],
  ] as const)
    it(`makes an error of a reply that failed for ${what}`, () => {
      const got = events([
        textDelta(["m", 0], "Hi"),
        { type: "response.failed", response: { status: "failed", error, usage: null } },
      ]);
      const last = failureIn(got);
      assert.deepEqual([last.failure.code, last.retryable], [code, retryable]);
      assert.match(last.failure.message, /models\.example|m-1/);
      assert.doesNotMatch(JSON.stringify(got), /sk-secret/);
    });

  for (const error of [
    { type: "error", code: "rate_limit_exceeded", message: "Slow, key sk-secret", param: null },
    { type: "error", error: { type: "rate_limit_error", message: "Slow, key sk-secret" } },
    { error: { code: 429, message: "Slow, key sk-secret" } },
  ])
    it(`makes an error of ${JSON.stringify(error)}, and stops there`, () => {
      const got = events([textDelta(["m", 0], "Hi"), error, completed()]);
      const { failure, retryable } = failureIn(got);
      assert.ok(retryable);
      assert.equal(failure.message, "models.example asks for a pause: Slow, key …");
    });
});

describe("openaiResponses fold, what is kept for the server (C-45)", () => {
  const keptIn = (list: readonly ModelEvent[]): unknown => {
    const found = list.filter((event) => event.type === "provider");
    assert.ok(found.length < 2);
    return found[0]?.data;
  };
  const why = reasoning("r", "secret", "Why");

  it("keeps reasoning, messages and the places of calls, in their order and as they came", () => {
    const said = message("m", "I look.", { phase: "commentary" });
    const got = events([
      added(0, reasoning("r", "sec")),
      done(0, why),
      done(1, said),
      done(2, callItem("a", "f", "{}")),
      done(3, reasoning("s", "more")),
      done(4, callItem("b", "g", "{}")),
      completed(),
    ]);
    assert.deepEqual(keptIn(got), {
      host: "models.example",
      items: [
        why,
        said,
        { type: "function_call", id: "fc_a", call_id: "a" },
        reasoning("s", "more"),
        { type: "function_call", id: "fc_b", call_id: "b" },
      ],
    });
    assert.equal(got.at(-2)?.type, "provider");
  });

  it("keeps calls by the ids that they have here", () => {
    const got = events([done(0, why), done(1, callItem("call_0", "f", "{}")), completed()], ["call_0"]);
    assert.partialDeepStrictEqual(keptIn(got), { items: [{ id: "r" }, { id: "fc_call_0", call_id: "made-1" }] });
  });

  it("keeps what is encrypted only at the reply's end", () => {
    const got = events([
      done(0, reasoning("r", "", "Why")),
      done(1, message("m", "So")),
      completed([why, message("m", "So")]),
    ]);
    assert.partialDeepStrictEqual(keptIn(got), { items: [why, { id: "m" }] });
  });

  it("drops an id that changed on the way: it names nothing", () => {
    const got = events([added(0, reasoning("1", "")), done(0, reasoning("2", "secret")), completed()]);
    assert.deepEqual(keptIn(got), {
      host: "models.example",
      items: [{ type: "reasoning", encrypted_content: "secret", summary: [] }],
    });
  });

  it("keeps nothing for a plain answer", () => {
    assert.equal(keptIn(events([done(0, message("m", "So")), completed()])), undefined);
  });

  it("keeps the reasoning of calls that were given out before the stream broke, and none of a reply without", () => {
    const before = [done(0, why), open("a", "f", 1), argumentsDelta(["fc_a", 1], '{"x":1}')];
    const expected = { host: "models.example", items: [why, { type: "function_call", id: "fc_a", call_id: "a" }] };
    assert.deepEqual(keptIn(events([...before, argumentsDone(["fc_a", 1], '{"x":1}')])), expected);
    assert.equal(keptIn(events(before)), undefined);
    assert.equal(keptIn(events([done(0, why), { type: "response.failed", response: {} }])), undefined);
  });
});
