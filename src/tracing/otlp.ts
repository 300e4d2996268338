// OpenTelemetry's protocol over HTTP, as JSON: to the endpoint that a person has set, in batches, and given up where that fails.
import type { Clock } from "../engine/ports.ts";
import { LoopError } from "../protocol/errors.ts";
import type { Attribute, SpanExporter, TraceSpan } from "./span.ts";

/** Spans as one body of the protocol. */
export function otlpBody(spans: readonly TraceSpan[]): object {
  const resource = { attributes: attributesOf({ "service.name": "brain" }) };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "brain" }, spans: spans.map(wireSpan) }] }] };
}

const kinds = { internal: 1, client: 3 } as const;
const statusError = 2;

function wireSpan({ attributes, start, end, kind, error, ...rest }: TraceSpan): object {
  return {
    ...rest,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(end),
    attributes: attributesOf(attributes),
    status: error === undefined ? {} : { code: statusError, message: error },
  };
}

/** Too large for a number: as a text, as the protocol has it. */
function nanoseconds(milliseconds: number): string {
  return String(BigInt(Math.round(milliseconds)) * 1_000_000n);
}

function attributesOf(attributes: Readonly<Record<string, Attribute>>): readonly object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: wireValue(value) }));
}

function wireValue(value: Attribute): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((text) => ({ stringValue: text })) } };
}

interface OtlpOptions {
  /** With or without `/v1/traces`. */
  readonly endpoint: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly log: (message: string) => void;
}

const path = "/v1/traces";
/** Spans in one request; of those that wait, so many requests' worth are kept. */
const batchSize = 256;
const batchesKept = 8;
/** Milliseconds. */
const batchTime = 1_000;
const requestTime = 5_000;

/** @throws LoopError `bad_setting` for what is no http address */
export function otlpHttp({ endpoint, headers = {}, clock, log }: OtlpOptions): SpanExporter {
  const url = addressOf(endpoint);
  let waiting: TraceSpan[] = [];
  let sending: Promise<void> | null = null;
  let timer: (() => void) | null = null;
  let told = false;
  const failed = (why: string): void => {
    if (!told) log(`Traces do not reach ${url.origin}: ${why}. They are dropped.`);
    told = true;
  };
  const send = async (): Promise<void> => {
    const batch = waiting.slice(0, batchSize);
    waiting = waiting.slice(batchSize);
    try {
      const body = JSON.stringify(otlpBody(batch));
      const signal = AbortSignal.timeout(requestTime);
      const sent = { "content-type": "application/json", ...headers };
      // A redirect would take the traces to another place than the person has set.
      const response = await fetch(url, { method: "POST", headers: sent, body, signal, redirect: "error" });
      await response.body?.cancel();
      if (response.ok) told = false;
      else failed(`it answered ${response.status}`);
    } catch (error) {
      // Nobody waits for one that does not answer more than once.
      waiting = [];
      failed(error instanceof Error ? error.message : String(error));
    }
  };
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) await send();
    sending = null;
  };
  const flush = (): Promise<void> => {
    timer?.();
    timer = null;
    return (sending ??= drain());
  };
  return {
    export(span) {
      // An endpoint that does not answer must not fill the memory.
      if (waiting.length >= batchSize * batchesKept) return failed("it is too slow");
      waiting.push(span);
      if (waiting.length >= batchSize || span.parentSpanId === undefined) void flush();
      else timer ??= clock.after(batchTime, () => void flush());
    },
    close: flush,
  };
}

function addressOf(endpoint: string): URL {
  const url = URL.parse(endpoint.trim());
  if (!url || !/^https?:$/.test(url.protocol))
    throw new LoopError(
      "bad_setting",
      `“${endpoint}” is not an address for traces: it begins with http:// or https://.`,
    );
  const base = url.pathname.replace(/\/+$/, "");
  if (!base.endsWith(path)) url.pathname = base + path;
  return url;
}
