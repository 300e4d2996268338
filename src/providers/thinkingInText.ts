// A Model whose text begins with `<think>`: what stands in there is its thinking, as servers that do not tell them apart leave it.
import type { Model, ModelEvent } from "../engine/ports.ts";

const begin = "<think>";
const end = "</think>";

/** Wraps a Model. Text that does not begin so is passed on as it is. */
export function thinkingInText(model: Model): Model {
  return {
    ...model,
    async *stream(request, signal) {
      const reader = startReader();
      for await (const event of model.stream(request, signal)) {
        if (event.type === "text") {
          yield* read(reader, event.text);
          continue;
        }
        // Usage and what the server wants back may come at any time; all else shows that no more of the tag follows.
        if (event.type !== "usage" && event.type !== "provider") yield* release(reader);
        yield event;
      }
    },
  };
}

interface Reader {
  phase: "opening" | "thinking" | "after" | "text";
  /** What may be a part of a tag, or of the space around it. */
  held: string;
}

function startReader(): Reader {
  return { phase: "opening", held: "" };
}

function read(reader: Reader, piece: string): ModelEvent[] {
  const events: ModelEvent[] = [];
  if (reader.phase === "text") return said("text", piece);
  reader.held += piece;
  if (reader.phase === "opening") open(reader, events);
  if (reader.phase === "thinking") think(reader, events);
  if (reader.phase === "after" && reader.held.trim() !== "") {
    reader.held = reader.held.trimStart();
    reader.phase = "text";
  }
  if (reader.phase === "text") events.push(...release(reader));
  return events;
}

function open(reader: Reader, events: ModelEvent[]): void {
  const start = reader.held.trimStart();
  if (start.startsWith(begin)) {
    reader.held = start.slice(begin.length);
    reader.phase = "thinking";
  } else if (!begin.startsWith(start)) {
    events.push(...said("text", reader.held));
    reader.held = "";
    reader.phase = "text";
  }
}

function think(reader: Reader, events: ModelEvent[]): void {
  const { held } = reader;
  const at = held.indexOf(end);
  const rest = at === -1 ? held.length - partOfEnd(held) : at;
  events.push(...said("thinking", held.slice(0, rest)));
  reader.held = at === -1 ? held.slice(rest) : held.slice(at + end.length);
  if (at !== -1) reader.phase = "after";
}

/** How many characters at the end of a text may be the beginning of the tag. */
function partOfEnd(text: string): number {
  let length = Math.min(end.length - 1, text.length);
  while (!end.startsWith(text.slice(text.length - length))) length -= 1;
  return length;
}

/** What was held turned out to be no tag. */
function release(reader: Reader): ModelEvent[] {
  const { held, phase } = reader;
  reader.held = "";
  return said(phase === "thinking" ? "thinking" : "text", held);
}

function said(type: "text" | "thinking", text: string): ModelEvent[] {
  return text === "" ? [] : [{ type, text }];
}
