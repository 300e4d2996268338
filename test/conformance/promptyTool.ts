// Prompts that are tools of prompts: files in a folder of their own, a model with a script for each agent, and what went between them.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import * as z from "zod";
import type { Model, ModelEvent, ModelRequest } from "../../src/engine/ports.ts";
import { startAgent, type AgentOutcome } from "../../src/invoke.ts";
import type { LoopEvent } from "../../src/protocol/events.ts";
import { around, reply } from "./agentModel.ts";

const Call = z.object({ id: z.string(), name: z.string(), arguments: z.string() });
const Scripted = z.object({
  for_agent: z.string(),
  content: z.string().default(""),
  tool_calls: z.array(Call).default([]),
});
const Values = z.record(z.string(), z.unknown());
const Case = z.object({
  input: z.object({
    files: z.record(z.string(), z.string()),
    inputs: Values.default({}),
    tools: z.record(z.string(), z.unknown()).default({}),
    model: z.union([z.array(Scripted), z.string()]).default([]),
  }),
  expected: z.object({
    result: z.unknown().optional(),
    wireTool: z.unknown().optional(),
    childRequests: z.array(z.object({ messages: z.array(Values), tools: z.unknown().optional() })).optional(),
    toolResult: z.object({ tool_call_id: z.string(), content: z.string() }).optional(),
    spans: z.array(z.string()).default([]),
    error: z.string().optional(),
  }),
});
type Case = z.infer<typeof Case>;

interface Asked {
  readonly agent: string;
  readonly request: ModelRequest;
}

interface Seen {
  readonly asked: readonly Asked[];
  readonly outcome: AgentOutcome;
  readonly events: readonly LoopEvent[];
}

export async function checkPromptyTool(raw: unknown): Promise<void> {
  const one = Case.parse(raw);
  const dir = await mkdtemp(path.join(tmpdir(), "prompts-"));
  try {
    check(one, await invoke(one, path.join(dir, "prompts")));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function invoke({ input }: Case, dir: string): Promise<Seen> {
  for (const [name, text] of Object.entries(input.files)) {
    const file = path.join(dir, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const names = Object.keys(input.files);
  const parent = names.find((name) => path.basename(name) === "parent.prompty") ?? names[0] ?? "";
  const asked: Asked[] = [];
  const events: LoopEvent[] = [];
  const handlers = Object.fromEntries(Object.entries(input.tools).map(([name, value]) => [name, () => value]));
  const modelFor = (agent: string): Model => ({
    id: agent,
    contextWindow: 128_000,
    async *stream(request) {
      const before = asked.filter((one) => one.agent === agent).length;
      asked.push({ agent, request: structuredClone(request) });
      await Promise.resolve();
      yield* nextReply(input.model, agent, before);
    },
  });
  const options = { onEvent: (event: LoopEvent) => void events.push(event) };
  const place = { ...around(modelFor("")), model: ({ name }: { name: string }) => Promise.resolve(modelFor(name)) };
  const run = startAgent(path.join(dir, parent), input.inputs, handlers, { around: place, options });
  return { asked, outcome: await run.outcome, events };
}

function nextReply(script: Case["input"]["model"], agent: string, before: number): readonly ModelEvent[] {
  if (typeof script !== "string") {
    const mine = script.filter(({ for_agent: name }) => name === agent)[before];
    return reply(mine?.content ?? "ok", mine?.tool_calls ?? []);
  }
  const name = /calls (\w+)/.exec(script)?.[1] ?? "";
  return reply("", [{ id: `c${before}`, name, arguments: "{}" }]);
}

function check({ expected }: Case, seen: Seen): void {
  const { asked, outcome, events } = seen;
  if (expected.error !== undefined) return checkRefused(seen);
  assert.equal(outcome.failure?.message, undefined);
  if (expected.result !== undefined) assert.equal(outcome.result, expected.result);
  if (expected.wireTool !== undefined) assert.deepEqual(asked[0]?.request.tools[0], expected.wireTool);
  if (expected.childRequests) checkChildren(expected.childRequests, asked);
  const { toolResult } = expected;
  const entry = outcome.toolResults.find((one) => one.tool_call_id === toolResult?.tool_call_id);
  assert.equal(entry?.content, toolResult?.content);
  for (const span of expected.spans) checkNested(span, asked, events);
}

function checkRefused({ asked, outcome }: Seen): void {
  const failed = outcome.toolResults.some(({ status }) => status === "failed");
  assert.ok(failed || outcome.failure, "it is reported");
  assert.ok(asked.length <= 10, `${asked.length} requests`);
}

function checkChildren(expected: NonNullable<Case["expected"]["childRequests"]>, asked: readonly Asked[]): void {
  const children = asked.filter(({ agent }) => agent !== asked[0]?.agent);
  assert.equal(children.length, expected.length);
  for (const [i, { messages, tools }] of expected.entries()) {
    const request = children[i]?.request;
    assert.deepEqual(wireOf(request), messages);
    if (tools === "absent") assert.deepEqual(request?.tools, []);
  }
}

function wireOf(request: ModelRequest | undefined): unknown {
  const system = request?.system ? [{ role: "system", content: request.system }] : [];
  return [...system, ...(request?.messages ?? []).map(({ role, content }) => ({ role, content }))];
}

/** What spans will be made from: each call is told, inside the call that it is part of the work of. */
function checkNested(span: string, asked: readonly Asked[], events: readonly LoopEvent[]): void {
  const [, kind, name, outer] = /^(\w+) \(?(\w+)\)?(?: under (.*))?$/.exec(span) ?? [];
  if (kind !== "execute_tool") return assert.ok(asked.length > 0 && kind !== undefined, span);
  const started = events.find((event) => event.type === "tool:start" && event.toolName === name);
  assert.ok(started?.type === "tool:start", span);
  assert.equal(started.toolCallId.includes("/"), outer !== undefined, `${span}: ${started.toolCallId}`);
}
