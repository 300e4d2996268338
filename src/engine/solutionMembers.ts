// What stands in a Solution, told as it is read: each call when its object has closed, the output, meta and advice.
import { startScan, type JsonScan, type JsonSink } from "./jsonScan.ts";

export type SolutionEvent =
  /** Words before a Solution, or in the place of one. */
  | { readonly type: "prose"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  /** It is known which tool the next call is for. */
  | { readonly type: "call:start"; readonly tool: string }
  /** A call has closed. `arguments` is a JSON object: its properties as they were written, without `_tool`. */
  | { readonly type: "call"; readonly tool: string; readonly arguments: string }
  /** A part of an output that is text. */
  | { readonly type: "output:text"; readonly text: string }
  /** An output that is no text, whole. */
  | { readonly type: "output"; readonly json: string }
  | { readonly type: "meta"; readonly value: unknown }
  | { readonly type: "advisors"; readonly value: unknown }
  /** What is wrong, as a sentence that the model can act on. Nothing is read after it. */
  | { readonly type: "error"; readonly message: string };

/** A Solution in the making. */
export interface Members {
  readonly scan: JsonScan;
  readonly events: SolutionEvent[];
  /** Set when a name shows that this object is meant to be a Solution. */
  known: boolean;
  calls: number;
  /** An output that is not null was there. */
  output: boolean;
  /** The piece that is being read. */
  piece: string;
  member: string;
  readonly seen: Set<string>;
  readonly call: OpenCall;
  /** Text that is kept as it was written: what was in earlier pieces, and where it goes on in this one. */
  capture: { readonly parts: string[]; from: number } | null;
}

interface OpenCall {
  tool: string | null;
  name: string;
  members: string[];
}

const memberNames: ReadonlySet<string> = new Set(["meta", "advisors", "calls", "output"]);

export function startMembers(events: SolutionEvent[]): Members {
  const members: Members = {
    scan: startScan({
      key: (name, depth) => onKey(members, name, depth),
      open: (bracket, at, depth) => onOpen(members, bracket, { at, depth }),
      close: (at, depth) => onClose(members, at, depth),
      quote: (isKey, at, depth) => onQuote(members, isKey, { at, depth }),
      text: (part, depth) => {
        if (depth === 1 && members.member === "output") say(events, "output:text", part);
      },
      control: (character, at) => keepControl(members, character, at),
      unquote: (_at, depth) => {
        members.output ||= depth === 1 && members.member === "output";
      },
      scalar: (text, depth) => onScalar(members, text, depth),
      comma: (at, depth) => {
        if (depth === 3 && members.member === "calls") endProperty(members, at);
      },
    } satisfies JsonSink),
    events,
    known: false,
    calls: 0,
    output: false,
    piece: "",
    member: "",
    seen: new Set(),
    call: { tool: null, name: "", members: [] },
    capture: null,
  };
  return members;
}

/** Adds a part of a text, to the last event where it goes on. */
export function say(events: SolutionEvent[], type: "prose" | "thinking" | "output:text", text: string): void {
  const last = events.at(-1);
  if (last?.type === type) events[events.length - 1] = { type, text: last.text + text };
  else if (text !== "") events.push({ type, text });
}

/** To be called when a piece has been read: keeps of it what goes on in the next one. */
export function endPiece({ capture }: Members, piece: string): void {
  if (!capture) return;
  capture.parts.push(piece.slice(capture.from));
  capture.from = 0;
}

interface Place {
  readonly at: number;
  readonly depth: number;
}

function onKey(members: Members, name: string, depth: number): void {
  if (depth === 3 && members.member === "calls") members.call.name = name;
  if (depth !== 1) return;
  members.member = name;
  if (memberNames.has(name)) {
    members.known = true;
    if (members.seen.has(name)) fail(members, `“${name}” stands twice in the Solution`);
    members.seen.add(name);
  } else if (name === "_tool" && !members.known) {
    members.known = true;
    fail(members, "a call must stand in the list “calls” of the Solution");
  }
}

function onQuote(members: Members, isKey: boolean, { at, depth }: Place): void {
  const inCalls = members.member === "calls";
  if (isKey && depth === 3 && inCalls) startCapture(members, at);
  if (!isKey && inCalls && depth === 1) fail(members, "“calls” must be a list");
  if (!isKey && inCalls && depth === 2) fail(members, "each call must be an object with “_tool”");
}

function onOpen(members: Members, bracket: "{" | "[", { at, depth }: Place): void {
  const inCalls = members.member === "calls";
  if (depth === 1 && inCalls && bracket === "{") fail(members, "“calls” must be a list");
  else if (depth === 1 && !inCalls && memberNames.has(members.member)) startCapture(members, at);
  else if (depth === 2 && inCalls && bracket === "[") fail(members, "each call must be an object with “_tool”");
  else if (depth === 2 && inCalls) Object.assign(members.call, { tool: null, members: [] });
}

function onClose(members: Members, at: number, depth: number): void {
  if (depth === 2 && members.member === "calls") endCall(members, at);
  else if (depth === 1 && members.capture) endMember(members, endCapture(members, at + 1));
}

function onScalar(members: Members, text: string, depth: number): void {
  if (members.member === "calls" && depth === 2) fail(members, "each call must be an object with “_tool”");
  if (depth !== 1 || text === "null") return;
  if (members.member === "calls") fail(members, "“calls” must be a list");
  else if (members.member === "output") endMember(members, text);
}

/** A value of the Solution itself is complete. */
function endMember(members: Members, json: string): void {
  const parsed = parse(json);
  if (!parsed) return fail(members, `“${members.member}” is no valid JSON`);
  if (members.member === "output") {
    members.output = true;
    members.events.push({ type: "output", json });
  } else if (members.member === "meta") members.events.push({ type: "meta", value: parsed.value });
  else members.events.push({ type: "advisors", value: parsed.value });
}

function endProperty(members: Members, at: number): void {
  const { call } = members;
  if (!members.capture) return;
  const text = endCapture(members, at).trimEnd();
  if (call.name !== "_tool") {
    call.members.push(text);
    return;
  }
  const tool = new Map(Object.entries(parse(`{${text}}`)?.value ?? {})).get("_tool");
  if (call.tool !== null) return fail(members, "a call must have one “_tool”");
  if (typeof tool !== "string" || tool === "") return fail(members, "“_tool” must be the name of a tool");
  call.tool = tool;
  members.events.push({ type: "call:start", tool });
}

function endCall(members: Members, at: number): void {
  endProperty(members, at);
  const { tool, members: properties } = members.call;
  if (members.scan.problem !== null) return;
  if (tool === null) return fail(members, "a call must have “_tool”, the name of its tool");
  members.calls += 1;
  members.events.push({ type: "call", tool, arguments: `{${properties.join(",")}}` });
}

function startCapture(members: Members, at: number): void {
  members.capture = { parts: [], from: at };
}

function endCapture(members: Members, at: number): string {
  const { capture, piece } = members;
  members.capture = null;
  return capture ? [...capture.parts, piece.slice(capture.from, at)].join("") : "";
}

/** What is kept is valid JSON although the text in it was not. */
function keepControl({ capture, piece }: Members, character: string, at: number): void {
  if (!capture) return;
  capture.parts.push(piece.slice(capture.from, at), JSON.stringify(character).slice(1, -1));
  capture.from = at + 1;
}

function fail({ scan }: Members, problem: string): void {
  scan.problem ??= problem;
}

function parse(json: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(json) };
  } catch {
    return null;
  }
}
