// Where traces go: OpenTelemetry's protocol over HTTP, files, lines.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { systemClock } from "../../../src/compose.ts";
import { traceFile, traceLines } from "../../../src/tracing/files.ts";
import { otlpHttp } from "../../../src/tracing/otlp.ts";
import type { TraceSpan } from "../../../src/tracing/span.ts";
import { withPrompts } from "../../support/invoking.ts";
import { fakeClock } from "../../support/kit.ts";
import { startSse } from "../../support/sse.ts";

const root: TraceSpan = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  name: "invoke_agent a",
  kind: "internal",
  start: 1_700_000_000_000,
  end: 1_700_000_000_250,
  attributes: { "gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 2 },
};
const inner: TraceSpan = {
  ...root,
  spanId: "00f067aa0ba902b7",
  parentSpanId: root.spanId,
  name: "chat m",
  kind: "client",
  attributes: { "gen_ai.request.model": "m", "gen_ai.request.stream": true, list: ["x"], half: 0.5 },
  error: "timeout",
};

describe("traces over HTTP", () => {
  it("go to the endpoint in one request when the first of the trace ends, as the protocol has them", async () => {
    const server = await startSse({ status: 200, parts: ["{}"] });
    try {
      const endpoint = server.baseUrl.replace("/v1", "");
      const exporter = otlpHttp({ endpoint, headers: { "x-team": "t" }, clock: fakeClock(), log: assert.fail });
      exporter.export(inner);
      exporter.export(root);
      await exporter.close?.();
      assert.equal(server.asked.length, 1);
      const [asked] = server.asked;
      assert.equal(asked?.path, "/v1/traces");
      assert.equal(asked.headers["x-team"], "t");
      const [chat, agent] = JSON.parse(asked.body).resourceSpans[0].scopeSpans[0].spans;
      assert.deepEqual(chat, {
        traceId: root.traceId,
        spanId: inner.spanId,
        parentSpanId: root.spanId,
        name: "chat m",
        kind: 3,
        startTimeUnixNano: "1700000000000000000",
        endTimeUnixNano: "1700000000250000000",
        attributes: [
          { key: "gen_ai.request.model", value: { stringValue: "m" } },
          { key: "gen_ai.request.stream", value: { boolValue: true } },
          { key: "list", value: { arrayValue: { values: [{ stringValue: "x" }] } } },
          { key: "half", value: { doubleValue: 0.5 } },
        ],
        status: { code: 2, message: "timeout" },
      });
      assert.deepEqual([agent.kind, agent.status], [1, {}]);
      assert.deepEqual(agent.attributes[0].value, { intValue: "7" });
    } finally {
      await server.close();
    }
  });

  it("PROMPTY-3-3 are dropped where the endpoint refuses them, which is told once", async () => {
    const server = await startSse({ status: 503 });
    const told: string[] = [];
    try {
      const log = (line: string): void => void told.push(line);
      const exporter = otlpHttp({ endpoint: server.baseUrl, clock: systemClock, log });
      for (const _ of [1, 2]) {
        exporter.export(root);
        await exporter.close?.();
      }
      assert.equal(server.asked.length, 2);
      assert.equal(told.length, 1);
      assert.match(told[0] ?? "", /^Traces do not reach http:.*: it answered 503\. They are dropped\.$/);
    } finally {
      await server.close();
    }
  });

  it("are dropped where nobody listens", async () => {
    const server = await startSse();
    await server.close();
    const told: string[] = [];
    const exporter = otlpHttp({ endpoint: server.baseUrl, clock: systemClock, log: (line) => void told.push(line) });
    exporter.export(root);
    await exporter.close?.();
    assert.equal(told.length, 1);
  });

  it("need an address that is one", () => {
    for (const endpoint of ["localhost:4318", "file:///tmp", "no"])
      assert.throws(() => otlpHttp({ endpoint, clock: systemClock, log: assert.fail }), /is not an address for traces/);
  });
});

describe("traces in files", () => {
  it("are a tree in a .tracy file, and a line in any other", () =>
    withPrompts({}, async (dir) => {
      const files = ["deep/run.tracy", "run.jsonl"].map((name) => path.join(dir, name));
      for (const file of files) {
        const exporter = traceFile(file);
        exporter.export(inner);
        exporter.export(root);
        await exporter.close?.();
      }
      const [tree, line] = await Promise.all(files.map((file) => readFile(file, "utf8")));
      const { trace } = JSON.parse(tree ?? "");
      assert.equal(trace.name, "invoke_agent a");
      assert.deepEqual(trace.__usage, { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 });
      assert.deepEqual(trace.__time, {
        start: "2023-11-14T22:13:20.000Z",
        end: "2023-11-14T22:13:20.250Z",
        duration: 250,
      });
      assert.deepEqual(
        trace.__frames.map(({ name, error }: TraceSpan) => [name, error]),
        [["chat m", "timeout"]],
      );
      assert.equal((line ?? "").trimEnd().split("\n").length, 1);
      assert.equal(JSON.parse(line ?? "").resourceSpans[0].scopeSpans[0].spans.length, 2);
    }));

  it("are lines in a log", () => {
    const lines: string[] = [];
    const exporter = traceLines((line) => void lines.push(line));
    exporter.export(inner);
    exporter.export(root);
    assert.deepEqual(lines, ["chat m: 250 ms, timeout", "invoke_agent a: 250 ms, 7 + 2 tokens"]);
  });
});
