// What can be read of the arguments of calls while the model is still writing them: each piece is read once, however long they get.
import { scanPiece, startScan, type JsonScan, type JsonSink } from "../engine/jsonScan.ts";
import type { LoopEvent, PanelEvent } from "../protocol/events.ts";
import { arrivingTail, mostArriving, type ArrivingField } from "../protocol/viewCall.ts";

/** Characters of a name that are shown. */
const longestName = 80;

/** Arguments that are being read. */
interface Reader {
  readonly scan: JsonScan;
  /** What the last piece brought. */
  fresh: ArrivingField[];
}

/** Turns pieces of arguments, which are no whole JSON, into what a panel shows of them; everything else passes as it is. */
export function createArriving(): (event: PanelEvent) => readonly PanelEvent[] {
  const readers = new Map<string, Reader>();
  return (event) => {
    if (event.type === "call:delta") return fieldsOf(readers, event);
    if (event.type === "loop:end") readers.clear();
    else if ("toolCallId" in event && typeof event.toolCallId === "string") readers.delete(event.toolCallId);
    return [event];
  };
}

function fieldsOf(
  readers: Map<string, Reader>,
  { runId, toolCallId, text }: Extract<LoopEvent, { type: "call:delta" }>,
): readonly PanelEvent[] {
  const reader = readers.get(toolCallId) ?? startReader();
  readers.set(toolCallId, reader);
  return readArriving(reader, text).map((field) => ({ type: "call:field", runId, toolCallId, ...field }));
}

/** Begins to read the arguments of a call. */
export function startReader(): Reader {
  const reader: Reader = { scan: startScan(sinkFor((field) => put(reader, field))), fresh: [] };
  return reader;
}

/**
 * Reads on. Never throws: what cannot be JSON is given as it stands, without a name.
 * @returns what the piece adds, in order, as `call:field` means it; of much that comes at once the end
 */
export function readArriving(reader: Reader, piece: string): readonly ArrivingField[] {
  reader.fresh = [];
  const { scan } = reader;
  const from = scan.problem === null ? scanPiece(scan, piece, 0) : 0;
  if (scan.problem !== null) put(reader, { name: "", text: piece.slice(from) });
  return reader.fresh.slice(-mostArriving).map(({ name, text }) => ({ name, text: text.slice(-arrivingTail) }));
}

function put({ fresh }: Reader, { name, text }: ArrivingField): void {
  const last = fresh.at(-1);
  if (last?.name === name) fresh[fresh.length - 1] = { name, text: last.text + text };
  else fresh.push({ name, text });
}

/** Values by the names that lead to them; several under one name stand behind each other. */
function sinkFor(put: (field: ArrivingField) => void): JsonSink {
  const names: string[] = [];
  let last: string | null = null;
  let name = "";
  const begin = (depth: number): void => {
    name = names.slice(0, depth).filter(Boolean).join(".").slice(0, longestName);
    put({ name, text: name === last ? ", " : "" });
    last = name;
  };
  return {
    key: (key, depth) => void (names[depth - 1] = key),
    open: (_bracket, _at, depth) => void (names[depth] = ""),
    close: () => undefined,
    quote: (isKey, _at, depth) => (isKey ? undefined : begin(depth)),
    text: (text) => put({ name, text }),
    control: () => undefined,
    unquote: () => undefined,
    scalar(text, depth) {
      begin(depth);
      put({ name, text });
    },
    comma: () => undefined,
  };
}
