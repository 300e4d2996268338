// What one server or another wants of a conversation: learnt from its refusal, sent at once, and kept for the requests that follow.
import assert from "node:assert/strict";
import type { ModelRequest } from "../../../src/engine/ports.ts";
import type { Message } from "../../../src/protocol/messages.ts";
import { toRequest } from "../../../src/providers/openaiChatRequest.ts";
import { listOf, recordOf, type WireRecord } from "../../../src/providers/wireValue.ts";
import { frames, startSse } from "../../support/sse.ts";
import { assistant, assistantOf, callDelta, chatAt, collect, delta, summary, tool, user } from "./chat.ts";

const answer = frames([delta({ content: "Hi" }), delta({}, "stop")]);

/** What is sent after the refusal, twice. */
async function learnt(message: string, request: ModelRequest, status = 400): Promise<readonly WireRecord[]> {
  const headers = { "content-type": "application/json" };
  const server = await startSse(
    { status, headers, parts: [JSON.stringify({ error: { message } })] },
    { parts: [answer] },
  );
  try {
    const model = chatAt(server.baseUrl);
    for (const _time of [1, 2]) assert.deepEqual(summary(await collect(model, request)).text, "Hi");
    const [, first, second] = server.asked.map(({ body }) => recordOf(JSON.parse(body)));
    assert.equal(server.asked.length, 3);
    assert.deepEqual(second, first);
    return listOf(first?.["messages"]).map(recordOf);
  } finally {
    await server.close();
  }
}

const call = { id: "call_0123456789", name: "f", arguments: "{}" };
const conversation: readonly Message[] = [
  user("Do it"),
  assistant("", [call]),
  tool(call.id, "done"),
  user("And?"),
  user("Well?"),
];
const request: ModelRequest = { system: "Be short.", messages: conversation, tools: [] };
const roles = (messages: readonly WireRecord[]): string => messages.map(({ role }) => String(role)[0]).join("");

describe("the shape of a conversation", () => {
  it("PROMPTY-9.4-7 gives Mistral's models ids of nine letters, the same to a call and its result", async () => {
    const said = "Tool call id was call_0123456789 but must be a-z, A-Z, 0-9, with a length of 9.";
    const messages = await learnt(said, request);
    const id = recordOf(listOf(messages[2]?.["tool_calls"])[0])["id"];
    assert.match(String(id), /^[a-zA-Z0-9]{9}$/);
    assert.equal(messages[3]?.["tool_call_id"], id);
  });

  for (const [what, said, status] of [
    ["Mistral", "Unexpected role 'user' after role 'tool'", 400],
    [
      "a template",
      "Jinja Exception: After the optional system message, conversation roles must alternate user/assistant",
      500,
    ],
  ] as const)
    it(`puts replies between messages of the user for ${what}`, async () => {
      const messages = await learnt(said, request, status);
      assert.equal(roles(messages), "suatau");
      assert.equal(messages.at(-1)?.["content"], "And?\n\nWell?");
    });

  it("joins what has parts", async () => {
    const seen: Message = { ...user("Look"), parts: [{ kind: "image", value: "https://x.test/a.png" }] };
    const messages = await learnt("roles must alternate", { ...request, messages: [user("One"), seen] });
    assert.deepEqual(
      listOf(messages[1]?.["content"]).map((part) => recordOf(part)["type"]),
      ["text", "text", "image_url"],
    );
  });

  it("lets the user say the system prompt where there is no place for it", async () => {
    const messages = await learnt("System role not supported", { ...request, messages: [user("Hello")] });
    assert.deepEqual(messages, [{ role: "user", content: "Be short.\n\nHello" }]);
  });

  it("PROMPTY-9.3-6 gives reasoning with every reply where a server insists, for others' replies too", async () => {
    const said = "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2";
    const messages = await learnt(said, request);
    assert.equal(messages[2]?.["reasoning_content"], " ");
  });

  for (const [who, body, status] of [
    [
      "Groq",
      {
        error: {
          message:
            "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
        },
      },
      400,
    ],
    [
      "Cerebras",
      {
        message:
          "messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported",
        type: "invalid_request_error",
        code: "wrong_api_format",
      },
      400,
    ],
    [
      "Mistral",
      {
        object: "error",
        message: {
          detail: [
            {
              type: "extra_forbidden",
              loc: ["body", "messages", 2, "assistant", "reasoning_content"],
              msg: "Extra inputs are not permitted",
            },
          ],
        },
      },
      422,
    ],
  ] as const)
    it(`gives no reasoning back where a server refuses it, as ${who} does`, async () => {
      const headers = { "content-type": "application/json" };
      const thinks = [delta({ reasoning: "Let me see." }), callDelta([0, "a", "f", "{}"]), delta({}, "tool_calls")];
      const server = await startSse(
        { parts: [frames(thinks)] },
        { status, headers, parts: [JSON.stringify(body)] },
        { parts: [answer] },
      );
      try {
        const model = chatAt(server.baseUrl);
        const called = assistantOf(await collect(model, { ...request, messages: [user("Do it")] }));
        const messages = [user("Do it"), called, tool("a", "done")];
        assert.equal(summary(await collect(model, { ...request, messages })).text, "Hi");
        const sent = server.asked.map((asked) => listOf(recordOf(JSON.parse(asked.body))["messages"]).map(recordOf));
        assert.deepEqual(
          sent.map((all) => all[2]?.["reasoning_content"]),
          [undefined, "Let me see.", undefined],
        );
      } finally {
        await server.close();
      }
    });

  it("signs calls that another model has made for Google", async () => {
    const messages = await learnt("Function call is missing a thought_signature in functionCall parts.", request);
    const [made] = listOf(messages[2]?.["tool_calls"]).map(recordOf);
    assert.deepEqual(made?.["extra_content"], { google: { thought_signature: "skip_thought_signature_validator" } });
  });

  it("gives content with calls where a server misses it", async () => {
    const said = "Failed to deserialize the JSON body into the target type: messages[2]: missing field `content`";
    assert.equal((await learnt(said, request, 422))[2]?.["content"], "");
  });

  it("lets other refusals stand", async () => {
    const server = await startSse({
      status: 400,
      headers: { "content-type": "application/json" },
      parts: ['{"error":{"message":"No content for you"}}'],
    });
    try {
      assert.equal((await collect(chatAt(server.baseUrl), request)).at(-1)?.type, "error");
      assert.equal(server.asked.length, 1);
    } finally {
      await server.close();
    }
  });
});

describe("OpenRouter", () => {
  const detail = (more: object): object => ({ reasoning_details: [{ format: "f-1", index: 0, ...more }] });
  const chunks = [
    delta({ reasoning: "We", ...detail({ type: "reasoning.text", text: "We" }) }),
    delta({ reasoning: "ll", ...detail({ type: "reasoning.text", text: "ll", signature: null }) }),
    delta(detail({ type: "reasoning.text", signature: "sig" })),
    delta(detail({ type: "reasoning.encrypted", id: "a", data: "AAA" })),
    delta(detail({ type: "reasoning.encrypted", id: "b", data: "BBB" })),
    callDelta([0, "a", "f", "{}"]),
    delta({}, "tool_calls"),
  ];

  it("C-45 has its details of reasoning back with the call, whole and in order, for the model that wrote them", async () => {
    const server = await startSse({ parts: [frames(chunks)] });
    const { host } = new URL(server.baseUrl);
    const events = await collect(chatAt(server.baseUrl));
    await server.close();
    assert.equal(summary(events).thinking, "Well");
    const messages = [user("Do it"), assistantOf(events), tool("a", "done"), user("On")];
    const sentTo = (model: string, at = host): WireRecord | undefined =>
      toRequest({ ...request, messages }, { model, host: at }).messages[2];
    assert.deepEqual(sentTo("m-1")?.["reasoning_details"], [
      { format: "f-1", index: 0, type: "reasoning.text", text: "Well", signature: "sig" },
      { format: "f-1", index: 0, type: "reasoning.encrypted", id: "a", data: "AAA" },
      { format: "f-1", index: 0, type: "reasoning.encrypted", id: "b", data: "BBB" },
    ]);
    for (const other of [sentTo("m-2"), sentTo("m-1", "elsewhere.test")])
      assert.deepEqual(Object.keys(other ?? {}), ["role", "tool_calls"]);
  });

  it("marks for Claude what is to be kept: the system prompt and the last two messages that are no replies", () => {
    const marks = (model: string, host = "openrouter.ai"): readonly boolean[] =>
      toRequest(request, { model, host }).messages.map((message) => JSON.stringify(message).includes("cache_control"));
    assert.deepEqual(marks("anthropic/claude-sonnet-5"), [true, false, false, false, true, true]);
    assert.ok(!marks("openai/gpt-6").includes(true));
    assert.ok(!marks("anthropic/claude-sonnet-5", "elsewhere.test").includes(true));
    const sent = toRequest(
      { ...request, messages: conversation.slice(0, 3) },
      { model: "claude", host: "openrouter.ai" },
    );
    assert.deepEqual(sent.messages.at(-1), {
      role: "tool",
      tool_call_id: call.id,
      content: [{ type: "text", text: "done", cache_control: { type: "ephemeral" } }],
    });
  });
});
