// JSON read piece by piece: says what begins and ends where, and stops at the first character that cannot be right. Linear.

/** Told of everything in order. `at` counts in the current piece; `depth` is the number of objects and lists around it. */
export interface JsonSink {
  /** A property's name; `at` is where its opening quote would be if the name were in this piece. */
  key(name: string, depth: number): void;
  /** An object or a list begins. */
  open(bracket: "{" | "[", at: number, depth: number): void;
  /** An object or a list has ended at its bracket. */
  close(at: number, depth: number): void;
  /** A text begins at its quote: a name when `isKey`, a value otherwise. */
  quote(isKey: boolean, at: number, depth: number): void;
  /** A part of a value that is text, decoded. */
  text(part: string, depth: number): void;
  /** A line break or the like stands in a text as itself. Wrong in JSON, but it has only one meaning. */
  control(character: string, at: number): void;
  /** A text that is a value has ended; `at` is after its quote. */
  unquote(at: number, depth: number): void;
  /** A number, true, false or null; `begin` and `end` are undefined outside of this piece. */
  scalar(text: string, depth: number): void;
  comma(at: number, depth: number): void;
}

type Expected = "value" | "firstValue" | "key" | "firstKey" | "colon" | "next";

/** Where the reading stands. */
export interface JsonScan {
  readonly sink: JsonSink;
  readonly stack: ("{" | "[")[];
  expected: Expected;
  mode: "between" | "text" | "escape" | "unicode" | "scalar";
  isKey: boolean;
  /** The name, the scalar or the four digits that are being read. */
  collected: string;
  hex: string;
  /** What cannot be right, as the end of a sentence. Nothing is read after it. */
  problem: string | null;
  closed: boolean;
}

/** How deep objects and lists may be nested. */
const deepest = 500;
/** In the Solution itself and in its lists a comma too many harms nothing; inside of a call it could hide a loss. */
const lenientDepth = 2;

export function startScan(sink: JsonSink): JsonScan {
  return {
    sink,
    stack: [],
    expected: "value",
    mode: "between",
    isKey: false,
    collected: "",
    hex: "",
    problem: null,
    closed: false,
  };
}

/** Reads on. @returns where it stopped: at the piece's end, after the last bracket, or at what cannot be right */
export function scanPiece(scan: JsonScan, piece: string, from: number): number {
  let at = from;
  while (at < piece.length && !scan.closed && scan.problem === null) at = readers[scan.mode](scan, piece, at);
  return at;
}

/** Whether nothing but closing brackets is missing. A number may have lost digits. */
export function lacksOnlyBrackets(scan: JsonScan): boolean {
  if (scan.problem !== null) return false;
  if (scan.mode === "scalar") return /^(?:true|false|null)$/.test(scan.collected);
  return scan.mode === "between" && (scan.expected === "next" || scan.expected.startsWith("first"));
}

type Reader = (scan: JsonScan, piece: string, at: number) => number;

const readers: Record<JsonScan["mode"], Reader> = {
  between: readBetween,
  text: readText,
  escape: readEscape,
  unicode: readUnicode,
  scalar: readScalar,
};

function readText(scan: JsonScan, piece: string, at: number): number {
  let end = at;
  while (end < piece.length && isPlain(piece.charCodeAt(end))) end += 1;
  if (end > at) say(scan, piece.slice(at, end));
  const character = piece[end];
  if (character === undefined) return end;
  if (character === "\\") scan.mode = "escape";
  else if (character === '"') endText(scan, end + 1);
  else {
    scan.sink.control(character, end);
    say(scan, character);
  }
  return end + 1;
}

function isPlain(code: number): boolean {
  return code >= 0x20 && code !== 0x22 && code !== 0x5c;
}

function say(scan: JsonScan, part: string): void {
  if (scan.isKey) scan.collected += part;
  else scan.sink.text(part, scan.stack.length);
}

function endText(scan: JsonScan, after: number): void {
  scan.mode = "between";
  scan.expected = scan.isKey ? "colon" : "next";
  if (scan.isKey) scan.sink.key(scan.collected, scan.stack.length);
  else scan.sink.unquote(after, scan.stack.length);
}

const escapes = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

function readEscape(scan: JsonScan, piece: string, at: number): number {
  const character = piece.charAt(at);
  const meant = escapes.get(character);
  if (character === "u") {
    scan.hex = "";
    scan.mode = "unicode";
  } else if (meant === undefined)
    scan.problem = `“\\${character}” is no escape in JSON; a backslash itself is written \\\\`;
  else {
    scan.mode = "text";
    say(scan, meant);
  }
  return at + 1;
}

function readUnicode(scan: JsonScan, piece: string, at: number): number {
  scan.hex += piece.charAt(at);
  if (!/^[\dA-Fa-f]*$/.test(scan.hex)) scan.problem = "\\u needs four hexadecimal digits";
  else if (scan.hex.length === 4) {
    scan.mode = "text";
    say(scan, String.fromCharCode(Number.parseInt(scan.hex, 16)));
  }
  return at + 1;
}

const scalarForm = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

function readScalar(scan: JsonScan, piece: string, at: number): number {
  let end = at;
  while (end < piece.length && /[\w.+-]/.test(piece.charAt(end))) end += 1;
  scan.collected += piece.slice(at, end);
  if (end < piece.length) endScalar(scan);
  return end;
}

/** Ends a scalar that nothing followed, too. */
export function endScalar(scan: JsonScan): void {
  if (scan.mode !== "scalar" || scan.problem !== null) return;
  scan.mode = "between";
  scan.expected = "next";
  if (scalarForm.test(scan.collected)) scan.sink.scalar(scan.collected, scan.stack.length);
  else scan.problem = `“${scan.collected.slice(0, 40)}” is no JSON value; texts stand in double quotes`;
}

function readBetween(scan: JsonScan, piece: string, at: number): number {
  const character = piece.charAt(at);
  if (/[ \t\r\n]/.test(character)) return at + 1;
  switch (scan.expected) {
    case "value":
    case "firstValue":
      return readValue(scan, character, at);
    case "key":
    case "firstKey":
      return readKey(scan, character, at);
    case "colon":
      if (character === ":") scan.expected = "value";
      else scan.problem = "a colon must follow the name";
      return at + 1;
    case "next":
      return readNext(scan, character, at);
  }
}

function readValue(scan: JsonScan, character: string, at: number): number {
  if (character === '"') return startText(scan, false, at);
  if (character === "{" || character === "[") {
    scan.sink.open(character, at, scan.stack.length);
    scan.stack.push(character);
    scan.expected = character === "{" ? "firstKey" : "firstValue";
    if (scan.stack.length > deepest) scan.problem = "objects and lists are nested too deeply";
    return at + 1;
  }
  if (character === "]" && scan.stack.at(-1) === "[" && mayEnd(scan, "firstValue")) return end(scan, at);
  if (/[\w.+-]/.test(character)) {
    scan.mode = "scalar";
    scan.collected = "";
    return at;
  }
  scan.problem = "a value must stand here";
  return at;
}

function readKey(scan: JsonScan, character: string, at: number): number {
  if (character === '"') return startText(scan, true, at);
  if (character === "}" && mayEnd(scan, "firstKey")) return end(scan, at);
  scan.problem = "a name in double quotes must stand here";
  return at;
}

function mayEnd(scan: JsonScan, first: Expected): boolean {
  return scan.expected === first || scan.stack.length <= lenientDepth;
}

function readNext(scan: JsonScan, character: string, at: number): number {
  const inObject = scan.stack.at(-1) === "{";
  if (character === ",") {
    scan.sink.comma(at, scan.stack.length);
    scan.expected = inObject ? "key" : "value";
    return at + 1;
  }
  if (character === (inObject ? "}" : "]")) return end(scan, at);
  scan.problem = `a comma or ${inObject ? "}" : "]"} must follow the value; quotes inside of a text are written \\"`;
  return at;
}

function startText(scan: JsonScan, isKey: boolean, at: number): number {
  scan.sink.quote(isKey, at, scan.stack.length);
  scan.mode = "text";
  scan.isKey = isKey;
  scan.collected = "";
  return at + 1;
}

function end(scan: JsonScan, at: number): number {
  scan.stack.pop();
  scan.sink.close(at, scan.stack.length);
  scan.expected = "next";
  scan.closed = scan.stack.length === 0;
  return at + 1;
}
