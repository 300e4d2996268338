// References against a context: values, methods, instances, errors.
import assert from "node:assert/strict";
import * as z from "zod";
import { dataMessage } from "../../src/engine/data.ts";
import { resolveParams } from "../../src/engine/references.ts";
import { lookupIn } from "../../src/engine/state.ts";

const Case = z.looseObject({
  input: z.object({ context: z.array(z.unknown()), expr: z.unknown(), instance: z.string().nullable() }),
  expected: z.union([z.object({ error: z.string() }), z.object({ value: z.unknown() })]),
});

export function checkActsRefs(raw: unknown): Promise<void> {
  const { input, expected } = Case.parse(raw);
  const lookup = lookupIn(
    input.context.flatMap((message) => dataMessage(message) ?? []),
    input.instance ?? undefined,
  );
  const whole = z.record(z.string(), z.unknown()).safeParse(input.expr);
  const params = whole.success ? whole.data : { it: input.expr };
  const resolved = resolveParams(params, lookup);
  if ("error" in expected) {
    assert.deepEqual(resolved.kind === "unresolved" && resolved.error, expected.error);
  } else {
    assert.ok(resolved.kind === "resolved", JSON.stringify(resolved));
    const value: unknown = whole.success ? resolved.value : z.looseObject({ it: z.unknown() }).parse(resolved.value).it;
    assert.deepEqual(value, expected.value);
  }
  return Promise.resolve();
}
