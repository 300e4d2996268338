// References against a context: values, methods, instances, errors.
import assert from "node:assert/strict";
import * as z from "zod";
import { parseReference, resolveParams } from "../../src/engine/references.ts";
import { lookupIn, outputMethods, type DataMessage } from "../../src/engine/state.ts";

const Message = z.looseObject({
  kind: z.string().default("data"),
  data: z.unknown(),
  _instance: z.string().optional(),
  _call: z.looseObject({ _outputPath: z.string() }).optional(),
  _outputMethod: z.enum(outputMethods).default("set"),
});
const Case = z.looseObject({
  input: z.object({ context: z.array(Message), expr: z.unknown(), instance: z.string().nullable() }),
  expected: z.union([z.object({ error: z.string() }), z.object({ value: z.unknown() })]),
});

/** A message of the vectors as the engine keeps it. */
export function messageOf(raw: unknown): DataMessage {
  const message = Message.parse(raw);
  const parsed = message._call && parseReference(message._call._outputPath);
  const place = parsed?.kind === "expression" ? parsed.expression[0]?.[0] : undefined;
  return {
    kind: message.kind,
    data: message.data,
    instance: message._instance,
    written: place && { path: place.path, method: message._outputMethod },
  };
}

export function checkActsRefs(raw: unknown): Promise<void> {
  const { input, expected } = Case.parse(raw);
  const lookup = lookupIn(input.context.map(messageOf), input.instance ?? undefined);
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
