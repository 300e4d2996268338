// The model against a raw server on loopback, through the real library: what is sent, how bytes become events, how it ends.
import assert from "node:assert/strict";
import type { ModelEvent } from "../../../src/engine/ports.ts";
import { frames, startSse, type Script, type SseServer } from "../../support/sse.ts";
import { assistant, chatAt, collect, delta, hello, tool, toolNamed, user } from "./chat.ts";

const usage = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } };
const answer = frames([delta({ content: "Hi" }), delta({}, "stop"), usage]);
const answered: readonly ModelEvent[] = [
  { type: "text", text: "Hi" },
  { type: "usage", usage: { input: 3, output: 2 } },
  { type: "finish", reason: "stop" },
];

describe("openaiChat", () => {
  let server: SseServer;
  afterEach(() => server.close());
  const serve = async (...scripts: readonly Script[]): Promise<void> => {
    server = await startSse(...scripts);
  };

  it("sends the conversation in the wire's shape, with no limit of tokens (C-44)", async () => {
    await serve({ parts: [answer] });
    const calls = [
      { id: "a", name: "f", arguments: '{"x":1}' },
      { id: "b", name: "g", arguments: '{"torn' },
    ];
    const messages = [
      user("Do it"),
      assistant("", calls),
      tool("a", "one"),
      tool("b", "two"),
      assistant(""),
      assistant("Done."),
    ];
    await collect(chatAt(server.baseUrl), { system: "Be short.", messages, tools: [toolNamed("f")] });
    const [asked] = server.asked;
    assert.ok(asked);
    assert.equal(`${asked.method} ${asked.path}`, "POST /v1/chat/completions");
    assert.equal(asked.headers.authorization, "Bearer sk-secret");
    assert.deepEqual(JSON.parse(asked.body), {
      model: "m-1",
      messages: [
        { role: "system", content: "Be short." },
        { role: "user", content: "Do it" },
        {
          role: "assistant",
          tool_calls: [
            { id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } },
            { id: "b", type: "function", function: { name: "g", arguments: "{}" } },
          ],
        },
        { role: "tool", tool_call_id: "a", content: "one" },
        { role: "tool", tool_call_id: "b", content: "two" },
        { role: "assistant", content: "Done." },
      ],
      tools: [
        {
          type: "function",
          function: {
            name: "f",
            description: "Does f.",
            parameters: { type: "object", properties: { path: { type: "string" } } },
          },
        },
      ],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it("leaves out tools when there are none, and a system message without words", async () => {
    await serve({ parts: [answer] });
    await collect(chatAt(server.baseUrl), { system: "", messages: [user("Hello")], tools: [] });
    const body: object = JSON.parse(server.asked[0]?.body ?? "");
    assert.deepEqual(Object.keys(body).toSorted(), ["messages", "model", "stream", "stream_options"]);
  });

  it("gives reasoning back to the server it came from, in the turn it belongs to, and to no other", async () => {
    await serve({ parts: [answer] });
    const { host } = new URL(server.baseUrl);
    const kept = (from: string, id: string) => ({
      providerData: { host: from, thinking: "why", extra: { [id]: { s: 1 } } },
    });
    const call = (id: string) => ({ id, name: "f", arguments: "{}" });
    const messages = [
      user("Old"),
      assistant("", [call("a")], kept(host, "a")),
      tool("a", "1"),
      user("New"),
      assistant("", [call("b")], kept(host, "b")),
      tool("b", "2"),
      assistant("", [call("c")], kept("elsewhere.example", "c")),
      tool("c", "3"),
    ];
    await collect(chatAt(server.baseUrl), { ...hello, messages });
    const sent: {
      messages: { role: string; reasoning_content?: string; tool_calls?: { extra_content?: object }[] }[];
    } = JSON.parse(server.asked[0]?.body ?? "");
    const turns = sent.messages.filter(({ role }) => role === "assistant");
    assert.deepEqual(
      turns.map((turn) => [turn.reasoning_content, turn.tool_calls?.[0]?.extra_content]),
      [
        [undefined, { s: 1 }],
        ["why", { s: 1 }],
        [undefined, undefined],
      ],
    );
  });

  it("uses nothing of the environment's OPENAI variables", async () => {
    await serve({ parts: [answer] });
    const ambient: Record<string, string> = {
      OPENAI_BASE_URL: "http://127.0.0.1:9/v1",
      OPENAI_API_KEY: "sk-ambient",
      OPENAI_ADMIN_KEY: "sk-admin",
      OPENAI_ORG_ID: "org-ambient",
      OPENAI_PROJECT_ID: "proj-ambient",
      OPENAI_CUSTOM_HEADERS: "x-ambient: yes",
    };
    const before = { ...process.env };
    Object.assign(process.env, ambient);
    try {
      assert.deepEqual(await collect(chatAt(server.baseUrl, { apiKey: "" })), answered);
    } finally {
      for (const name of Object.keys(ambient)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
    const headers = server.asked[0]?.headers ?? {};
    assert.doesNotMatch(JSON.stringify(headers), /ambient|admin|stainless/);
    assert.equal(headers.authorization, "Bearer none");
  });
});
