// Options that an endpoint refuses: the request goes again without them, at once, and the next ones never have them.
import assert from "node:assert/strict";
import type { ProviderName } from "../../../src/protocol/config.ts";
import type { ReplyOptions } from "../../../src/protocol/replyOptions.ts";
import { modelOnce } from "../../../src/providers/catalog.ts";
import { recordOf } from "../../../src/providers/wireValue.ts";
import { startJson } from "../../support/jsonServer.ts";
import { collect, hello, realClock, toolNamed } from "./chat.ts";

const answers = {
  "openai-chat": { choices: [{ message: { content: "Hi" }, finish_reason: "stop" }] },
  "openai-responses": {
    status: "completed",
    output: [{ type: "message", content: [{ type: "output_text", text: "Hi" }] }],
  },
  anthropic: { content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn" },
} as const;
const paths = {
  "openai-chat": "POST /v1/chat/completions",
  "openai-responses": "POST /v1/responses",
  anthropic: "POST /v1/messages",
} as const;

interface Case {
  readonly what: string;
  readonly provider: Extract<ProviderName, keyof typeof answers>;
  readonly model?: string;
  readonly reply: ReplyOptions;
  readonly refusals: readonly { readonly status?: number; readonly body: unknown }[];
  /** Members that are looked at, as they are in the request that is answered, and in the next. */
  readonly sent: Readonly<Record<string, unknown>>;
}

const output = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
const strict = { ...output, additionalProperties: false };

const error = (message: string, more = {}): { body: unknown } => ({ body: { error: { message, ...more } } });

const cases: readonly Case[] = [
  {
    what: "a temperature that a model which reasons does not take",
    provider: "openai-chat",
    reply: { temperature: 0.2, seed: 7 },
    refusals: [
      error("Unsupported value: 'temperature' does not support 0.2 with this model.", { param: "temperature" }),
    ],
    sent: { temperature: undefined, seed: 7 },
  },
  {
    what: "two options, one after the other",
    provider: "openai-chat",
    reply: { frequencyPenalty: 1, seed: 7, stopSequences: ["x"] },
    refusals: [
      error("Argument not supported on this model: frequencyPenalty"),
      error('Invalid JSON payload received. Unknown name "seed": Cannot find field.'),
    ],
    sent: { frequency_penalty: undefined, seed: undefined, stop: ["x"] },
  },
  {
    what: "the older name of the limit",
    provider: "openai-chat",
    reply: { maxOutputTokens: 900 },
    refusals: [
      error("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", { param: "max_tokens" }),
    ],
    sent: { max_tokens: undefined, max_completion_tokens: 900 },
  },
  {
    what: "usage in the stream, in the words of a server that knows each member",
    provider: "openai-chat",
    reply: {},
    refusals: [
      {
        status: 422,
        body: {
          detail: [{ type: "extra_forbidden", loc: ["body", "stream_options"], msg: "Extra inputs are not permitted" }],
        },
      },
    ],
    sent: { stream_options: undefined },
  },
  {
    what: "an effort, for the next one that is known",
    provider: "openai-responses",
    reply: { effort: "max" },
    refusals: [
      error("Unsupported value: 'max'. Supported values are: 'low', 'medium', 'high', and 'xhigh'.", {
        param: "reasoning.effort",
      }),
    ],
    sent: { reasoning: { effort: "xhigh", summary: "auto" } },
  },
  {
    what: "a summary of what is thought, which not every account may have",
    provider: "openai-responses",
    reply: { effort: "high" },
    refusals: [
      error("Your organization must be verified to generate reasoning summaries. Please go to its settings.", {
        param: "reasoning.summary",
        code: "unsupported_value",
      }),
    ],
    sent: { reasoning: { effort: "high" } },
  },
  {
    what: "an effort and a summary, where the model does not reason",
    provider: "openai-responses",
    reply: { effort: "high" },
    refusals: ["effort", "summary"].map((name) =>
      error(`Unsupported parameter: 'reasoning.${name}' is not supported with this model.`, {
        param: `reasoning.${name}`,
      }),
    ),
    sent: { reasoning: undefined },
  },
  {
    what: "an effort, where the model does not reason",
    provider: "openai-chat",
    reply: { effort: "low" },
    refusals: [error("Unrecognized request argument supplied: reasoning_effort")],
    sent: { reasoning_effort: undefined },
  },
  {
    what: "an effort in a local server's words",
    provider: "openai-chat",
    reply: { effort: "max" },
    refusals: [error('invalid think value: "max" (must be "high", "medium", "low", true, or false)')],
    sent: { reasoning_effort: "high" },
  },
  {
    what: "thoughts that a model does not have, and then their effort, but not the form of the answer",
    provider: "anthropic",
    model: "claude-next-9",
    reply: { effort: "high" },
    refusals: [
      error("thinking.type: Input tag 'adaptive' found using 'type' does not match any of the expected tags"),
      error("This model does not support the effort parameter."),
    ],
    sent: { thinking: undefined, output_config: { format: { type: "json_schema", schema: strict } } },
  },
  {
    what: "to be shown thoughts, which are thought all the same",
    provider: "anthropic",
    model: "claude-next-9",
    reply: { effort: "high" },
    refusals: [error("thinking.adaptive.display: Extra inputs are not permitted")],
    sent: { thinking: { type: "adaptive" } },
  },
  {
    what: "more tokens than a model can write",
    provider: "anthropic",
    reply: {},
    refusals: [error("max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for m-1")],
    sent: { max_tokens: 8192 },
  },
  {
    what: "one of two samplings",
    provider: "anthropic",
    reply: { temperature: 0.5, topP: 0.9 },
    refusals: [error("`temperature` and `top_p` cannot both be specified for this model.")],
    sent: { temperature: 0.5, top_p: undefined },
  },
  {
    what: "a budget of thoughts that the limit has no room for",
    provider: "anthropic",
    reply: { effort: "high" },
    refusals: [
      error("max_tokens: 32000 > 4096, which is the maximum allowed"),
      error("`max_tokens` must be greater than `thinking.budget_tokens`."),
    ],
    sent: { max_tokens: 4096, thinking: undefined },
  },
];

async function exchange({ provider, model: name = "m-1", reply, refusals }: Omit<Case, "what" | "sent">): Promise<{
  readonly ends: readonly string[];
  readonly bodies: readonly Readonly<Record<string, unknown>>[];
}> {
  const script = [...refusals.map(({ status = 400, body }) => ({ status, body })), { body: answers[provider] }];
  const server = await startJson({ [paths[provider]]: script });
  try {
    const baseUrl = `${server.root}/v1`;
    const model = modelOnce({
      provider,
      baseUrl,
      apiKey: "k",
      model: name,
      contextWindow: 90_000,
      reply,
      clock: realClock,
    });
    const ends: string[] = [];
    for (const _time of [1, 2]) {
      const last = (await collect(model, { ...hello, tools: [toolNamed("f")], output })).at(-1);
      ends.push(last?.type === "error" ? last.failure.code : (last?.type ?? ""));
    }
    return { ends, bodies: server.asked.map(({ body }) => recordOf(JSON.parse(body))) };
  } finally {
    await server.close();
  }
}

describe("options that an endpoint refuses", () => {
  for (const { what, sent, ...asked } of cases)
    it(`PROMPTY-7-2 leaves out ${what}`, async () => {
      const { ends, bodies } = await exchange(asked);
      assert.deepEqual(ends, ["finish", "finish"]);
      assert.equal(bodies.length, asked.refusals.length + 2, "each is refused once");
      for (const body of bodies.slice(-2))
        assert.deepEqual(Object.fromEntries(Object.keys(sent).map((name) => [name, body[name]])), sent);
    });

  it("asks a server that refuses what it names itself a few times only, and what was learnt changes no other request", async () => {
    const refusal = error('reasoning_effort must be "high" or "low"');
    const stubborn = await exchange({
      provider: "openai-chat",
      reply: { effort: "max" },
      refusals: Array(16).fill(refusal),
    });
    assert.deepEqual([stubborn.ends, stubborn.bodies.length], [["request_refused", "request_refused"], 16]);
    const server = await startJson({
      [paths.anthropic]: [
        { status: 400, ...error("No effort parameter, it is not supported.") },
        { body: answers.anthropic },
      ],
    });
    const reply = { effort: "high" } as const;
    const options = {
      provider: "anthropic",
      apiKey: "k",
      model: "claude-next-9",
      contextWindow: 90_000,
      reply,
    } as const;
    const model = modelOnce({ ...options, baseUrl: server.root, clock: realClock });
    await collect(model, { ...hello, output });
    await collect(model, hello);
    await server.close();
    const configs = server.asked.map(({ body }) => recordOf(JSON.parse(body))["output_config"]);
    const format = { type: "json_schema", schema: strict };
    assert.deepEqual(configs, [{ effort: "high", format }, { format }, undefined]);
  });

  for (const [what, message] of [
    ["of the conversation", "messages[2].content: unknown field 'temperature'"],
    ["of its length", "The request exceeds the context length; reduce max_tokens, maximum 100"],
    ["of something else", "The service does not support your country"],
    ["that only mentions it", "We stop here: this seed of doubt is not supported"],
  ] as const)
    it(`lets a refusal ${what} stand`, async () => {
      const reply = { temperature: 0.2, maxOutputTokens: 900, seed: 1, stopSequences: ["x"] };
      const { ends, bodies } = await exchange({
        provider: "openai-chat",
        reply,
        refusals: [error(message), error(message)],
      });
      assert.equal(bodies.length, 2);
      assert.ok(
        ends.every((end) => end === "request_refused" || end === "context_overflow"),
        ends.join(),
      );
      assert.deepEqual(bodies[1], bodies[0]);
    });
});
