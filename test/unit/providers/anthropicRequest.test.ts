// The body alone: conversations as Brain keeps them, and what the Messages API must be sent for them.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { ModelRequest } from "../../../src/engine/ports.ts";
import type { AssistantEntry, Message } from "../../../src/protocol/messages.ts";
import { toRequest, type RequestOptions, type WireRequest } from "../../../src/providers/anthropicRequest.ts";
import type { WireRecord } from "../../../src/providers/wireValue.ts";
import { assistant, tool, toolNamed, user } from "./chat.ts";

const mark = { cache_control: { type: "ephemeral" } };
const options: RequestOptions = { model: "m-1", host: "models.example", maxTokens: 1000, distrusted: new Set() };

function built(messages: readonly Message[], more: Partial<ModelRequest & RequestOptions> = {}): WireRequest {
  const { system = "Be short.", tools = [toolNamed("f")], ...rest } = more;
  return toRequest({ system, messages, tools }, { ...options, ...rest });
}

/** The messages without the marks of the cache. */
function sent(messages: readonly Message[], more: Partial<ModelRequest & RequestOptions> = {}): object[] {
  return built(messages, more).body.messages.map(({ role, content }) => ({
    role,
    content: content.map(({ cache_control: _mark, ...block }) => block),
  }));
}

const call = (id: string, text = "{}", name = "f") => ({ id, name, arguments: text });
const failedTool = (id: string, content: string, status: string): Message =>
  Object.assign(tool(id, content), { status });
const result = (id: string, content: string, more: object = {}): object => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...more,
});
const use = (id: string, input: object = {}, name = "f"): WireRecord => ({ type: "tool_use", id, name, input });
const text = (words: string): WireRecord => ({ type: "text", text: words });
const thought = { type: "thinking", thinking: "Hm.", signature: "signed" };

/** The reply to a request, kept as the fold keeps it. */
function reply(before: readonly Message[], blocks: readonly WireRecord[], more: Partial<ModelRequest> = {}): Message {
  const { seal } = built(before, more);
  const words = blocks.map((block) => (typeof block["text"] === "string" ? block["text"] : "")).join("");
  const calls = blocks
    .filter(({ type }) => type === "tool_use")
    .map(({ id, input }) => call(String(id), JSON.stringify(input)));
  return assistant(words, calls, { providerData: { host: "models.example", seal, blocks } });
}

describe("anthropic request", () => {
  it("has system and tools with a mark each, and marks on the last two messages of the user", () => {
    const messages = [
      user("Old"),
      assistant("", [call("a", '{"x":1}')]),
      tool("a", "one"),
      assistant("", [call("b")]),
      tool("b", "two"),
    ];
    // Long enough to be kept by the server.
    const system = "Be short. ".repeat(300).trim();
    assert.deepEqual(built(messages, { system }).body, {
      model: "m-1",
      max_tokens: 1000,
      tools: [
        {
          name: "f",
          description: "Does f.",
          input_schema: { type: "object", properties: { path: { type: "string" } } },
          ...mark,
        },
      ],
      system: [{ type: "text", text: system, ...mark }],
      messages: [
        { role: "user", content: [text("Old")] },
        { role: "assistant", content: [use("a", { x: 1 })] },
        { role: "user", content: [result("a", "one", mark)] },
        { role: "assistant", content: [use("b")] },
        { role: "user", content: [result("b", "two", mark)] },
      ],
      stream: true,
    });
  });

  it("has no marks, and the system as plain text, in a request too short for any server to keep", () => {
    const { body } = built([user("Hi")]);
    assert.equal(body.system, "Be short.");
    assert.doesNotMatch(JSON.stringify(body), /cache_control/);
  });

  it("has neither system nor tools when there are none", () => {
    const plain = built([user("Hi")], { system: "", tools: [] }).body;
    assert.deepEqual(Object.keys(plain).toSorted(), ["max_tokens", "messages", "model", "stream"]);
  });

  it("puts the results of one reply into one message, before the words that follow, and says what failed", () => {
    assert.deepEqual(
      sent([
        user("Do it"),
        assistant("First.", [call("a"), call("b"), call("c"), call("d")]),
        tool("a", ""),
        failedTool("b", "No such file.", "failed"),
        failedTool("c", " ", "rejected"),
        failedTool("d", "Not asked.", "skipped"),
        user("And then?"),
        user("Quick."),
      ]),
      [
        { role: "user", content: [text("Do it")] },
        { role: "assistant", content: [text("First."), use("a"), use("b"), use("c"), use("d")] },
        {
          role: "user",
          content: [
            result("a", ""),
            result("b", "No such file.", { is_error: true }),
            result("c", "rejected", { is_error: true }),
            result("d", "Not asked.", { is_error: true }),
            text("And then?"),
            text("Quick."),
          ],
        },
      ],
    );
  });

  it("puts a result before words that came between it and its call", () => {
    assert.deepEqual(sent([user("Do it"), assistant("", [call("a")]), user("Quick."), tool("a", "1")]).at(-1), {
      role: "user",
      content: [result("a", "1"), text("Quick.")],
    });
  });

  it("makes objects of arguments, and empty ones of what is none", () => {
    const odd = ['{"torn', "", "[1]", '"x"', "null", '{"x":{"y":[1]}}'];
    const calls = odd.map((given, index) => call(`c${index}`, given));
    const [, turn] = built([user("Do it"), assistant("", calls), ...calls.map(({ id }) => tool(id, ""))]).body.messages;
    assert.deepEqual(
      turn?.content.map((block) => block["input"]),
      [{}, {}, {}, {}, {}, { x: { y: [1] } }],
    );
  });

  it("leaves out blank words, and repairs halves of letters", () => {
    assert.deepEqual(
      sent([user("a\ud83d"), assistant(" \n", [call("a")]), tool("a", "\ude00b"), assistant(""), user("Go on")]),
      [
        { role: "user", content: [text("a\ufffd")] },
        { role: "assistant", content: [use("a")] },
        { role: "user", content: [result("a", "\ufffdb"), text("Go on")] },
      ],
    );
  });

  it("takes on a session that another provider began: its ids, its names, without what that one kept", () => {
    const chat = { providerData: { host: "other.example", thinking: "why", extra: { "f:0": { s: 1 } } } };
    const calls = [call("f:0"), call("f|0", "{}", "my tool/x"), call("f_0"), call("f_0_2"), call("")];
    assert.deepEqual(
      sent([user("Hi"), assistant("So.", calls, chat), ...calls.map(({ id }, index) => tool(id, `${index}`))]),
      [
        { role: "user", content: [text("Hi")] },
        {
          role: "assistant",
          content: [text("So."), use("f_0"), use("f_0_2", {}, "my_tool_x"), use("f_0_3"), use("f_0_2_2"), use("call")],
        },
        {
          role: "user",
          content: [
            result("f_0", "0"),
            result("f_0_2", "1"),
            result("f_0_3", "2"),
            result("f_0_2_2", "3"),
            result("call", "4"),
          ],
        },
      ],
    );
  });

  it("names the tools of earlier calls when the model must answer in words: the API wants them, and none is called", () => {
    const calls = [call("a"), call("b", "{}", "g h"), call("c")];
    const { body } = built([user("Hi"), assistant("", calls), ...calls.map(({ id }) => tool(id, ""))], { tools: [] });
    assert.deepEqual(
      body.tools?.map(({ name, input_schema }) => [name, input_schema]),
      [
        ["f", { type: "object" }],
        ["g_h", { type: "object" }],
      ],
    );
    assert.deepEqual(body.tool_choice, { type: "none" });
  });

  it("gives thoughts and the order of blocks back to their own server, while nothing before them has changed (C-45)", () => {
    const blocks = [
      thought,
      { type: "redacted_thinking", data: "secret" },
      text("First."),
      { ...use("a", { x: 1 }), caller: { type: "direct" } },
      { type: "thinking", thinking: "", signature: "only signed" },
      use("b"),
    ];
    const before = [user("Do it")];
    const turn = reply(before, blocks);
    const messages = [...before, turn, tool("a", "1"), tool("b", "2")];
    const plain = [text("First."), use("a", { x: 1 }), use("b")];
    const contentOf = (list: object[]): unknown => Object.entries(list[1] ?? {}).at(-1)?.[1];
    assert.deepEqual(contentOf(sent(messages)), blocks);
    assert.equal(built(messages).replayed.length, 1);
    for (const change of [
      { host: "other.example" },
      { model: "m-2" },
      { system: "Be long." },
      { tools: [toolNamed("f"), toolNamed("g")] },
      { tools: [] },
      { distrusted: new Set([built(before).seal]) },
    ]) {
      assert.deepEqual(contentOf(sent(messages, change)), plain, JSON.stringify(change));
      assert.deepEqual(built(messages, change).replayed, []);
    }
    assert.deepEqual(contentOf(sent([user("Do that"), ...messages.slice(1)])), plain);
  });

  it("leaves out the thoughts after a change only, and those that come later stay bound to what they saw", () => {
    const first = [user("One")];
    const done = [...first, reply(first, [thought, text("1.")]), user("Two")];
    const later = { system: "Another day." };
    const next = [...done, reply(done, [thought, text("2.")], later), user("Three")];
    const thoughts = (list: object[]): boolean[] => list.map((message) => JSON.stringify(message).includes("signed"));
    assert.deepEqual(thoughts(sent(done)), [false, true, false]);
    assert.deepEqual(thoughts(sent(next, later)), [false, false, false, true, false]);
    assert.deepEqual(thoughts(sent(next)), [false, true, false, false, false]);
  });

  it("fits kept blocks to what became of the reply", () => {
    const before = [user("Do it")];
    const kept = (blocks: readonly object[]) => ({
      providerData: { host: "models.example", seal: built(before).seal, blocks },
    });
    const turn = (message: Message): unknown => Object.entries(sent([...before, message])[1] ?? {}).at(-1)?.[1];
    const blocks = [thought, text("So."), use("a"), { type: "thinking", thinking: "more", signature: "s" }];
    assert.deepEqual(turn(assistant("So.", [], kept(blocks))), [thought, text("So.")], "a call that was not taken up");
    assert.deepEqual(
      turn(assistant("So. And", [call("a")], kept(blocks))),
      [thought, text("So."), use("a"), blocks[3], text(" And")],
      "words that broke off",
    );
    assert.deepEqual(
      turn(assistant("So.", [call("a"), call("b")], kept([thought, text("\n"), text("So.")]))),
      [text("So."), use("a"), use("b")],
      "words that are not those of the blocks",
    );
    assert.deepEqual(
      turn(assistant("So.", [call("a")], kept([thought, text("So.")]))),
      [thought, text("So."), use("a")],
      "a call that was not kept",
    );
    assert.deepEqual(turn(assistant("\nSo.", [], kept([text("\n"), text("So.")]))), [text("So.")], "blank words");
    assert.deepEqual(turn(assistant("So.", [], { providerData: 7 })), [text("So.")], "something else");
  });

  it("does not ask for a budget of thoughts in a turn whose calls have lost theirs: the API would refuse it", () => {
    const more = { reply: { effort: "low" }, maxTokens: 32_000 } as const;
    const thinking = (messages: readonly Message[]): unknown => Object(built(messages, more).body).thinking;
    const budget = { type: "enabled", budget_tokens: 4000 };
    const before = [user("Do it")];
    const with1 = [...before, reply(before, [thought, use("a")]), tool("a", "1")];
    const without = [...before, assistant("", [call("a")]), tool("a", "1")];
    assert.deepEqual(thinking(with1), budget);
    assert.equal(thinking(without), undefined);
    assert.deepEqual(thinking([...without, user("New")]), budget);
  });

  it("says the same of the same messages in every later request, so that caches and seals hold", () => {
    const words = fc.string({ unit: "binary", maxLength: 8 });
    const round = fc.record({
      said: words,
      asked: fc.option(words, { nil: undefined }),
      calls: fc.uniqueArray(words, { maxLength: 3 }),
      statuses: fc.constantFrom("succeeded", "failed", "denied"),
    });
    fc.assert(
      fc.property(fc.array(round, { minLength: 1, maxLength: 6 }), (rounds) => {
        const messages: Message[] = [user("Begin")];
        let earlier: readonly object[] = [];
        rounds.forEach(({ said, asked, calls, statuses }, index) => {
          const list = calls.map((id) => call(`${index}${id}`, JSON.stringify({ id })));
          const blocks = [
            { ...thought },
            { type: "text", text: said },
            ...list.map(({ id, name, arguments: given }) => ({ type: "tool_use", id, name, input: JSON.parse(given) })),
          ];
          const { seal } = built(messages);
          messages.push(assistant(said, list, { providerData: { host: "models.example", seal, blocks } }));
          for (const { id } of list) messages.push(failedTool(id, said, statuses));
          messages.push(user(asked ?? "Go on"));
          const now = sent(messages);
          // The last message may grow by what is said behind it.
          assert.deepEqual(now.slice(0, earlier.length), earlier);
          assert.deepEqual(
            now.map((message) => Object.entries(message)[0]?.[1]),
            now.map((_message, place) => (place % 2 === 0 ? "user" : "assistant")),
          );
          earlier = now.slice(0, -1);
        });
        const replies = messages.filter((message): message is AssistantEntry => message.role === "assistant");
        assert.equal(built(messages).replayed.length, replies.length);
      }),
    );
  });
});
