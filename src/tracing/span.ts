// A span that has ended, as exporters get it: plain data, in OpenTelemetry's words.

export type Attribute = string | number | boolean | readonly string[];

export interface TraceSpan {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Absent: the first of its trace, which ends last. */
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: "internal" | "client";
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Readonly<Record<string, Attribute>>;
  /** Absent: it went well. */
  readonly error?: string;
}

/** Where spans go. What it throws or takes its time for changes nothing of the run. */
export interface SpanExporter {
  /** Called with each span when it has ended; inner ones first. */
  export(span: TraceSpan): unknown;
  /** Sends what is left. Never waits long, and never throws. */
  close?(): Promise<void>;
}
