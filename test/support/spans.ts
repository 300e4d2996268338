// Spans for tests: kept in memory, and drawn as a tree.
import { createTracer } from "../../src/tracing/tracer.ts";
import type { SpanExporter, TraceSpan } from "../../src/tracing/span.ts";
import type { Tracer } from "../../src/protocol/tracing.ts";
import { fakeClock } from "./kit.ts";

interface Kept {
  readonly tracer: Tracer;
  readonly spans: readonly TraceSpan[];
  readonly logged: readonly string[];
}

interface KeepOptions {
  readonly contents?: boolean;
  readonly others?: readonly SpanExporter[];
}

export function keptSpans({ contents = false, others = [] }: KeepOptions = {}): Kept {
  const spans: TraceSpan[] = [];
  const logged: string[] = [];
  const exporters = [...others, { export: (span: TraceSpan) => spans.push(span) }];
  const log = (message: string): void => void logged.push(message);
  return { tracer: createTracer({ exporters, contents, clock: fakeClock(), log }), spans, logged };
}

/** The names, in the order of the beginning, each below the one that it is inside. */
export function treeOf(spans: readonly TraceSpan[], inside?: string, indent = ""): readonly string[] {
  const here = spans.filter(({ parentSpanId }) => parentSpanId === inside);
  return here.flatMap(({ name, spanId }) => [`${indent}${name}`, ...treeOf(spans, spanId, `${indent}  `)]);
}

/** The span of this name. Throws when there is not exactly one. */
export function spanNamed(spans: readonly TraceSpan[], name: string): TraceSpan {
  const [found, ...more] = spans.filter((span) => span.name === name);
  if (!found || more.length > 0) throw new Error(`${more.length + (found ? 1 : 0)} spans are called ${name}.`);
  return found;
}
