// What an estimate asks for: a memory flush, a compaction, both in that order, or nothing.
import assert from "node:assert/strict";
import * as z from "zod";
import { contextActions } from "../../src/engine/thresholds.ts";
import { LoopError } from "../../src/protocol/errors.ts";

const Case = z.object({
  input: z.object({
    config: z.object({ contextWindow: z.number(), reserveFloor: z.number(), flushThreshold: z.number() }),
    tokenEstimate: z.number(),
    flushedThisCycle: z.boolean(),
  }),
  expected: z.union([z.object({ actions: z.array(z.string()) }), z.object({ configError: z.literal(true) })]),
});

export async function checkBrainContext(raw: unknown): Promise<void> {
  const { input, expected } = Case.parse(raw);
  const actions = (): readonly string[] => contextActions(input.tokenEstimate, input.config, input.flushedThisCycle);
  if ("configError" in expected)
    assert.throws(actions, (error) => error instanceof LoopError && error.code === "bad_setting");
  else assert.deepEqual(actions(), expected.actions);
}
