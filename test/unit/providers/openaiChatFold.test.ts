// The fold alone: chunks as servers really send them, and the events they must become.
import assert from "node:assert/strict";
import type { ModelEvent } from "../../../src/engine/ports.ts";
import { foldChunk, foldEnd, isOver, startFold } from "../../../src/providers/openaiChatFold.ts";
import { countedIds } from "../../support/kit.ts";
import { callDelta, delta, summary } from "./chat.ts";

const endpoint = { host: "models.example", apiKey: "sk-secret", model: "m-1", now: () => 0 };

/** The events of each chunk, and those of the end. */
function steps(chunks: readonly unknown[], taken: readonly string[] = []): ModelEvent[][] {
  let fold = startFold({ endpoint, newId: countedIds("made"), taken: new Set(taken) });
  const all: ModelEvent[][] = [];
  for (const chunk of chunks) {
    const step = foldChunk(fold, chunk);
    fold = step.fold;
    all.push([...step.events]);
    if (isOver(step.events)) return all;
  }
  return [...all, foldEnd(fold)];
}

const events = (chunks: readonly unknown[], taken?: readonly string[]): ModelEvent[] => steps(chunks, taken).flat();
const call = (id: string, name: string, text: string): ModelEvent => ({
  type: "call",
  call: { id, name, arguments: text },
});
const start = (id: string, name: string): ModelEvent => ({ type: "call:start", id, name });
const piece = (id: string, text: string): ModelEvent => ({ type: "call:delta", id, text });
const finish = (reason: string): unknown => ({ type: "finish", reason });
const callsOf = (list: readonly ModelEvent[]): ModelEvent[] => list.filter(({ type }) => type === "call");

describe("openaiChat fold", () => {
  it("streams text, gives usage once and finishes last", () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 2 },
    };
    assert.deepEqual(
      steps([
        delta({ role: "assistant", content: "" }),
        delta({ content: "Hel" }),
        { ...delta({ content: "lo" }), usage: { prompt_tokens: 1, completion_tokens: 1 } },
        delta({}, "stop"),
        { choices: [], usage },
      ]),
      [
        [],
        [{ type: "text", text: "Hel" }],
        [{ type: "text", text: "lo" }],
        [],
        [],
        [
          { type: "usage", usage: { input: 10, output: 5, cached: 4, reasoning: 2 } },
          { type: "finish", reason: "stop" },
        ],
      ],
    );
  });

  it("completes a call at the next call's index, and the last at the finish reason, never because its JSON parses (C-47)", () => {
    assert.deepEqual(
      steps([
        callDelta([0, "a", "read_file", ""]),
        callDelta([0, undefined, undefined, "{}"]),
        callDelta([1, "b", "list_files", '{"path":']),
        callDelta([1, undefined, undefined, '"."}']),
        delta({}, "tool_calls"),
      ]),
      [
        [start("a", "read_file")],
        [piece("a", "{}")],
        [call("a", "read_file", "{}"), start("b", "list_files"), piece("b", '{"path":')],
        [piece("b", '"."}')],
        [call("b", "list_files", '{"path":"."}')],
        [finish("calls")],
      ],
    );
  });

  it("completes a call at following text, but not at blank text or at thinking (C-47)", () => {
    assert.deepEqual(
      steps([
        callDelta([0, "a", "f", '{"x":1}']),
        delta({ content: "\n" }),
        delta({ reasoning_content: "hm" }),
        delta({ content: "Now" }),
      ]).map((list) => callsOf(list).length),
      [0, 0, 0, 1, 0],
    );
  });

  it("keeps a call open when its own chunk carries text", () => {
    const both = {
      choices: [{ delta: { content: "so", tool_calls: [{ index: 0, function: { arguments: "1}" } }] } }],
    };
    assert.deepEqual(callsOf(events([callDelta([0, "a", "f", '{"x":']), both, delta({}, "tool_calls")])), [
      call("a", "f", '{"x":1}'),
    ]);
  });

  it("does not give out a call that the length limit cut, though it gives those before it", () => {
    const got = events([callDelta([0, "a", "f", "{}"]), callDelta([1, "b", "g", '{"path":"src']), delta({}, "length")]);
    assert.deepEqual(callsOf(got), [call("a", "f", "{}")]);
    assert.deepEqual(got.at(-1), finish("length"));
  });

  it("does not give out a half call when the stream breaks off, and says so", () => {
    const got = events([callDelta([0, "a", "f", '{"x":1}'])]);
    assert.deepEqual(callsOf(got), []);
    const last = got.at(-1);
    assert.ok(last?.type === "error" && last.retryable);
    assert.equal(last.failure.code, "reply_malformed");
    assert.match(last.failure.message, /^models\.example broke off/);
  });

  it("takes an empty text for no arguments", () => {
    assert.deepEqual(callsOf(events([callDelta([0, "a", "now", ""]), delta({}, "tool_calls")])), [
      call("a", "now", "{}"),
    ]);
  });

  it("takes arguments that came as an object", () => {
    const chunk = delta({ tool_calls: [{ index: 0, id: "a", function: { name: "f", arguments: { x: 1 } } }] });
    assert.deepEqual(callsOf(events([chunk, delta({}, "stop")])), [call("a", "f", '{"x":1}')]);
  });

  it("makes up ids where the server gave none, or one that the conversation already has", () => {
    const got = events(
      [callDelta([0, undefined, "f", "{}"], [1, "call_0", "g", "{}"], [2, "", "h", "{}"]), delta({}, "tool_calls")],
      ["call_0"],
    );
    assert.deepEqual(callsOf(got), [call("made-1", "f", "{}"), call("made-2", "g", "{}"), call("made-3", "h", "{}")]);
  });

  it("makes up ids for calls that share one", () => {
    const got = events([callDelta([0, "x", "f", "{}"], [1, "x", "f", "{}"]), delta({}, "tool_calls")]);
    assert.deepEqual(callsOf(got), [call("x", "f", "{}"), call("made-1", "f", "{}")]);
  });

  for (const [what, pieces] of Object.entries({
    "a new id": [
      [0, "a", "f", '{"n":1}'],
      [0, "b", "f", '{"n":2}'],
    ],
    "a new name": [
      [0, undefined, "f", '{"n":1}'],
      [0, undefined, "g", '{"n":2}'],
    ],
    "the same name and whole arguments": [
      [0, undefined, "f", '{"n":1}'],
      [0, undefined, "f", '{"n":2}'],
    ],
    "no index at all": [
      [undefined, "a", "f", '{"n":1}'],
      [undefined, "b", "f", '{"n":2}'],
    ],
  } as const))
    it(`sees a new call where index 0 is used again with ${what}`, () => {
      const got = callsOf(events([...pieces.map((piece) => callDelta(piece)), delta({}, "tool_calls")]));
      const texts = got.map((event) => (event.type === "call" ? event.call.arguments : ""));
      assert.deepEqual(texts, ['{"n":1}', '{"n":2}']);
    });

  for (const [what, again] of Object.entries({
    "repeats id and name with every piece": [0, "a", "f"],
    "gives a new id with every piece": [0, "other", undefined],
    "leaves out the index of later pieces": [undefined, undefined, undefined],
  } as const))
    it(`keeps one call together when a server ${what}`, () => {
      const [index, id, name] = again;
      const got = events([
        callDelta([0, "a", "f", '{"x":']),
        callDelta([index, id, name, '{"y":']),
        callDelta([index, id, name, "1}}"]),
        delta({}, "tool_calls"),
      ]);
      assert.deepEqual(callsOf(got), [call("a", "f", '{"x":{"y":1}}')]);
    });

  it("reports arguments that grow after their call was complete, and does not give the call twice (C-47)", () => {
    const got = events([
      callDelta([0, "a", "f", '{"x":']),
      callDelta([1, "b", "g", "{}"]),
      callDelta([0, undefined, undefined, "1}"]),
      delta({}, "tool_calls"),
    ]);
    assert.deepEqual(callsOf(got), [call("a", "f", '{"x":')]);
    const last = got.at(-1);
    assert.ok(last?.type === "error");
    assert.equal(last.failure.code, "reply_malformed");
    assert.equal(got.filter(({ type }) => type === "error" || type === "finish").length, 1);
  });

  it("ignores an empty echo of a complete call", () => {
    const got = events([
      callDelta([0, "a", "f", "{}"]),
      delta({ content: "Done." }),
      callDelta([0, "a", "f", ""]),
      callDelta([0, undefined, undefined, ""]),
      delta({}, "tool_calls"),
    ]);
    assert.deepEqual(callsOf(got), [call("a", "f", "{}")]);
    assert.deepEqual(got.at(-1), finish("calls"));
  });

  it("shows reasoning under either name, once, and as Mistral's parts", () => {
    const got = events([
      delta({ reasoning_content: "a" }),
      delta({ reasoning: "b" }),
      delta({ reasoning_content: "c", reasoning: "c" }),
      delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "d" }] }] }),
      delta({ content: [{ type: "text", text: "e" }] }),
    ]).slice(0, 5);
    assert.deepEqual(
      got,
      ["a", "b", "c", "d"].map((text): unknown => ({ type: "thinking", text })).concat([{ type: "text", text: "e" }]),
    );
  });

  it("keeps for the provider what it wants back with calls, and nothing for a plain answer", () => {
    const signed = {
      choices: [
        {
          delta: {
            tool_calls: [{ index: 0, id: "a", function: { name: "f", arguments: "{}" }, extra_content: { sign: "s" } }],
          },
        },
      ],
    };
    const got = events([delta({ reasoning_content: "why" }), signed, delta({}, "tool_calls")]);
    assert.deepEqual(got.at(-2), {
      type: "provider",
      data: { host: "models.example", thinking: "why", extra: { a: { sign: "s" } } },
    });
    const plain = events([delta({ reasoning_content: "why" }), delta({ content: "so" }, "stop")]);
    assert.ok(!plain.some(({ type }) => type === "provider"));
  });

  for (const [what, broken] of [
    ["an error", [{ error: { code: 500, message: "No." } }]],
    ["the end of the stream", []],
    ["arguments for a call that is complete", [delta({ content: "So." }), callDelta([0, "a", undefined, "{}"])]],
  ] as const)
    it(`C-05, C-45 keeps what the server wants back with calls, and what it has counted, before ${what}`, () => {
      const signed = delta({
        tool_calls: [{ index: 0, id: "a", function: { name: "f" }, extra_content: { sign: 1 } }],
      });
      const usage = { prompt_tokens: 3, completion_tokens: 2, cost: 0.5 };
      const got = events([{ ...signed, usage }, callDelta([1, "b", "g", '{"x']), ...broken]);
      assert.deepEqual(
        got.filter(({ type }) => type === "usage" || type === "provider" || type === "error").slice(0, -1),
        [
          { type: "usage", usage: { input: 3, output: 2 }, cost: 0.5 },
          { type: "provider", data: { host: "models.example", thinking: "", extra: { a: { sign: 1 } } } },
        ],
      );
      assert.equal(got.at(-1)?.type, "error");
    });

  it("C-47 does not end a reply well in whose middle of a call the stream ends, though a reason stood before that call", () => {
    const got = events([delta({ content: "I look." }, "stop"), callDelta([0, "a", "f", '{"path":'])]);
    assert.deepEqual(callsOf(got), []);
    assert.ok(got.at(-1)?.type === "error");
  });

  it("is one answer whatever numbers its parts have: a gateway counts the blocks of another wire there", () => {
    const of = (index: number, part: object, finish_reason: string | null = null): object => ({
      choices: [{ index, delta: part, finish_reason }],
    });
    const call = { index: 0, id: "a", function: { name: "f", arguments: "{}" } };
    const got = events([
      of(0, { reasoning_content: "Hm." }),
      of(1, { content: "I look." }),
      of(2, { tool_calls: [call] }),
      of(0, {}, "tool_calls"),
    ]);
    assert.deepEqual(summary(got), {
      text: "I look.",
      thinking: "Hm.",
      calls: [{ name: "f", arguments: "{}" }],
      usage: undefined,
      end: finish("calls"),
    });
  });

  it("shows a refusal as text and finishes with it", () => {
    const got = events([delta({ refusal: "I can't" }), delta({ refusal: " do that." }), delta({}, "stop")]);
    assert.deepEqual(got, [{ type: "text", text: "I can't" }, { type: "text", text: " do that." }, finish("refusal")]);
  });

  for (const [reason, calls, expected] of [
    ["stop", false, "stop"],
    ["eos", false, "stop"],
    ["tool_calls", true, "calls"],
    ["function_call", true, "calls"],
    ["stop", true, "calls"],
    ["tool_calls", false, "stop"],
    ["length", false, "length"],
    ["max_tokens", false, "length"],
    ["content_filter", false, "refusal"],
    ["model_length", false, "length"],
    ["sensitive", false, "refusal"],
    ["SAFETY", false, "refusal"],
    ["content_filter: PROHIBITED_CONTENT", false, "refusal"],
  ] as const)
    it(`reads “${reason}” ${calls ? "with" : "without"} calls as ${expected}`, () => {
      const before = calls ? [callDelta([0, "a", "f", "{}"])] : [delta({ content: "x" })];
      assert.deepEqual(events([...before, delta({}, reason)]).at(-1), finish(expected));
    });

  it("makes an error of an error that comes in the stream, and stops there", () => {
    const got = events([
      delta({ content: "Hi" }),
      { error: { code: 429, message: "Rate limited, key sk-secret" } },
      delta({}, "stop"),
    ]);
    assert.equal(got.length, 2);
    const last = got.at(-1);
    assert.ok(last?.type === "error" && last.retryable);
    assert.equal(last.failure.code, "rate_limited");
    assert.equal(last.failure.message, "models.example asks for a pause: Rate limited, key …");
  });

  for (const [reason, code] of [
    ["error", "provider_failed"],
    ["network_error", "provider_failed"],
    ["abort", "provider_failed"],
    ["function_call_filter: MALFORMED_FUNCTION_CALL", "reply_malformed"],
  ] as const)
    it(`makes an error of the finish reason “${reason}”, and no call of what is half`, () => {
      const got = events([callDelta([0, "a", "f", '{"pa']), delta({}, reason)]);
      const last = got.at(-1);
      assert.ok(last?.type === "error" && last.retryable);
      assert.equal(last.failure.code, code);
      assert.ok(got.every(({ type }) => type !== "call"));
    });

  it("reads counts below zero as none", () => {
    const usage = { prompt_tokens: -1, completion_tokens: 2, prompt_tokens_details: { cached_tokens: -1 }, cost: -1 };
    assert.deepEqual(events([{ usage }, delta({}, "stop")])[0], { type: "usage", usage: { input: 0, output: 2 } });
  });

  it("ignores pings, unknown events and odd shapes", () => {
    const odd = [
      { error: "" },
      { error: false, choices: [{ error: 0 }] },
      { type: "ping" },
      null,
      7,
      "x",
      [],
      { choices: null },
      { choices: [null] },
      { choices: [{ delta: null }] },
    ];
    assert.deepEqual(
      events([
        ...odd,
        delta({ content: null, tool_calls: null }),
        delta({ tool_calls: [null] }),
        delta({}, ""),
        delta({}, "stop"),
      ]),
      [finish("stop")],
    );
  });
});
