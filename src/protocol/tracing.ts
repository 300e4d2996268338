// What the loop tells of its work to whoever measures it: spans, each inside another. The names of a standard are the tracer's own business.
import type { ReplyOptions } from "./replyOptions.ts";
import type { Message, ToolCall } from "./messages.ts";
import type { Usage } from "./usage.ts";

/** What a span is about. */
export type Traced =
  /** A run of an agent: a person's, or the work of a call. */
  | {
      readonly kind: "agent";
      readonly name: string;
      readonly description?: string | undefined;
      readonly sessionId?: string | undefined;
    }
  /** One request to a model. */
  | {
      readonly kind: "chat";
      readonly model: string;
      /** As settings name it; absent: not known. */
      readonly provider?: string | undefined;
      /** What its agent asks of replies. */
      readonly options?: Pick<ReplyOptions, "temperature" | "maxOutputTokens" | "topP"> | undefined;
      readonly system: string;
      readonly messages: readonly Message[];
    }
  /** The work of one call; the time that a person took to decide is not in it. */
  | { readonly kind: "tool"; readonly call: ToolCall; readonly description?: string | undefined }
  /** Reading an agent, making its conversation, reading its answer. */
  | { readonly kind: "step"; readonly name: "load" | "prepare" | "process" };

/** How it ended. */
export interface TraceEnd {
  /** What this span itself has used; the tracer adds it up. */
  readonly usage?: Usage;
  /** Why the model stopped. */
  readonly finish?: string;
  readonly output?: unknown;
  /** Absent: it went well. `type` is a code of few values. */
  readonly error?: { readonly type: string; readonly message: string };
}

/** Begins spans. Returns at once, and never throws: who looks at a run cannot change it (PROMPTY-3-3). */
export interface Tracer {
  /** @returns null when it is not to be measured */
  begin(what: Traced): Span | null;
}

/** What it begins is inside it. */
export interface Span extends Tracer {
  begin(what: Traced): Span;
  /** What it is about is known better now. */
  become(what: Traced): void;
  /** Idempotent. Spans inside it that go on end with it. */
  end(how?: TraceEnd): void;
}

/** Settings of tracing, as they are contributed. */
export const tracingSettings = {
  "tracing.endpoint": {
    type: "string",
    default: "",
    scope: "machine",
    markdownDescription:
      "Where traces of runs are sent, by OpenTelemetry's protocol over HTTP, for example `http://localhost:4318`. Empty: nowhere. What is sent: names of agents, models and tools, times, tokens and errors.",
  },
  "tracing.contents": {
    type: "boolean",
    default: false,
    scope: "machine",
    markdownDescription:
      "Traces hold what was said too: messages, arguments and results of calls. Values under names of secrets, such as `apiKey` or `token`, are left out.",
  },
} as const;
