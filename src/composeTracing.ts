// Who measures runs: nobody, unless something is asked for.
import type { Clock } from "./engine/ports.ts";
import type { Tracer } from "./protocol/tracing.ts";
import { traceFile, traceLines } from "./tracing/files.ts";
import { otlpHttp } from "./tracing/otlp.ts";
import type { SpanExporter, TraceSpan } from "./tracing/span.ts";
import { createTracer } from "./tracing/tracer.ts";

export interface TraceOptions {
  /** Where OpenTelemetry's protocol over HTTP is understood, such as `http://localhost:4318`. */
  readonly endpoint?: string;
  /** Sent with each request to the endpoint. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A file: `.tracy` holds the last trace as a tree, any other gets a line of OpenTelemetry's JSON for each trace. */
  readonly file?: string;
  /** A line for each span goes to the log. Default false. */
  readonly lines?: boolean;
  /** Hears of each span when it has ended, inner ones first. */
  readonly onSpan?: (span: TraceSpan) => void;
  /** Whether traces hold what was said: messages, arguments, results. Default false. */
  readonly contents?: boolean;
}

interface Surroundings {
  readonly clock: Clock;
  readonly log: (message: string) => void;
}

export interface Tracing {
  readonly tracer: Tracer;
  /** Hands on what is left. Never throws. */
  close(): Promise<void>;
}

/** @param asked read anew for every run; what is wrong with it is logged, and the run is not measured */
export function createTracing(asked: () => TraceOptions, around: Surroundings): Tracing {
  let last: { readonly key: string; readonly tracer: Tracer | null } | null = null;
  const opened: SpanExporter[] = [];
  const tracerNow = (): Tracer | null => {
    const options = asked();
    const key = JSON.stringify(options);
    if (last?.key === key) return last.tracer;
    const exporters = exportersOf(options, around);
    opened.push(...exporters);
    const { contents = false } = options;
    last = { key, tracer: exporters.length === 0 ? null : createTracer({ exporters, contents, ...around }) };
    return last.tracer;
  };
  return {
    tracer: {
      begin(what) {
        try {
          return tracerNow()?.begin(what) ?? null;
        } catch (error) {
          around.log(`Runs are not traced. ${error instanceof Error ? error.message : String(error)}`);
          return null;
        }
      },
    },
    close: async () => void (await Promise.allSettled(opened.flatMap((exporter) => exporter.close?.() ?? []))),
  };
}

function exportersOf(
  { endpoint = "", headers = {}, file, lines = false, onSpan }: TraceOptions,
  { clock, log }: Surroundings,
): readonly SpanExporter[] {
  return [
    ...(endpoint.trim() === "" ? [] : [otlpHttp({ endpoint, headers, clock, log })]),
    ...(file === undefined ? [] : [traceFile(file)]),
    ...(lines ? [traceLines(log)] : []),
    ...(onSpan ? [{ export: onSpan }] : []),
  ];
}
