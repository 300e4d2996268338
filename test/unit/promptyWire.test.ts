// What invokeAgent sends over each provider's wire for calls, results and tools of every kind.
import assert from "node:assert/strict";
import { startAgent, type AgentOptions } from "../../src/headless.ts";
import type { Params } from "../../src/protocol/messages.ts";
import { chatReply } from "../support/chatWire.ts";
import { withPrompts } from "../support/invoking.ts";
import { eventsOfMessage, namedFrames } from "../support/messagesWire.ts";
import { startSse, type Script } from "../support/sse.ts";

interface Body {
  readonly messages: readonly Params[];
  readonly tools?: readonly Params[];
}

const anthropic = (content: readonly Params[], stop = "end_turn"): Script => ({
  parts: [namedFrames(eventsOfMessage({ content, stop_reason: stop }))],
});
const use = (id: string, name: string, input: Params): Params => ({ type: "tool_use", id, name, input });

async function bodiesOf(
  agent: Parameters<typeof startAgent>[0],
  scripts: readonly Script[],
  provider: NonNullable<AgentOptions["provider"]> = "openai-chat",
): Promise<readonly Body[]> {
  const server = await startSse(...scripts);
  try {
    const baseUrl = provider === "anthropic" ? server.baseUrl.replace(/\/v1$/, "") : server.baseUrl;
    const options = { baseUrl, apiKey: "k", model: "m", provider };
    const kinds = { library: () => "by kind" };
    const { failure } = await startAgent(agent, {}, { look: () => "seen" }, { ...options, kinds }).outcome;
    assert.equal(failure?.message, undefined);
    return server.asked.map(({ body }): Body => JSON.parse(body));
  } finally {
    await server.close();
  }
}

const agent = { instructions: "system:\nHelp.\n\nuser:\nGo.", tools: [{ name: "look", parameters: { at: "" } }] };

describe("calls of an agent on the wire", () => {
  it("PROMPTY-9.4-2 the text of a Chat Completions reply with calls goes back as text, or is left out", async () => {
    const calls = [["look", {}]] as const;
    const [, second, third] = await bodiesOf(agent, [
      chatReply(1, { calls }),
      chatReply(2, { text: "Again.", calls }),
      chatReply(3, { text: "ok" }),
    ]);
    assert.equal("content" in (second?.messages[2] ?? {}), false);
    assert.equal(String(third?.messages[4]?.["content"]).trim(), "Again.");
  });

  it("PROMPTY-9.4-3 PROMPTY-9.4-4 Anthropic has all blocks of its reply back, and the results in one message", async () => {
    const blocks = [
      { type: "thinking", thinking: "Two places.", signature: "sig" },
      { type: "text", text: "I look." },
      use("a", "look", { at: "1" }),
      use("b", "look", { at: "2" }),
    ];
    const [, second] = await bodiesOf(
      agent,
      [anthropic(blocks, "tool_use"), anthropic([{ type: "text", text: "ok" }])],
      "anthropic",
    );
    const [, reply, results, more] = second?.messages ?? [];
    assert.deepEqual(reply, { role: "assistant", content: blocks });
    assert.equal(more, undefined);
    const content = results?.["content"];
    assert.ok(Array.isArray(content));
    assert.deepEqual(
      content.map((block: Params) => [block["type"], block["tool_use_id"]]),
      [
        ["tool_result", "a"],
        ["tool_result", "b"],
      ],
    );
  });

  it("PROMPTY-7-4 tools of every kind are told to every provider", () =>
    withPrompts(
      {
        "a.prompty": `---
tools:
  - {name: look, kind: function, parameters: [{name: at, kind: string}]}
  - {name: ask, kind: prompty, path: c.prompty}
  - {name: remote, kind: mcp, serverName: s}
  - {name: shelf, kind: library, parameters: [{name: q, kind: string}]}
---
Go.`,
        "c.prompty": "---\ndescription: Answers.\ninputs: {text: ''}\n---\n{{ text }}",
      },
      async (dir) => {
        const names = ["look", "ask", "remote", "shelf"];
        const [chat] = await bodiesOf(`${dir}/a.prompty`, [chatReply(1, { text: "ok" })]);
        assert.deepEqual(
          chat?.tools?.map((tool) => Object(tool["function"]).name),
          names,
        );
        const [messages] = await bodiesOf(`${dir}/a.prompty`, [anthropic([{ type: "text", text: "ok" }])], "anthropic");
        assert.deepEqual(
          messages?.tools?.map((tool) => tool["name"]),
          names,
        );
        assert.deepEqual(messages.tools[1]?.["input_schema"], {
          type: "object",
          properties: { text: { type: "string" } },
        });
      },
    ));
});
