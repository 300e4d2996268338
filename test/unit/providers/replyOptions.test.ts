// What is asked of replies: sampling, limits, effort and the form of the answer, in each provider's own words.
import assert from "node:assert/strict";
import type { ModelRequest } from "../../../src/engine/ports.ts";
import { ReplyOptions } from "../../../src/protocol/replyOptions.ts";
import { toRequest as toMessagesBody } from "../../../src/providers/anthropicRequest.ts";
import { toRequest as toChatBody } from "../../../src/providers/openaiChatRequest.ts";
import { all, toRequest as toResponsesBody } from "../../../src/providers/openaiResponsesRequest.ts";
import { toolNamed, user } from "./chat.ts";

const everything: ReplyOptions = {
  temperature: 0.5,
  maxOutputTokens: 2_000,
  topP: 0.9,
  topK: 40,
  frequencyPenalty: 0.1,
  presencePenalty: 0.2,
  seed: 42,
  stopSequences: ["END"],
};

const plain: ModelRequest = { system: "", messages: [user("Hi")], tools: [] };
const withTools: ModelRequest = { ...plain, tools: [toolNamed("f")] };

interface Asking {
  readonly request?: ModelRequest;
  readonly model?: string;
  readonly host?: string;
  readonly maxTokens?: number;
}

/** What the body has beyond the conversation. */
const bodies = {
  chat: (reply: ReplyOptions, { request = plain, model = "m", host = "api.openai.com" }: Asking = {}) =>
    rest(toChatBody(request, { model, host, reply })),
  responses: (reply: ReplyOptions, { request = plain, model = "m", host = "api.openai.com" }: Asking = {}) =>
    rest(toResponsesBody(request, { model, host, reply, accepted: all })),
  messages: (reply: ReplyOptions, asking: Asking = {}) => {
    const { request = plain, model = "m", host = "api.anthropic.com", maxTokens = 32_000 } = asking;
    return rest(toMessagesBody(request, { model, host, maxTokens, reply, distrusted: new Set() }).body);
  },
};

const conversation = ["model", "messages", "input", "tools", "stream", "stream_options", "store", "include"];

function rest(body: object): object {
  const members = Object.entries(JSON.parse(JSON.stringify(body)));
  return Object.fromEntries(members.filter(([name]) => !conversation.includes(name)));
}

describe("reply options", () => {
  it("PROMPTY-7-1, PROMPTY-7-2 are each provider's own, and what it does not know is left out", () => {
    assert.deepEqual(bodies.chat(everything), {
      temperature: 0.5,
      max_completion_tokens: 2_000,
      top_p: 0.9,
      frequency_penalty: 0.1,
      presence_penalty: 0.2,
      seed: 42,
      stop: ["END"],
    });
    assert.deepEqual(bodies.responses(everything), { temperature: 0.5, top_p: 0.9, max_output_tokens: 2_000 });
    assert.deepEqual(bodies.messages(everything, { maxTokens: 2_000 }), {
      max_tokens: 2_000,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      stop_sequences: ["END"],
    });
  });

  it("have the limit under the name that all servers know where the server is not OpenAI's (C-44)", () => {
    const reply = { maxOutputTokens: 9 };
    for (const host of ["127.0.0.1:11434", "openrouter.ai", "notopenai.com"])
      assert.deepEqual(bodies.chat(reply, { host }), { max_tokens: 9 }, host);
    for (const host of ["api.openai.com", "me.openai.azure.com", "eu.api.openai.com:443"])
      assert.deepEqual(bodies.chat(reply, { host }), { max_completion_tokens: 9 }, host);
  });

  it("pass on what else the endpoint knows, and replace nothing of Brain's own", () => {
    const reply = { additionalProperties: { service_tier: "flex", stream: false, model: "other", temperature: 1 } };
    for (const body of [bodies.chat, bodies.responses])
      assert.deepEqual(body({ ...reply, temperature: 0.1 }), { service_tier: "flex", temperature: 0.1 });
    const { max_tokens: _limit, ...others } = Object(bodies.messages({ ...reply, temperature: 0.1 }));
    assert.deepEqual(others, { service_tier: "flex", temperature: 0.1 });
  });

  it("ask for one call at a time, where there are tools", () => {
    const reply = { allowMultipleToolCalls: false };
    assert.deepEqual(bodies.chat(reply, { request: withTools }), { parallel_tool_calls: false });
    assert.deepEqual(bodies.responses(reply, { request: withTools }), { parallel_tool_calls: false });
    assert.partialDeepStrictEqual(bodies.messages(reply, { request: withTools }), {
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
    });
    assert.deepEqual(bodies.chat(reply), {});
    assert.deepEqual(bodies.responses(reply), {});
    assert.deepEqual(bodies.messages(reply), { max_tokens: 32_000 });
  });

  it("ask for an effort in each provider's own way, and for nothing by default", () => {
    assert.deepEqual(bodies.chat({ effort: "high" }), { reasoning_effort: "high" });
    assert.deepEqual(bodies.responses({ effort: "none" }), { reasoning: { effort: "none" } });
    for (const body of [bodies.chat, bodies.responses]) assert.deepEqual(body({ effort: "default" }), {});
    assert.deepEqual(bodies.messages({ effort: "default" }), { max_tokens: 32_000 });
  });

  const adaptive = { type: "adaptive", display: "summarized" };
  for (const [model, effort, expected] of [
    ["claude-sonnet-4-6", "high", { thinking: adaptive, output_config: { effort: "high" } }],
    ["claude-opus-5", "max", { thinking: adaptive, output_config: { effort: "max" } }],
    ["claude-opus-4-1-20250805", "medium", { thinking: { type: "enabled", budget_tokens: 10_000 } }],
    ["claude-sonnet-4-20250514", "max", { thinking: { type: "enabled", budget_tokens: 30_976 } }],
    ["claude-haiku-4-5", "low", { thinking: { type: "enabled", budget_tokens: 4_000 } }],
    ["claude-3-7-sonnet-latest", "low", { thinking: { type: "enabled", budget_tokens: 4_000 } }],
    ["glm-5", "low", { thinking: { type: "enabled", budget_tokens: 4_000 } }],
    ["claude-opus-5", "none", { thinking: { type: "disabled" } }],
  ] as const)
    it(`let ${model} think ${effort}, without sampling that the API refuses beside thoughts`, () => {
      const sampled = { temperature: 0.2, topP: 0.5, topK: 4 };
      const asked = effort === "none" ? { temperature: 0.2, top_p: 0.5, top_k: 4 } : {};
      assert.deepEqual(bodies.messages({ ...sampled, effort }, { model }), {
        max_tokens: 32_000,
        ...expected,
        ...asked,
      });
    });

  it("ask for no thoughts for which the limit leaves no room", () => {
    assert.deepEqual(bodies.messages({ effort: "high" }, { maxTokens: 2_000 }), { max_tokens: 2_000 });
  });

  it("are refused where they are of the wrong kind", () => {
    assert.equal(ReplyOptions.safeParse({ effort: "enormous" }).success, false);
    assert.equal(ReplyOptions.safeParse({ temperature: "warm" }).success, false);
    assert.equal(ReplyOptions.safeParse({ unknown: 1 }).success, true);
  });
});

describe("structured output", () => {
  const output = {
    type: "object",
    properties: { city: { type: "string", minLength: 1 }, note: { type: "string" } },
    required: ["city"],
  };
  const schema = {
    type: "object",
    properties: { city: { type: "string" }, note: { type: ["string", "null"] } },
    required: ["city", "note"],
    additionalProperties: false,
  };

  it("PROMPTY-7-1 is asked for by each provider's own means, beside tools too", () => {
    for (const request of [
      { ...plain, output },
      { ...withTools, output },
    ]) {
      const named = { name: "structured_output", strict: true, schema };
      assert.deepEqual(bodies.chat({}, { request }), {
        response_format: { type: "json_schema", json_schema: named },
      });
      assert.deepEqual(bodies.responses({}, { request }), { text: { format: { type: "json_schema", ...named } } });
      assert.partialDeepStrictEqual(bodies.messages({ effort: "low" }, { request, model: "claude-opus-5" }), {
        output_config: { effort: "low", format: { type: "json_schema", schema } },
      });
    }
  });

  it("is not asked for where the schema cannot be said strictly", () => {
    const request = { ...plain, output: { type: "object", additionalProperties: { type: "number" } } };
    assert.deepEqual(bodies.chat({}, { request }), {});
    assert.deepEqual(bodies.responses({}, { request }), {});
    assert.deepEqual(bodies.messages({}, { request }), { max_tokens: 32_000 });
  });

  it("closes a tool's parameters that are to be strict, and leaves others as they are", () => {
    const strict = { ...toolNamed("f"), parameters: output, strict: true };
    const request = { ...plain, tools: [strict, { ...strict, strict: false }] };
    const chat = toChatBody(request, { model: "m", host: "h" }).tools;
    assert.partialDeepStrictEqual(chat, [{ function: { strict: true, parameters: schema } }, {}]);
    assert.deepEqual(Object(chat?.[1])["function"].parameters, output);
    assert.partialDeepStrictEqual(toResponsesBody(request, { model: "m", host: "h", accepted: all }).tools, [
      { strict: true, parameters: schema },
      { strict: false, parameters: output },
    ]);
  });
});
