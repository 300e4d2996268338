// The tracer by itself: places, sums, ends, and exporters that fail.
import assert from "node:assert/strict";
import { keptSpans, spanNamed } from "../../support/spans.ts";

const chat = { kind: "chat", model: "m", provider: "anthropic", system: "S", messages: [] } as const;
const agent = { kind: "agent", name: "a" } as const;
const call = { id: "c1", name: "look", arguments: '{"at":"x","apiKey":"sk-1"}' };

describe("the tracer", () => {
  it("PROMPTY-3-2 says of a request what its agent asked of the reply", () => {
    const { tracer, spans } = keptSpans();
    const options = { temperature: 0, maxOutputTokens: 99, topP: 0.5 };
    tracer.begin({ ...chat, options })?.end();
    assert.partialDeepStrictEqual(spans[0]?.attributes, {
      "gen_ai.request.temperature": 0,
      "gen_ai.request.max_tokens": 99,
      "gen_ai.request.top_p": 0.5,
    });
  });

  it("PROMPTY-3-2 names spans as OpenTelemetry does; only requests to models are clients", () => {
    const { tracer, spans } = keptSpans();
    const root = tracer.begin({ kind: "agent", name: "a", description: "D", sessionId: "s1" });
    root?.begin(chat).end({ usage: { input: 5, output: 2, cached: 1, reasoning: 1 }, finish: "calls" });
    root?.begin({ kind: "tool", call, description: "Looks" }).end({ output: "seen" });
    root?.end();
    const shown = spans.map(({ name, kind, attributes }) => ({ name, kind, attributes }));
    const used = { "gen_ai.usage.cache_read.input_tokens": 1, "gen_ai.usage.reasoning.output_tokens": 1 };
    const usage = { "gen_ai.usage.input_tokens": 5, "gen_ai.usage.output_tokens": 2, ...used };
    assert.deepEqual(shown, [
      {
        name: "chat m",
        kind: "client",
        attributes: {
          "gen_ai.operation.name": "chat",
          "gen_ai.request.stream": true,
          "gen_ai.provider.name": "anthropic",
          "gen_ai.request.model": "m",
          ...usage,
          "gen_ai.response.finish_reasons": ["tool_calls"],
        },
      },
      {
        name: "execute_tool look",
        kind: "internal",
        attributes: {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": "look",
          "gen_ai.tool.call.id": "c1",
          "gen_ai.tool.type": "function",
          "gen_ai.tool.description": "Looks",
        },
      },
      {
        name: "invoke_agent a",
        kind: "internal",
        attributes: {
          "gen_ai.operation.name": "invoke_agent",
          "gen_ai.agent.name": "a",
          "gen_ai.provider.name": "brain",
          "gen_ai.agent.description": "D",
          "gen_ai.conversation.id": "s1",
          ...usage,
        },
      },
    ]);
  });

  it("PROMPTY-3-7 sums what was used up to the first span, through calls", () => {
    const { tracer, spans } = keptSpans();
    const root = tracer.begin(agent);
    root?.begin(chat).end({ usage: { input: 5, output: 2 } });
    const tool = root?.begin({ kind: "tool", call });
    tool?.begin(chat).end({ usage: { input: 10, output: 1 } });
    tool?.end();
    root?.end();
    const { attributes } = spanNamed(spans, "invoke_agent a");
    assert.equal(attributes["gen_ai.usage.input_tokens"], 15);
    assert.equal(attributes["gen_ai.usage.output_tokens"], 3);
  });

  it("PROMPTY-3-4 ends what is inside with what is around it, each span once", () => {
    const { tracer, spans } = keptSpans();
    const root = tracer.begin(agent);
    const late = root?.begin({ kind: "tool", call });
    root?.end();
    late?.end();
    root?.end({ error: { type: "x", message: "y" } });
    assert.deepEqual(
      spans.map(({ name, error, attributes }) => [name, error, attributes["error.type"]]),
      [
        ["execute_tool look", "unfinished", "unfinished"],
        ["invoke_agent a", undefined, undefined],
      ],
    );
  });

  it("PROMPTY-3-6 keeps what was said to itself unless it is asked for, and then without secrets", () => {
    const seen = [false, true].map((contents) => {
      const { tracer, spans } = keptSpans({ contents });
      tracer.begin({ kind: "tool", call })?.end({ output: "seen" });
      tracer.begin({ ...chat, messages: [] })?.end({ error: { type: "boom", message: "sk-2 is wrong" } });
      return spans;
    });
    assert.doesNotMatch(JSON.stringify(seen[0]), /seen|sk-|"at"/);
    const [tool] = seen[1] ?? [];
    assert.equal(tool?.attributes["gen_ai.tool.call.arguments"], '{"at":"x","apiKey":"[redacted]"}');
    assert.equal(tool.attributes["gen_ai.tool.call.result"], "seen");
    assert.equal(seen[1]?.[1]?.attributes["gen_ai.system_instructions"], "S");
  });

  it("PROMPTY-3-3 hands each span to every exporter, whatever one of them throws", async () => {
    const failing = [
      { export: () => assert.fail("at once") },
      { export: () => Promise.reject(new Error("later")) },
      { export: () => new Promise(() => undefined) },
    ];
    const { tracer, spans, logged } = keptSpans({ others: failing });
    tracer.begin(agent)?.end();
    assert.equal(spans.length, 1);
    await Promise.resolve();
    await Promise.resolve();
    assert.equal(logged.filter((line) => /at once|later/.test(line)).length, 2);
  });

  it("gives the spans of one run one trace, and another run another", () => {
    const { tracer, spans } = keptSpans();
    const root = tracer.begin(agent);
    root?.begin(chat).end();
    root?.end();
    tracer.begin(agent)?.end();
    const [inner, outer, other] = spans;
    assert.ok(inner && outer && other);
    assert.match(outer.traceId, /^[\da-f]{32}$/);
    assert.match(outer.spanId, /^[\da-f]{16}$/);
    assert.deepEqual([inner.traceId, inner.parentSpanId], [outer.traceId, outer.spanId]);
    assert.notEqual(other.traceId, outer.traceId);
  });
});
