// The calls of one reply on a fake clock: what starts when, what it gets, what is written, what fails and what is skipped.
import assert from "node:assert/strict";
import pLimit from "p-limit";
import * as z from "zod";
import { createBatch } from "../../src/engine/calls.ts";
import { dataMessage } from "../../src/engine/data.ts";
import type { Tool } from "../../src/engine/ports.ts";
import type { Running } from "../../src/engine/running.ts";
import { foldKind } from "../../src/engine/state.ts";
import type { Params } from "../../src/protocol/messages.ts";
import { fakeClock, kit, running, scriptedModel } from "../support/kit.ts";

const Call = z.looseObject({ _tool: z.string() });
const ToolCase = z.looseObject({
  latencyMs: z.number(),
  returns: z.unknown().optional(),
  throws: z.unknown().optional(),
  schema: z.looseObject({ properties: z.record(z.string(), z.looseObject({ type: z.string() })) }).optional(),
});
const Case = z.looseObject({
  input: z.object({
    context: z.array(z.unknown()),
    tools: z.record(z.string(), ToolCase),
    stream: z.array(z.object({ atMs: z.number(), id: z.string(), call: Call })),
    closeAtMs: z.number(),
    maxParallel: z.number(),
  }),
  expected: z.looseObject({
    startOrder: z.array(z.string()).optional(),
    started: z.array(z.string()).optional(),
    maxConcurrent: z.number().optional(),
    startedBeforeClose: z.array(z.string()).optional(),
    finishedBeforeClose: z.array(z.string()).optional(),
    receivedParams: z.record(z.string(), z.unknown()).optional(),
    state: z.unknown().optional(),
    stateByInstance: z.record(z.string(), z.unknown()).optional(),
    errors: z.array(z.object({ call: z.string(), type: z.string() })),
    skipped: z.array(z.string()),
  }),
});

interface Seen {
  readonly started: string[];
  readonly finished: { readonly id: string; readonly at: number }[];
  readonly startedAt: Map<string, number>;
  readonly params: Record<string, unknown>;
  now: number;
  most: number;
}

export async function checkActsSchedule(raw: unknown): Promise<void> {
  const { input, expected } = Case.parse(raw);
  const clock = fakeClock(0);
  const seen: Seen = { started: [], finished: [], startedAt: new Map(), params: {}, now: 0, most: 0 };
  const tools = Object.entries(input.tools).map(([name, one]) => toolOf(name, one, seen, clock));
  const run = running({
    tools,
    ports: { ...kit({ model: scriptedModel() }).ports, clock },
    limit: pLimit(input.maxParallel),
    state: input.context.flatMap((message) => dataMessage(message) ?? []),
  });
  const batch = createBatch(run, () => undefined);
  for (const { atMs, id, call } of input.stream) {
    const { _tool: name, ...rest } = call;
    // The tool learns by a parameter of its own which call it works for.
    clock.after(atMs, () => batch.add({ id, name, arguments: JSON.stringify({ ...rest, callId: id }) }));
  }
  const settled = new Promise<Awaited<ReturnType<typeof batch.settled>>>((resolve) => {
    clock.after(input.closeAtMs, () => void batch.settled().then(resolve));
  });
  await clock.advance(100_000);
  const records = await settled;
  compare(expected, seen, input.closeAtMs);
  const failed = records.filter(({ status }) => status === "failed").map(({ call }) => call.id);
  const structural = (id: string): string => (seen.started.includes(id) ? "runtime" : "structural");
  assert.deepEqual(
    failed.map((call) => ({ call, type: structural(call) })),
    expected.errors,
  );
  assert.deepEqual(
    records.filter(({ status }) => status === "skipped").map(({ call }) => call.id),
    expected.skipped,
  );
  if (expected.state !== undefined) assert.deepEqual(stateOf(run, undefined), expected.state);
  for (const [instance, state] of Object.entries(expected.stateByInstance ?? {}))
    assert.deepEqual(stateOf(run, instance), state);
}

function compare(expected: z.infer<typeof Case>["expected"], seen: Seen, closeAt: number): void {
  const startedBefore = [...seen.startedAt].filter(([, at]) => at < closeAt).map(([id]) => id);
  const finishedBefore = seen.finished.filter(({ at }) => at < closeAt).map(({ id }) => id);
  const pairs = [
    [expected.startOrder, seen.started],
    [expected.started, seen.started],
    [expected.maxConcurrent, seen.most],
    [expected.startedBeforeClose, startedBefore],
    [expected.finishedBeforeClose, finishedBefore],
  ];
  for (const [wanted, got] of pairs) if (wanted !== undefined) assert.deepEqual(got, wanted);
  for (const [id, params] of Object.entries(expected.receivedParams ?? {})) assert.deepEqual(seen.params[id], params);
}

function stateOf(run: Running, instance: string | undefined): unknown {
  const state = foldKind(run.state, "state", instance);
  return state.found ? state.value : {};
}

function toolOf(name: string, one: z.infer<typeof ToolCase>, seen: Seen, clock: ReturnType<typeof fakeClock>): Tool {
  const label = () => ({ verb: name, subject: "" });
  const wrong = (params: Params): boolean =>
    Object.entries(one.schema?.properties ?? {}).some(([key, { type }]) => typeof params[key] !== type);
  return {
    name,
    description: name,
    parameters: {},
    effect: "read",
    label,
    touches: () => ({ reads: [], writes: [], runs: false }),
    prepare: ({ callId, ...params }) =>
      Promise.resolve(
        wrong(params)
          ? { kind: "refused", status: "failed", content: "wrong type" }
          : { kind: "prepared", params, label: label(), run: () => work(String(callId), params, one, { seen, clock }) },
      ),
  };
}

async function work(
  id: string,
  params: Params,
  one: z.infer<typeof ToolCase>,
  { seen, clock }: { seen: Seen; clock: ReturnType<typeof fakeClock> },
): Promise<Awaited<ReturnType<Extract<Awaited<ReturnType<Tool["prepare"]>>, { kind: "prepared" }>["run"]>>> {
  seen.started.push(id);
  seen.startedAt.set(id, clock.now());
  seen.params[id] = params;
  seen.most = Math.max(seen.most, ++seen.now);
  await new Promise<void>((resolve) => void clock.after(one.latencyMs, resolve));
  seen.now -= 1;
  seen.finished.push({ id, at: clock.now() });
  if (one.throws !== undefined) throw new Error(JSON.stringify(one.throws));
  const message = dataMessage(one.returns);
  const result = { status: "succeeded", content: JSON.stringify(one.returns) } as const;
  return message ? { ...result, message } : { ...result, value: one.returns };
}
