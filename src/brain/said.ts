// What can be looked for in a line of a transcript: what was said, what a call was about, and what came of it.
import * as z from "zod";
import { Label, Preview } from "../protocol/calls.ts";
import { nestedId } from "../protocol/replay.ts";

/** Words that are looked for, in upper or lower case. */
export interface Wanted {
  readonly text: RegExp;
  /** The longest of them, as it is written inside of JSON: a row of escapes may look like words with space between them. */
  readonly json: RegExp;
}

export interface Said {
  /** Who said it; a tool: what it returned; a call: what it is about. */
  readonly role: "user" | "assistant" | "tool" | "call";
  readonly entryId: string;
  readonly runId: string;
  /** What shows it in the conversation, by id: the message, or the call; of a delegate's talk the call that it works for. */
  readonly item: string;
  /** The text around it, in one line. */
  readonly excerpt: string;
}

/** Characters of text shown before and after what was found. */
const around = 60;

/** Words that count: a text of words that are all alike is tried at each of its places, and costs so many times its length. */
const mostWords = 32;

/** Null: nothing is looked for. Between two words there may be any space, and what makes one of them bold, italic or code. */
export function wantedOf(text: string): Wanted | null {
  const words = text.trim().split(/\s+/, mostWords);
  if (words[0] === "") return null;
  // Words that have such marks themselves could share a long row of them out in too many ways.
  const marks = words.some((word) => /^[*_`]|[*_`]$/.test(word)) ? "" : "*_`";
  const longest = words.reduce((one, other) => (other.length > one.length ? other : one));
  return {
    text: new RegExp(words.map(literal).join(String.raw`[\s${marks}]+`), "iu"),
    json: new RegExp(literal(JSON.stringify(longest).slice(1, -1)), "iu"),
  };
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/** Most lines are no hits: they are not parsed. */
export function saidIn(json: string, wanted: Wanted): Said | null {
  // Another program may have written letters as escapes.
  if (!wanted.json.test(json) && !json.includes(String.raw`\u`)) return null;
  const entry = Line.safeParse(parse(json)).data;
  if (!entry) return null;
  const { role, id: entryId, runId, content } = entry;
  const said = { entryId, runId, item: itemOf(entry) };
  const found = excerptOf(content, wanted);
  if (found !== null) return { role, ...said, excerpt: found };
  for (const text of aboutOf(entry)) {
    const excerpt = excerptOf(text, wanted);
    if (excerpt !== null) return { role: "call", ...said, excerpt };
  }
  return null;
}

const Line = z.object({
  role: z.enum(["user", "assistant", "tool"]),
  id: z.string(),
  runId: z.string(),
  content: z.string(),
  within: z.string().optional(),
  tool_call_id: z.string().optional(),
  label: Label.optional(),
  preview: Preview.optional().catch(undefined),
});

function itemOf({ id, within, tool_call_id: call }: z.infer<typeof Line>): string {
  if (call === undefined) return within ?? id;
  return within === undefined ? call : nestedId(within, call);
}

function aboutOf({ label, preview }: z.infer<typeof Line>): readonly string[] {
  return [...(label ? [label.subject] : []), ...(preview ? textsOf(preview) : [])];
}

/** What is drawn of it. */
function textsOf(preview: Preview): readonly string[] {
  switch (preview.kind) {
    case "diff":
      return [preview.path, preview.patch];
    case "diffs":
      return preview.files.flatMap(({ path, patch }) => [path, patch]);
    case "command":
      return [preview.command];
    case "host":
      return [preview.host];
    case "request":
    case "text":
      return [preview.text];
    case "todos":
      return preview.todos.map(({ text }) => text);
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

function excerptOf(content: string, wanted: Wanted): string | null {
  const found = wanted.text.exec(content);
  if (!found) return null;
  const start = Math.max(0, found.index - around);
  const end = Math.min(content.length, found.index + found[0].length + around);
  const part = content.slice(start, end).replaceAll(/\s+/g, " ").trim();
  return `${start > 0 ? "…" : ""}${part}${end < content.length ? "…" : ""}`;
}
