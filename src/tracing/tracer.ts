// The tracer: gives spans their place, their times and the sum of what was used in them, and hands them on when they end.
import { randomBytes } from "node:crypto";
import type { Clock } from "../engine/ports.ts";
import { addUsage, type Usage } from "../protocol/usage.ts";
import type { Span, TraceEnd, Traced, Tracer } from "../protocol/tracing.ts";
import { beginning, ending, usageAttributes } from "./genai.ts";
import type { SpanExporter, TraceSpan } from "./span.ts";

interface TracerOptions {
  readonly exporters: readonly SpanExporter[];
  /** Whether spans hold what was said. */
  readonly contents: boolean;
  readonly clock: Pick<Clock, "now">;
  readonly log: (message: string) => void;
}

/** Makes a tracer of its own: nothing is registered anywhere, and no other tracer of the process is asked. */
export function createTracer(options: TracerOptions): Tracer {
  const { exporters, log } = options;
  const failed = (error: unknown): void => log(`A trace could not be handed on: ${String(error)}`);
  const hand = (span: TraceSpan): void => {
    for (const exporter of exporters) attempt(() => exporter.export(span)).catch(failed);
  };
  return { begin: (what) => open(what, { traceId: hex(16), spend: () => undefined }, { ...options, hand, failed }) };
}

/** What it throws at once is told as what it rejects with. */
async function attempt(work: () => unknown): Promise<void> {
  await work();
}

interface Inside {
  readonly traceId: string;
  readonly parentSpanId?: string;
  /** Adds to what was used in the spans around it. */
  readonly spend: (usage: Usage) => void;
}

interface Around extends TracerOptions {
  readonly hand: (span: TraceSpan) => void;
  readonly failed: (error: unknown) => void;
}

function open(what: Traced, { spend, ...place }: Inside, around: Around): Span {
  const spanId = hex(8);
  const start = around.clock.now();
  const going = new Set<Span>();
  let about = what;
  let usage: Usage | null = null;
  let ended = false;
  const add = (used: Usage): void => {
    usage = usage ? addUsage(usage, used) : used;
    spend(used);
  };
  const finish = (how: TraceEnd): void => {
    const { contents, clock } = around;
    const { attributes, ...named } = beginning(about, contents);
    const used = usage && about.kind !== "step" ? usageAttributes(usage) : {};
    const all = { ...attributes, ...used, ...ending(about, how, contents) };
    const error = how.error && { error: contents ? how.error.message : how.error.type };
    around.hand({ ...place, spanId, ...named, start, end: Math.max(start, clock.now()), attributes: all, ...error });
  };
  return {
    become: (known) => void (about = known),
    begin(inner) {
      const span = open(inner, { traceId: place.traceId, parentSpanId: spanId, spend: add }, around);
      const end = (how?: TraceEnd): void => {
        going.delete(listed);
        span.end(how);
      };
      const listed: Span = { ...span, end };
      going.add(listed);
      return listed;
    },
    end(how = {}) {
      if (ended) return;
      ended = true;
      for (const span of going) span.end({ error: unfinished });
      if (how.usage) add(how.usage);
      try {
        finish(how);
      } catch (error) {
        around.failed(error);
      }
    },
  };
}

const unfinished = { type: "unfinished", message: "It had not ended when what it belongs to ended." };

function hex(bytes: number): string {
  return randomBytes(bytes).toString("hex");
}
