// What the three wires have in common, end to end: how replies are read, what tools are called, and that a session goes on over another one.
import assert from "node:assert/strict";
import { createBrain, startAgent, type AgentObject } from "../../src/headless.ts";
import type { Params } from "../../src/protocol/messages.ts";
import { tempDir } from "../support/example.ts";
import { startJson, type JsonServer } from "../support/jsonServer.ts";

type Provider = "openai-chat" | "openai-responses" | "anthropic";

interface Said {
  readonly text?: readonly string[];
  readonly calls?: readonly (readonly [id: string, name: string, params: Params])[];
  readonly refusal?: string;
}

interface Wire {
  readonly at: string;
  readonly path: string;
  readonly reply: (said: Said) => Params;
  /** Names of the tools that a request offers. */
  readonly tools: (body: Params) => unknown[];
  /** Calls of a request, each with the result behind it. */
  readonly answered: (body: Params) => unknown[][];
  /** What nobody but its own server may have back. */
  readonly own: string;
}

const list = (value: unknown): Params[] => (Array.isArray(value) ? value : []);
const group = (value: unknown): Params => (typeof value === "object" && value !== null ? { ...value } : {});

const wires: Readonly<Record<Provider, Wire>> = {
  "openai-chat": {
    at: "/v1",
    path: "POST /v1/chat/completions",
    own: "chatcmpl-own",
    reply: ({ text, calls, refusal }) => ({
      id: "chatcmpl-own",
      choices: [
        {
          message: {
            content: text?.join("") ?? null,
            ...(refusal !== undefined && { refusal }),
            ...(calls && {
              tool_calls: calls.map(([id, name, params]) => ({
                id,
                type: "function",
                function: { name, arguments: JSON.stringify(params) },
              })),
            }),
          },
          finish_reason: calls ? "tool_calls" : "stop",
        },
      ],
    }),
    tools: ({ tools }) => list(tools).map((tool) => group(tool["function"])["name"]),
    answered: ({ messages }) =>
      list(messages).flatMap(({ tool_calls: calls }, at) =>
        list(calls).map(({ id, function: of }) => {
          const after = list(messages)
            .slice(at)
            .find((one) => one["role"] === "tool" && one["tool_call_id"] === id);
          return [group(of)["name"], after?.["content"]];
        }),
      ),
  },
  "openai-responses": {
    at: "/v1",
    path: "POST /v1/responses",
    own: "sealed-own",
    reply: ({ text, calls = [], refusal }) => ({
      status: "completed",
      output: [
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed-own" },
        ...(text || refusal !== undefined
          ? [
              {
                type: "message",
                id: "m",
                role: "assistant",
                content: [
                  ...(text ?? []).map((part) => ({ type: "output_text", text: part })),
                  ...(refusal === undefined ? [] : [{ type: "refusal", refusal }]),
                ],
              },
            ]
          : []),
        ...calls.map(([id, name, params]) => ({
          type: "function_call",
          id: `fc_${id}`,
          call_id: id,
          name,
          arguments: JSON.stringify(params),
          status: "completed",
        })),
      ],
    }),
    tools: ({ tools }) => list(tools).map(({ name }) => name),
    answered: ({ input }) =>
      list(input)
        .filter(({ type }) => type === "function_call")
        .map(({ name, call_id: id }) => {
          const after = list(input).find((one) => one["type"] === "function_call_output" && one["call_id"] === id);
          return [name, after?.["output"]];
        }),
  },
  anthropic: {
    at: "",
    path: "POST /v1/messages",
    own: "signature-own",
    reply: ({ text = [], calls = [], refusal }) => ({
      type: "message",
      content: [
        { type: "thinking", thinking: "Hm.", signature: "signature-own" },
        ...[...text, ...(refusal === undefined ? [] : [refusal])].map((part) => ({ type: "text", text: part })),
        ...calls.map(([id, name, input]) => ({ type: "tool_use", id, name, input })),
      ],
      stop_reason: calls.length > 0 ? "tool_use" : refusal === undefined ? "end_turn" : "refusal",
      usage: { input_tokens: 1, output_tokens: 1 },
    }),
    tools: ({ tools }) => list(tools).map(({ name }) => name),
    answered: ({ messages }) =>
      list(messages).flatMap(({ content }, at) =>
        list(content)
          .filter(({ type }) => type === "tool_use")
          .map(({ id, name }) => {
            const next = list(list(messages)[at + 1]?.["content"]);
            const after = next.find((one) => one["type"] === "tool_result" && one["tool_use_id"] === id);
            const said = after?.["content"];
            return [name, typeof said === "string" ? said : list(said)[0]?.["text"]];
          }),
      ),
  },
};
const providers = ["openai-chat", "openai-responses", "anthropic"] as const;

/** A server of one wire that gives these replies, one a request. */
function serving(wire: Wire, ...said: readonly Said[]): Promise<JsonServer> {
  return startJson({ [wire.path]: said.map((one) => ({ body: wire.reply(one) })) });
}

const bodyOf = (server: JsonServer, at: number): Params => JSON.parse(server.asked[at]?.body ?? "{}");

const plain: AgentObject = { instructions: "system:\nHelp.\n\nuser:\nGo." };

async function resultOf(provider: Provider, said: Said, agent: AgentObject = plain): Promise<unknown> {
  const wire = wires[provider];
  const server = await serving(wire, said);
  try {
    const options = { provider, baseUrl: `${server.root}${wire.at}`, apiKey: "k", model: "m" };
    return (await startAgent(agent, {}, {}, options).outcome).result;
  } finally {
    await server.close();
  }
}

describe("every wire", () => {
  for (const provider of providers) {
    const wire = wires[provider];

    it(`PROMPTY-8-1 ${provider}: a reply is its text, all of it; JSON where outputs are declared; a refusal is what was said`, async () => {
      const withOutputs = { ...plain, outputs: [{ name: "n", kind: "integer" }] };
      assert.equal(await resultOf(provider, { text: ["Hello, ", "you."] }), "Hello, you.");
      assert.equal(await resultOf(provider, { text: ['{"n":1}'] }), '{"n":1}');
      assert.deepEqual(await resultOf(provider, { text: ['{"n":1}'] }, withOutputs), { n: 1 });
      assert.equal(await resultOf(provider, { text: ["no JSON"] }, withOutputs), "no JSON");
      assert.equal(await resultOf(provider, { refusal: "I will not." }), "I will not.");
    });

    it(`PROMPTY-7-5 ${provider}: tools have names that it takes, each once, and calls come back to the tool they are of`, async () => {
      const long = "x".repeat(80);
      const names = ["weather.get", "weather_get", "weather get", long, `${long}y`, "größe"];
      const agent = { ...plain, tools: names.map((name) => ({ name, parameters: { at: "" } })) };
      const told: string[] = [];
      const handlers = Object.fromEntries(names.map((name) => [name, () => void told.push(name)]));
      const asked = ["weather_get_2", "weather_get", "x".repeat(64), `${"x".repeat(62)}_2`];
      const server = await serving(wire, { calls: asked.map((name, n) => [`c${n}`, name, {}]) }, { text: ["ok"] });
      try {
        const options = { provider, baseUrl: `${server.root}${wire.at}`, apiKey: "k", model: "m" };
        await startAgent(agent, {}, handlers, options).result;
        const offered = wire.tools(bodyOf(server, 0));
        assert.equal(new Set(offered).size, names.length);
        for (const name of offered) assert.match(String(name), /^[A-Za-z0-9_-]{1,64}$/);
        assert.deepEqual(told, ["weather.get", "weather_get", long, `${long}y`]);
      } finally {
        await server.close();
      }
    });

    for (const next of providers.filter((other) => other !== provider))
      it(`PROMPTY-9.4-7 a session of ${provider} goes on over ${next}: calls and results stand together, and what was one server's own stays away`, async () => {
        const workspace = await tempDir("wires");
        const id = "call_1.ü";
        const first = await serving(wire, { text: ["I look."], calls: [[id, "work", { n: 1 }]] }, { text: ["Seen."] });
        const second = await serving(wires[next], { text: ["Still here."] });
        const session = async (of: Provider, { root }: JsonServer, sessionId?: string): Promise<string> => {
          const tools = { tools: [{ name: "work", description: "Works." }], activities: { work: () => "the result" } };
          const endpoint = { provider: of, baseUrl: `${root}${wires[of].at}`, apiKey: "k", model: "m" };
          const brain = createBrain({ workspace: workspace.dir, ...endpoint, tools });
          try {
            const outcome = await brain.run({ message: "Go.", ...(sessionId !== undefined && { sessionId }) }).result;
            assert.equal(outcome.failure, undefined);
            return outcome.sessionId;
          } finally {
            await brain.dispose();
          }
        };
        try {
          await session(next, second, await session(provider, first));
          const body = bodyOf(second, 0);
          assert.deepEqual(wires[next].answered(body), [["work", "the result"]]);
          assert.match(JSON.stringify(body), /I look\..*Seen\./);
          assert.ok(!JSON.stringify(body).includes(wire.own));
          // Anthropic refuses other ids.
          if (next === "anthropic") assert.doesNotMatch(JSON.stringify(body), /"(?:tool_use_)?id":"[^"]*[^\w"-]/);
        } finally {
          await Promise.all([first.close(), second.close(), workspace.remove()]);
        }
      });
  }
});
