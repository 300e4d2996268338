// Traces as files and as lines: a .tracy file for a trace, any other file with a line of OpenTelemetry's JSON for each, and words for a log.
import { appendFile, mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, extname } from "node:path";
import { redacted } from "./redact.ts";
import { otlpBody } from "./otlp.ts";
import type { SpanExporter, TraceSpan } from "./span.ts";

/**
 * Writes each trace when it has ended. `.tracy`: the last one, as Prompty's tracer writes it; else a line for each, which
 * OpenTelemetry's collector reads as a file.
 * @param file made where it is not there, with its folder
 */
export function traceFile(file: string): SpanExporter {
  const tracy = extname(file) === ".tracy";
  const write = async (spans: readonly TraceSpan[]): Promise<void> => {
    await mkdir(dirname(file), { recursive: true });
    if (!tracy) return appendFile(file, `${JSON.stringify(otlpBody(spans))}\n`);
    // Nobody reads half of one.
    const unfinished = `${file}.${process.pid}.tmp`;
    await writeFile(unfinished, `${JSON.stringify(tracyOf(spans), null, 2)}\n`);
    await rename(unfinished, file);
  };
  return wholeTraces(write);
}

/** A line for each span, when it has ended. */
export function traceLines(log: (line: string) => void): SpanExporter {
  return {
    export({ name, start, end, attributes, error }) {
      const { "gen_ai.usage.input_tokens": input, "gen_ai.usage.output_tokens": output } = attributes;
      const tokens = input === undefined ? [] : [`${String(input)} + ${String(output)} tokens`];
      log([`${name}: ${end - start} ms`, ...tokens, ...(error === undefined ? [] : [error])].join(", "));
    },
  };
}

/** Keeps spans until the first of their trace ends, which ends last; writes one trace after the other. */
function wholeTraces(write: (spans: readonly TraceSpan[]) => Promise<void>): SpanExporter {
  const going = new Map<string, TraceSpan[]>();
  let last: Promise<void> = Promise.resolve();
  return {
    export(span) {
      const spans = going.get(span.traceId) ?? [];
      spans.push(span);
      if (span.parentSpanId !== undefined) return void going.set(span.traceId, spans);
      going.delete(span.traceId);
      const written = last.then(() => write(spans));
      last = written.catch(() => undefined);
      return written;
    },
    close: () => last,
  };
}

/** The tree of a trace in the form of Prompty's own tracer. @param spans the first of the trace is the last */
export function tracyOf(spans: readonly TraceSpan[]): object {
  const inside = (id?: string): readonly TraceSpan[] => spans.filter(({ parentSpanId }) => parentSpanId === id);
  const frame = ({ spanId, name, start, end, attributes, error }: TraceSpan): object => {
    const frames = inside(spanId)
      .toSorted((a, b) => a.start - b.start)
      .map(frame);
    const { "gen_ai.usage.input_tokens": input, "gen_ai.usage.output_tokens": output } = attributes;
    return {
      name,
      __time: { start: timeOf(start), end: timeOf(end), duration: end - start },
      ...Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, redacted(value)])),
      ...(error !== undefined && { error }),
      ...(typeof input === "number" &&
        typeof output === "number" && {
          __usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
        }),
      ...(frames.length > 0 && { __frames: frames }),
    };
  };
  const [root] = inside();
  return { runtime: "brain", trace: root ? frame(root) : {} };
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
