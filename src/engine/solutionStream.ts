// A model's reply in words, read piece by piece for the Solution in it: with words before it, in a code fence, after thinking aloud.
import { endScalar, lacksOnlyBrackets, scanPiece } from "./jsonScan.ts";
import { endPiece, say, startMembers, type Members, type SolutionEvent } from "./solutionMembers.ts";

export interface SolutionEnd {
  /** What was still to be said. */
  readonly events: readonly SolutionEvent[];
  /** `object`: nothing but another JSON object. `cut`: it ended too early. `broken`: it cannot be read. Both have an error event. */
  readonly form: "solution" | "object" | "prose" | "nothing" | "broken" | "cut";
  /** The other JSON object as it was written. */
  readonly object: string;
  /** Calls that were given out. */
  readonly calls: number;
  /** Whether there was an output that is not null. */
  readonly output: boolean;
}

export interface SolutionReader {
  /** Takes the next piece of the reply, cut anywhere. */
  read(piece: string): readonly SolutionEvent[];
  /** No more will come. */
  end(): SolutionEnd;
}

/** Makes a reader for one reply. Each character is looked at once; a call is given out when its object has closed. */
export function solutionReader(): SolutionReader {
  const reader = startReader();
  return {
    read(piece) {
      let at = 0;
      while (at < piece.length) at = steps[reader.phase](reader, piece, at);
      if (reader.members) endPiece(reader.members, piece);
      reader.tail = tailOf(reader, piece, piece.length);
      return takeEvents(reader, false);
    },
    end() {
      const { form, object } = finish(reader);
      const { calls = 0, output = false } = reader.members ?? {};
      return { events: takeEvents(reader, true), form, object, calls, output };
    },
  };
}

type TextEvent = Extract<SolutionEvent, { readonly text: string }>;
type Phase = "opening" | "thinking" | "prose" | "json" | "over";

interface Reader {
  phase: Phase;
  readonly events: SolutionEvent[];
  /** Text that is prose unless a Solution follows: space, a fence. */
  held: string;
  lead: "plain" | "space" | "ticks" | "info" | "fenced" | "object";
  /** All prose so far. */
  prose: string;
  /** The object that may become a Solution, as long as that is not known. */
  candidate: string;
  members: Members | null;
  /** The end of what was read, for sentences about what went wrong. */
  tail: string;
  /** Half of a character at a piece's end. */
  half: TextEvent | null;
  failed: boolean;
}

function startReader(): Reader {
  return {
    phase: "opening",
    events: [],
    held: "",
    lead: "space",
    prose: "",
    candidate: "",
    members: null,
    tail: "",
    half: null,
    failed: false,
  };
}

const steps: Record<Phase, (reader: Reader, piece: string, at: number) => number> = {
  opening: readOpening,
  thinking: readThinking,
  prose: readProse,
  json: readJson,
  over: (_reader, piece) => piece.length,
};

const thinkTag = "<think>";
const thinkEnd = "</think>";

/** Some servers leave a model's thinking in its text. A draft in there is no Solution. */
function readOpening(reader: Reader, piece: string, at: number): number {
  const character = piece.charAt(at);
  if (reader.held === "" && isSpace(character)) return at + 1;
  if (thinkTag.startsWith(reader.held + character)) reader.held += character;
  else {
    reader.phase = "prose";
    release(reader);
    return at;
  }
  if (reader.held === thinkTag) {
    reader.held = "";
    reader.phase = "thinking";
  }
  return at + 1;
}

function readThinking(reader: Reader, piece: string, at: number): number {
  const text = reader.held + piece.slice(at);
  const end = text.indexOf(thinkEnd);
  if (end >= 0) {
    say(reader.events, "thinking", text.slice(0, end));
    const after = at + end + thinkEnd.length - reader.held.length;
    reader.held = "";
    reader.phase = "prose";
    return after;
  }
  let keep = Math.min(thinkEnd.length - 1, text.length);
  while (!thinkEnd.startsWith(text.slice(text.length - keep))) keep -= 1;
  say(reader.events, "thinking", text.slice(0, text.length - keep));
  reader.held = text.slice(text.length - keep);
  return piece.length;
}

function readProse(reader: Reader, piece: string, at: number): number {
  const character = piece.charAt(at);
  if (character === "{") {
    if (reader.lead === "object") release(reader);
    reader.phase = "json";
    reader.members = startMembers(reader.events);
    return at;
  }
  const lead = nextLead(reader.lead, character);
  if (lead === "plain" || (reader.lead === "fenced" && lead === "ticks")) release(reader);
  reader.lead = lead;
  const end = lead === "plain" ? endOfRun(piece, at + 1) : at + 1;
  reader.held += piece.slice(at, end);
  if (lead === "plain") release(reader);
  return end;
}

function endOfRun(piece: string, from: number): number {
  let end = from;
  while (end < piece.length && !/[\s`{]/.test(piece.charAt(end))) end += 1;
  return end;
}

const named: ReadonlySet<Reader["lead"]> = new Set(["ticks", "info"]);

/** Follows what may stand before a Solution: space, then backticks with a word, then space. */
function nextLead(lead: Reader["lead"], character: string): Reader["lead"] {
  const space = isSpace(character);
  if (lead === "object" && (space || character === "`")) return "object";
  if (space) return named.has(lead) || lead === "fenced" ? "fenced" : "space";
  if (character === "`") return lead === "info" ? "plain" : "ticks";
  return named.has(lead) && /[\w-]/.test(character) ? "info" : "plain";
}

function isSpace(character: string): boolean {
  return character === " " || character === "\n" || character === "\r" || character === "\t";
}

function release(reader: Reader): void {
  // An answer does not begin with space.
  if (reader.prose !== "" || reader.held.trim() !== "") {
    say(reader.events, "prose", reader.held);
    reader.prose += reader.held;
  }
  reader.held = "";
  reader.lead = "plain";
}

function readJson(reader: Reader, piece: string, at: number): number {
  const { members } = reader;
  if (!members) return at;
  members.piece = piece;
  const stop = scanPiece(members.scan, piece, at);
  if (members.known) {
    reader.held = "";
    reader.candidate = "";
  } else reader.candidate += piece.slice(at, stop);
  const { problem, closed } = members.scan;
  if (problem !== null && (members.known || isMeant(reader))) broken(reader, problem, tailOf(reader, piece, stop));
  else if (closed && members.known) reader.phase = "over";
  else if (problem !== null || closed) notASolution(reader, closed);
  return stop;
}

/** A reply that begins with an object, or with a fence of JSON, is meant as a Solution. */
function isMeant({ prose, held }: Reader): boolean {
  return prose === "" && /^(?:`+(?:json[\w-]*)?)?$/i.test(held.trim());
}

function notASolution(reader: Reader, closed: boolean): void {
  reader.phase = "prose";
  reader.members = null;
  reader.held += reader.candidate;
  reader.candidate = "";
  if (closed && reader.prose === "") reader.lead = "object";
  else release(reader);
}

function broken(reader: Reader, problem: string, tail: string): void {
  reader.phase = "over";
  reader.failed = true;
  const place = tail.replaceAll(/\s+/g, " ").trim();
  const message = `Your reply is no valid Solution: ${problem}${place === "" ? "" : ` (after “${place}”)`}.`;
  reader.events.push({ type: "error", message });
}

/** How much of the reply is repeated to show where it went wrong. */
const tailLength = 60;

function tailOf(reader: Reader, piece: string, at: number): string {
  return (reader.tail + piece.slice(Math.max(0, at - tailLength), at)).slice(-tailLength);
}

function finish(reader: Reader): Pick<SolutionEnd, "form" | "object"> {
  const { phase, lead, held } = reader;
  if (phase === "prose" && lead === "object")
    return { form: "object", object: held.slice(held.indexOf("{"), held.lastIndexOf("}") + 1) };
  if (phase === "thinking") say(reader.events, "thinking", held);
  else if (phase !== "json" && phase !== "over") release(reader);
  return { form: phase === "json" ? finishJson(reader) : formOf(reader), object: "" };
}

function formOf(reader: Reader): SolutionEnd["form"] {
  if (reader.failed) return "broken";
  if (reader.members?.known === true) return "solution";
  if (!/\{\s*['"]?calls['"]?\s*:\s*\[/.test(reader.prose)) return reader.prose === "" ? "nothing" : "prose";
  broken(reader, "names and texts in a Solution stand in double quotes", "");
  return "broken";
}

function finishJson(reader: Reader): SolutionEnd["form"] {
  const { members } = reader;
  if (!members) return "nothing";
  const { scan, known } = members;
  if (!known && !isMeant(reader)) {
    reader.held += reader.candidate;
    release(reader);
    return formOf(reader);
  }
  const between = scan.stack.length === 1 || (scan.stack.length === 2 && members.member === "calls");
  if (known && between && lacksOnlyBrackets(scan)) endScalar(scan);
  else scan.problem ??= "the reply ends before the Solution does";
  if (scan.problem === null) return "solution";
  broken(reader, scan.problem, reader.tail);
  return "cut";
}

/** Everything to be told, but for half of a character that the next piece completes. */
function takeEvents(reader: Reader, all: boolean): readonly SolutionEvent[] {
  const events = reader.events.splice(0);
  const [first] = events;
  const { half } = reader;
  reader.half = null;
  if (half && first?.type === half.type) events[0] = { ...half, text: half.text + first.text };
  else if (half) events.unshift(half);
  const last = events.at(-1);
  if (all || !last || !isText(last) || !/[\uD800-\uDBFF]$/.test(last.text)) return events;
  reader.half = { ...last, text: last.text.slice(-1) };
  const whole = last.text.slice(0, -1);
  return whole === "" ? events.slice(0, -1) : [...events.slice(0, -1), { ...last, text: whole }];
}

function isText(event: SolutionEvent): event is TextEvent {
  return "text" in event;
}
