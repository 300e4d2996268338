// From events of an Anthropic Messages stream to ModelEvents: a pure state machine, one event at a time.
import type { FinishReason, ModelEvent } from "../engine/ports.ts";
import { appended } from "../protocol/appended.ts";
import type { ToolCall } from "../protocol/messages.ts";
import { inputOf, saysMore, type Kept } from "./anthropicBlocks.ts";
import { usageOf, withReport, type Counts } from "./anthropicUsage.ts";
import { brokenReply, failureOf, type Endpoint, type ErrorEvent } from "./providerFailure.ts";
import { isRecord, numberOf, recordOf, textOf, type WireRecord } from "./wireValue.ts";

export interface FoldOptions {
  readonly endpoint: Endpoint;
  /** Makes an id for a call that came without one, or with one that is taken. */
  readonly newId: () => string;
  /** Ids of earlier calls in the conversation. */
  readonly taken: ReadonlySet<string>;
  /** What the reply is bound to; kept with its blocks. */
  readonly seal: string;
}

interface OpenBlock {
  readonly block: WireRecord;
  /** What has arrived of the arguments of a call. */
  readonly json: string;
}

/** What is known of a reply so far. */
export interface Fold {
  readonly options: FoldOptions;
  /** Begun and not ended, by index. */
  readonly open: ReadonlyMap<number, OpenBlock>;
  /** Complete, in the order in which they ended. */
  readonly blocks: readonly WireRecord[];
  /** Ended with arguments that are no complete JSON: perhaps cut off. */
  readonly doubtful: readonly ToolCall[];
  readonly ids: ReadonlySet<string>;
  /** How many calls were given out. */
  readonly calls: number;
  readonly counts: Counts;
  /** The reason as the server gave it; `""` before it came. */
  readonly finish: string;
  /** Why the server refused; `""` when it did not say. */
  readonly explanation: string;
  /** The last event was given out. */
  readonly over: boolean;
}

export interface Step {
  readonly fold: Fold;
  readonly events: readonly ModelEvent[];
}

export function startFold(options: FoldOptions): Fold {
  return {
    options,
    open: new Map(),
    blocks: [],
    doubtful: [],
    ids: options.taken,
    calls: 0,
    counts: {},
    finish: "",
    explanation: "",
    over: false,
  };
}

/** Takes in one event of the stream; unknown ones say nothing. A call is complete when its block ends (C-47). */
export function foldEvent(fold: Fold, raw: unknown): Step {
  const event = recordOf(raw);
  if (fold.over) return { fold, events: [] };
  const events: ModelEvent[] = [];
  switch (event["type"]) {
    case "message_start":
      return { fold: { ...fold, counts: withReport(fold.counts, recordOf(event["message"])["usage"]) }, events };
    case "content_block_start":
      return { fold: begin(fold, event, events), events };
    case "content_block_delta":
      return grow(fold, event);
    case "content_block_stop":
      return { fold: close(fold, indexOf(event), events), events };
    case "message_delta":
      return { fold: settle(fold, event, events), events };
    case "message_stop":
      return end(release(fold, events), events);
    default:
      return event["error"] === undefined ? { fold, events } : failed(fold, errorOf(fold, event));
  }
}

/** What remains to be said when the stream has ended by itself. */
export function foldEnd(fold: Fold): readonly ModelEvent[] {
  if (fold.over) return [];
  return fold.finish === "" ? foldFailure(fold, brokenReply(fold.options.endpoint)) : end(fold, []).events;
}

/** The last events of a reply that broke: what its calls need is kept, because their results go back (C-05). */
export function foldFailure(fold: Fold, error: ErrorEvent): readonly ModelEvent[] {
  return fold.over ? [] : [...used(fold), ...(fold.calls > 0 ? kept(fold) : []), error];
}

function failed(fold: Fold, error: ErrorEvent): Step {
  return { fold: { ...fold, over: true }, events: foldFailure(fold, error) };
}

function errorOf(fold: Fold, { error }: WireRecord): ErrorEvent {
  return failureOf({ error: error ?? {} }, fold.options.endpoint, "streaming");
}

function end(fold: Fold, before: readonly ModelEvent[]): Step {
  const refused: ModelEvent[] = fold.explanation === "" ? [] : [{ type: "text", text: fold.explanation }];
  const finish: ModelEvent = { type: "finish", reason: reasonOf(fold) };
  return { fold: { ...fold, over: true }, events: [...before, ...refused, ...used(fold), ...kept(fold), finish] };
}

const cutOff = new Set(["max_tokens", "model_context_window_exceeded"]);

/** Servers give reasons that do not fit their calls, so the calls decide. A paused turn goes on when it is asked to, like one cut off. */
function reasonOf({ finish, calls }: Fold): FinishReason {
  if (finish === "refusal") return "refusal";
  if (cutOff.has(finish)) return "length";
  if (calls > 0) return "calls";
  return finish === "pause_turn" ? "length" : "stop";
}

function used({ counts }: Fold): ModelEvent[] {
  const usage = usageOf(counts);
  return usage ? [{ type: "usage", usage }] : [];
}

function kept({ blocks, options }: Fold): ModelEvent[] {
  if (!saysMore(blocks)) return [];
  const data: Kept = { host: options.endpoint.host, seal: options.seal, blocks };
  return [{ type: "provider", data }];
}

function indexOf(event: WireRecord): number {
  return numberOf(event["index"]) ?? 0;
}

function begin(fold: Fold, event: WireRecord, events: ModelEvent[]): Fold {
  const index = indexOf(event);
  const given = recordOf(event["content_block"]);
  // What follows shows that no limit has cut off what came before; an index that comes again ends its block.
  const before = release(close(fold, index, events), events);
  const block = given["type"] === "tool_use" ? { ...given, id: idFor(before, given) } : given;
  events.push(...begun(block));
  return {
    ...before,
    open: new Map(before.open).set(index, { block, json: "" }),
    ids: given["type"] === "tool_use" ? new Set(before.ids).add(textOf(block["id"])) : before.ids,
  };
}

function idFor({ ids, options }: Fold, block: WireRecord): string {
  const id = textOf(block["id"]);
  return id === "" || ids.has(id) ? options.newId() : id;
}

function begun(block: WireRecord): ModelEvent[] {
  if (block["type"] === "tool_use")
    return [{ type: "call:start", id: textOf(block["id"]), name: textOf(block["name"]) }];
  return [...said("text", textOf(block["text"])), ...said("thinking", textOf(block["thinking"]))];
}

function said(type: "text" | "thinking", text: string): ModelEvent[] {
  return text === "" ? [] : [{ type, text }];
}

function grow(fold: Fold, event: WireRecord): Step {
  const index = indexOf(event);
  const delta = recordOf(event["delta"]);
  const before = fold.open.get(index);
  const text = textOf(delta["text"]);
  const thinking = textOf(delta["thinking"]);
  const events: ModelEvent[] = [...said("text", text), ...said("thinking", thinking)];
  if (!before) {
    if (textOf(delta["partial_json"]).trim() === "") return { fold, events };
    return failed(fold, brokenReply(fold.options.endpoint, "mixed up the parts of its calls"));
  }
  const { block } = before;
  const json = textOf(delta["partial_json"]);
  if (json !== "" && block["type"] === "tool_use")
    events.push({ type: "call:delta", id: textOf(block["id"]), text: json });
  const grown: OpenBlock = {
    json: appended(before.json, json),
    block: {
      ...block,
      ...(text !== "" && { text: appended(textOf(block["text"]), text) }),
      ...(thinking !== "" && { thinking: appended(textOf(block["thinking"]), thinking) }),
      ...(typeof delta["signature"] === "string" && { signature: delta["signature"] }),
    },
  };
  return { fold: { ...fold, open: new Map(fold.open).set(index, grown) }, events };
}

function close(fold: Fold, index: number, events: ModelEvent[]): Fold {
  const ended = fold.open.get(index);
  if (!ended) return fold;
  const open = new Map(fold.open);
  open.delete(index);
  const { block } = ended;
  if (textOf(block["type"]) === "") return { ...fold, open };
  if (!("input" in block)) return { ...fold, open, blocks: [...fold.blocks, block] };
  const text = argumentsOf(ended);
  const blocks = [...fold.blocks, { ...block, input: inputOf(text) }];
  const after = { ...fold, open, blocks };
  if (block["type"] !== "tool_use") return after;
  const call = { id: textOf(block["id"]), name: textOf(block["name"]), arguments: text };
  return isJson(text) ? give(after, call, events) : { ...after, doubtful: [...after.doubtful, call] };
}

/** Some servers give the arguments whole, when the block begins. */
function argumentsOf({ block, json }: OpenBlock): string {
  const whole = block["input"];
  return json.trim() === "" && isRecord(whole) && Object.keys(whole).length > 0 ? JSON.stringify(whole) : json;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function give(fold: Fold, call: ToolCall, events: ModelEvent[]): Fold {
  events.push({ type: "call", call });
  return { ...fold, calls: fold.calls + 1 };
}

/** Gives out the calls in doubt; one without arguments has none. */
function release(fold: Fold, events: ModelEvent[]): Fold {
  let next: Fold = { ...fold, doubtful: [] };
  for (const call of fold.doubtful)
    next = give(next, { ...call, arguments: call.arguments.trim() === "" ? "{}" : call.arguments }, events);
  return next;
}

/** A limit ends the block it cuts off as if it were complete: calls in doubt are not given out then. */
function settle(fold: Fold, event: WireRecord, events: ModelEvent[]): Fold {
  const delta = recordOf(event["delta"]);
  const finish = textOf(delta["stop_reason"]) || fold.finish;
  const next: Fold = {
    ...fold,
    finish,
    explanation: finish === "refusal" ? textOf(recordOf(delta["stop_details"])["explanation"]) : "",
    counts: withReport(fold.counts, event["usage"]),
  };
  if (finish === "") return next;
  return cutOff.has(finish) ? { ...next, doubtful: [] } : release(closeAll(next, events), events);
}

function closeAll(fold: Fold, events: ModelEvent[]): Fold {
  let next = fold;
  for (const index of fold.open.keys()) next = close(next, index, events);
  return next;
}
