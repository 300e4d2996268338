// The request alone: what of a conversation goes out on the Responses wire, and what stays.
import assert from "node:assert/strict";
import type { ModelRequest } from "../../../src/engine/ports.ts";
import type { Message } from "../../../src/protocol/messages.ts";
import { afterRefusal } from "../../../src/providers/openaiResponsesRefused.ts";
import { all, toRequest, type Accepted } from "../../../src/providers/openaiResponsesRequest.ts";
import { recordOf } from "../../../src/providers/wireValue.ts";
import { assistant, hello, tool, toolNamed, user } from "./chat.ts";
import { message, reasoning } from "./responses.ts";

const host = "models.example";

function inputOf(messages: readonly Message[], accepted: Partial<Accepted> = {}): unknown {
  const request: ModelRequest = { ...hello, messages };
  return toRequest(request, { model: "m-1", host, accepted: { ...all, ...accepted } }).input;
}

const call = (id: string, text = "{}") => ({ id, name: "f", arguments: text });
const wireCall = (id: string, more = {}): object => ({
  type: "function_call",
  call_id: id,
  name: "f",
  arguments: "{}",
  ...more,
});
const place = (id: string): object => ({ type: "function_call", call_id: id, id: `fc_${id}` });
const kept = (...items: readonly object[]): object => ({ providerData: { host, items } });
const words = (text: string): object => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text }],
});
const why = reasoning("r", "secret", "Why");

describe("openaiResponses request", () => {
  it("has the conversation in the wire's shape, stores nothing, and sets no limit of tokens (C-44)", () => {
    const messages = [
      user("Do it"),
      assistant("I look.", [call("a", '{"x":1}'), call("b", '{"torn'), call("c", "[1]")]),
      tool("a", "one"),
      tool("b", "two"),
      tool("c", ""),
      assistant(""),
      assistant("Done."),
    ];
    assert.deepEqual(
      toRequest({ system: "Be short.", messages, tools: [toolNamed("f")] }, { model: "m-1", host, accepted: all }),
      {
        model: "m-1",
        instructions: "Be short.",
        input: [
          { role: "user", content: "Do it" },
          words("I look."),
          wireCall("a", { arguments: '{"x":1}' }),
          wireCall("b"),
          wireCall("c"),
          { type: "function_call_output", call_id: "a", output: "one" },
          { type: "function_call_output", call_id: "b", output: "two" },
          { type: "function_call_output", call_id: "c", output: "" },
          words("Done."),
        ],
        tools: [
          {
            type: "function",
            name: "f",
            description: "Does f.",
            parameters: { type: "object", properties: { path: { type: "string" } } },
            strict: false,
          },
        ],
        include: ["reasoning.encrypted_content"],
        store: false,
        stream: true,
      },
    );
  });

  it("leaves out tools when there are none, and instructions without words", () => {
    const body = toRequest({ system: "", messages: [user("Hello")], tools: [] }, { model: "m-1", host, accepted: all });
    assert.deepEqual(Object.keys(body).toSorted(), ["include", "input", "model", "store", "stream"]);
  });

  it("PROMPTY-9.4-6 gives every item back to its server in the order in which it wrote them (C-45)", () => {
    const said = message("m", "I look.", { phase: "commentary" });
    const reply = assistant(
      "I look.",
      [call("a"), call("b")],
      kept(why, said, place("a"), reasoning("s", "more"), place("b")),
    );
    assert.deepEqual(inputOf([user("Go"), reply, tool("a", "1"), tool("b", "2")]), [
      { role: "user", content: "Go" },
      why,
      { ...said, content: [{ type: "output_text", text: "I look.", annotations: [] }] },
      wireCall("a", { id: "fc_a" }),
      reasoning("s", "more"),
      wireCall("b", { id: "fc_b" }),
      { type: "function_call_output", call_id: "a", output: "1" },
      { type: "function_call_output", call_id: "b", output: "2" },
    ]);
  });

  it("gives nothing of it to another server, which gets the words and the calls (C-45)", () => {
    const elsewhere = { providerData: { host: "elsewhere.example", items: [why, message("m", "Hm"), place("a")] } };
    const chat = { providerData: { host, thinking: "why", extra: { a: { s: 1 } } } };
    for (const more of [elsewhere, chat, { providerData: "odd" }, { providerData: { host, items: "odd" } }, {}])
      assert.deepEqual(inputOf([assistant("Hm", [call("a")], more)]), [words("Hm"), wireCall("a")]);
  });

  it("keeps the reasoning in clear of servers that do not encrypt it, without its status", () => {
    const clear = { type: "reasoning", id: "r", summary: [], content: [{ type: "reasoning_text", text: "Why" }] };
    assert.deepEqual(inputOf([assistant("", [call("a")], kept({ ...clear, status: "completed" }, place("a")))]), [
      clear,
      wireCall("a", { id: "fc_a" }),
    ]);
  });

  it("leaves out reasoning that says nothing, and then the ids of what depends on it", () => {
    const empty = {
      type: "reasoning",
      id: "r",
      encrypted_content: null,
      summary: [{ type: "summary_text", text: "Why" }],
    };
    assert.deepEqual(inputOf([assistant("", [call("a")], kept(empty, place("a")))]), [wireCall("a")]);
  });

  it("leaves out reasoning behind which nothing follows: servers refuse it", () => {
    const reply = assistant("", [call("a")], kept(why, place("a"), reasoning("s", "more")));
    assert.deepEqual(inputOf([reply]), [why, wireCall("a", { id: "fc_a" })]);
  });

  it("sends the words and calls alone when they are no longer what was kept", () => {
    const items = [why, message("m", "I look."), place("a")];
    const changed: readonly Message[] = [
      assistant("I looked.", [call("a")], kept(...items)),
      assistant("I look.", [], kept(...items)),
      assistant("I look.", [call("a"), call("b")], kept(...items)),
      assistant("I look.", [call("b")], kept(...items)),
    ];
    for (const reply of changed) assert.doesNotMatch(JSON.stringify(inputOf([reply])), /reasoning|"id"/);
  });

  it("puts several messages of one reply back apart", () => {
    const items = [message("m", "One"), message("n", ""), message("o", "Two", { phase: "final_answer" })];
    assert.partialDeepStrictEqual(inputOf([assistant("One\n\nTwo", [], kept(...items))]), [
      { id: "m" },
      { id: "n" },
      { id: "o", phase: "final_answer" },
    ]);
  });

  for (const [thinks, effort, expected] of [
    [true, "default", { summary: "auto" }],
    [true, "high", { effort: "high", summary: "auto" }],
    [false, "none", { effort: "none" }],
    [false, "default", undefined],
  ] as const)
    it(`asks a model that ${thinks ? "may think" : "does not think"} with effort ${effort} for what there is`, () => {
      const options = { model: "m-1", host, accepted: all, reply: { effort }, thinks };
      assert.deepEqual(recordOf(toRequest(hello, options))["reasoning"], expected);
    });

  it("leaves out what the server does not take", () => {
    const reply = assistant("", [call("a")], kept(why, place("a")));
    assert.deepEqual(inputOf([reply], { itemIds: false }), [without(why, "id"), wireCall("a")]);
    assert.deepEqual(inputOf([reply], { reasoning: false }), [wireCall("a")]);
    const { include } = toRequest(hello, { model: "m-1", host, accepted: { ...all, include: false } });
    assert.equal(include, undefined);
  });
});

describe("openaiResponses refusals", () => {
  const refusal = (status: number, error: object): object => ({ status, error });

  for (const [message_, expected] of [
    ["Encrypted content is not supported with this model.", { include: false }],
    ["Unsupported parameter: 'include'", { include: false }],
    ["The encrypted content gAAA could not be verified.", { reasoning: false }],
    ["Reasoning input items can only be provided to a reasoning model.", { reasoning: false }],
    ["Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.", { itemIds: false }],
    ["Item 'rs_1' of type 'reasoning' was provided without its required following item.", { itemIds: false }],
  ] as const)
    it(`goes on without what is refused: ${message_}`, () => {
      for (const status of [400, 404])
        assert.deepEqual(afterRefusal(refusal(status, { message: message_ }), all), expected);
    });

  it("asks once for each, and lets every other refusal stand", () => {
    const gone = { message: "Item with id 'rs_1' not found." };
    assert.equal(afterRefusal(refusal(400, gone), { ...all, itemIds: false }), null);
    assert.equal(afterRefusal(refusal(500, gone), all), null);
    assert.equal(afterRefusal(refusal(400, { message: "Bad temperature" }), all), null);
    assert.equal(afterRefusal(new TypeError("fetch failed"), all), null);
    assert.equal(afterRefusal(undefined, all), null);
  });
});

function without(item: object, name: string): object {
  return Object.fromEntries(Object.entries(item).filter(([key]) => key !== name));
}
