// What the panel shows of one call, as a pure fold of its events.
import type { Label, Preview, Review } from "./calls.ts";
import type { EventOf, HostEvent, RuleOffer } from "./events.ts";
import type { Changes } from "./changes.ts";
import type { CallStatus, Decision, Params } from "./messages.ts";

export interface Ask {
  readonly params: Params;
  readonly schema: Params;
  readonly why: string;
  readonly reason?: string | undefined;
  /** Rules that would allow it from now on. */
  readonly offers?: readonly RuleOffer[] | undefined;
  /** Why the last decision was not taken: the changed parameters were refused. */
  readonly problem?: string | undefined;
}

/** An argument, or a part of one, that is being written or has been. */
export interface ArrivingField {
  readonly name: string;
  /** The end of it so far. */
  readonly text: string;
}

export interface CallItem {
  readonly kind: "call";
  readonly id: string;
  /** The call that it is part of the work of: a delegate's; null for the run's own. */
  readonly within: string | null;
  /** The reply that it is a part of. */
  readonly messageId: string;
  readonly toolName: string;
  readonly label: Label;
  readonly state: "streaming" | "blocked" | "ready" | "pending" | "running" | CallStatus;
  /** Calls it waits for or has waited for last, by id. */
  readonly waitsFor: readonly string[];
  /** While it arrives: its arguments so far, in the order the model writes them. */
  readonly arriving: readonly ArrivingField[];
  readonly params: Params | null;
  readonly preview: Preview | null;
  readonly ask: Ask | null;
  /** Place by place, where a proposed change waits. */
  readonly review: Review | null;
  readonly decided: {
    readonly decision: Decision;
    readonly by: "person" | "policy";
    /** The rule that allowed it. */
    readonly rule?: string | undefined;
  } | null;
  /** What it was, once another call has been put in its place: from then on `label` is that one's. */
  readonly replaced: Label | null;
  /** The question after which it waits for something to be typed; null: it does not wait. */
  readonly input: string | null;
  /** The end of the live output. */
  readonly output: string;
  readonly result: string;
  readonly duration: number;
  /** Files that it has changed; null: none, as far as it is known. */
  readonly changes: Changes | null;
  /** A person has taken all of that back. */
  readonly undone: boolean;
}

/** Characters of live output kept in the view; the whole is in the result. */
const outputTail = 16_384;

/** Characters of an arriving argument that are kept to be shown. */
export const arrivingTail = 4_096;

/** Arriving arguments that are kept to be shown: the first, and the last ones. */
export const mostArriving = 12;

export type HostCallEvent = Extract<HostEvent, { type: "call:offers" | "call:field" }>;

type CallEvent =
  | EventOf<
      | "call:blocked"
      | "call:ready"
      | "call:pending"
      | "call:decided"
      | "call:input"
      | "tool:start"
      | "tool:output"
      | "call:changes"
      | "tool:end"
    >
  | HostCallEvent;

export function reduceCall(item: CallItem, event: CallEvent): CallItem {
  switch (event.type) {
    case "call:field":
      return { ...item, arriving: withField(item.arriving, event) };
    case "call:blocked":
      return { ...item, state: "blocked", arriving: [], label: event.label, waitsFor: event.waitsFor };
    case "call:ready":
      return {
        ...item,
        state: "ready",
        arriving: [],
        label: event.label,
        params: event.params,
        preview: event.preview ?? null,
      };
    case "call:pending": {
      const { params, schema, why, reason } = event;
      return {
        ...item,
        state: "pending",
        label: event.label,
        params,
        ask: { params, schema, why, reason, problem: item.ask?.problem },
      };
    }
    case "call:offers":
      return { ...item, ask: item.ask && { ...item.ask, offers: event.offers } };
    case "call:decided":
      if (event.problem !== undefined) return { ...item, ask: item.ask && { ...item.ask, problem: event.problem } };
      return {
        ...item,
        state: "ready",
        decided: { decision: event.decision, by: event.by, ...(event.rule !== undefined && { rule: event.rule }) },
        replaced: event.decision.kind === "replace" ? item.label : item.replaced,
      };
    case "tool:start":
      return { ...item, state: "running", label: event.label, ask: null, review: null };
    case "tool:output":
      return { ...item, output: (item.output + event.chunk).slice(-outputTail) };
    case "call:input":
      return { ...item, input: event.prompt };
    case "call:changes":
      return { ...item, changes: event.changes };
    case "tool:end":
      return {
        ...item,
        state: event.status,
        arriving: [],
        ask: null,
        review: null,
        input: null,
        result: event.result,
        duration: event.duration,
      };
  }
}

function withField(fields: readonly ArrivingField[], { name, text }: ArrivingField): readonly ArrivingField[] {
  const last = fields.at(-1);
  const goesOn = last?.name === name;
  const before = goesOn ? fields.slice(0, -1) : fields.toSpliced(1, 1 + fields.length - mostArriving);
  return [...before, { name, text: ((goesOn ? last.text : "") + text).slice(-arrivingTail) }];
}

export function newCall(event: EventOf<"call:streaming">): CallItem {
  return {
    kind: "call",
    id: event.toolCallId,
    within: event.within ?? null,
    messageId: event.messageId,
    toolName: event.toolName,
    label: { verb: event.toolName, subject: "" },
    state: "streaming",
    waitsFor: [],
    arriving: [],
    params: null,
    preview: null,
    ask: null,
    review: null,
    decided: null,
    replaced: null,
    input: null,
    output: "",
    result: "",
    duration: 0,
    changes: null,
    undone: false,
  };
}
