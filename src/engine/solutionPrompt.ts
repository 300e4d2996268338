// How a conversation is put to a model that has no calls of its own: the form of its replies, and what was said so far in that form. Pure.
import type { AssistantEntry, Message, Params, ToolCall, ToolEntry, UserEntry } from "../protocol/messages.ts";
import { parseArguments } from "./arguments.ts";
import { renderBlock } from "./data.ts";
import type { JsonSchema, ToolSpec } from "./ports.ts";

/** Explains a Solution. The schema stands at the end, where it is followed best. */
export function formText(schema: JsonSchema, tools: readonly ToolSpec[]): string {
  const [tool] = tools;
  const example = tool && JSON.stringify({ calls: [exampleCall(tool)], output: null });
  const lines = [
    "# The form of your replies",
    "Answer with one JSON object, the Solution, and nothing else: no words around it. Write its members in this order:",
    tool
      ? "- `calls`: what to do now, each an object with `_tool` and that tool's parameters; `[]` when nothing is to be done. They run as you write them."
      : "- `calls`: `[]`, because you have no tools now.",
    "- `output`: null as long as you need results first; the final answer when you are done. With an output that is not null the work ends.",
    ...(example === undefined ? [] : [`To call: ${example}`]),
    'To answer: {"calls":[],"output":"…"}',
    "The next message holds each call's result in a block ¶result, or in a block ¶error what went wrong. Never write results yourself: wait for them.",
    `The JSON Schema of a Solution: ${JSON.stringify(schema)}`,
  ];
  return lines.join("\n");
}

function exampleCall({ name, parameters }: ToolSpec): Params {
  const required: readonly unknown[] = Array.isArray(parameters["required"]) ? parameters["required"] : [];
  const names = required.filter((key) => typeof key === "string" && key !== "_tool");
  return { _tool: name, ...Object.fromEntries(names.map((key) => [key, "…"])) };
}

/**
 * The conversation without calls: what the model called is the Solution that it wrote, results are blocks in the user's
 * turn. Turns alternate, because many chat templates refuse any other order.
 * @param notes blocks that go with the last message
 * @param structured whether answers are JSON and not text
 */
export function solutionMessages(
  messages: readonly Message[],
  notes: readonly string[],
  structured: boolean,
): readonly Message[] {
  const turns: Message[] = [];
  let asked: AssistantEntry | null = null;
  for (const message of messages) {
    if (message.role === "assistant") {
      asked = message;
      turns.push(solutionTurn(message, structured));
    } else
      add(turns, message.role === "user" ? message : resultTurn(message, asked, turns.at(-1)?.role === "assistant"));
  }
  const last = turns.at(-1);
  if (last && notes.length > 0) add(turns, userTurn(last, notes.join("\n\n")));
  return turns;
}

/** A turn of the user beside another message. */
export function userTurn({ id, runId, timestamp }: Message, content: string): UserEntry {
  return { role: "user", content, id: `${id}-note`, runId, timestamp };
}

/** What a model wrote, as its own turn. */
export function modelTurn({ id, runId, timestamp }: Message, content: string): AssistantEntry {
  return { role: "assistant", content, id: `${id}-reply`, runId, timestamp, iteration: 0 };
}

/** Appends a turn of the user, to the one before where that is the user's, too. */
export function add(turns: Message[], turn: UserEntry): void {
  const last = turns.at(-1);
  if (last?.role === "user") turns[turns.length - 1] = { ...last, content: `${last.content}\n\n${turn.content}` };
  else turns.push(turn);
}

function solutionTurn(message: AssistantEntry, structured: boolean): AssistantEntry {
  const { tool_calls: calls = [], ...rest } = message;
  if (calls.length > 0) {
    const solution = `{"calls":[${calls.map(callText).join(",")}],"output":null}`;
    return { ...rest, content: [rest.content.trim(), solution].filter((part) => part !== "").join("\n\n") };
  }
  if (rest.interrupted === true) return rest;
  const output = structured && isJson(rest.content) ? rest.content : JSON.stringify(rest.content);
  return { ...rest, content: `{"calls":[],"output":${output}}` };
}

/** Arguments stay as they were written; what cannot be read is left out. */
function callText(call: ToolCall): string {
  const given = call.arguments.trim();
  const properties = parseArguments(call).kind === "parsed" ? given.slice(1, -1).trim() : "";
  return `{"_tool":${JSON.stringify(call.name)}${properties === "" ? "" : `,${properties}`}}`;
}

const brokeOff =
  "Your last reply broke off or could not be read after the calls whose results follow. What came after them is lost.";

function resultTurn(entry: ToolEntry, asked: AssistantEntry | null, opens: boolean): UserEntry {
  const calls = asked?.tool_calls ?? [];
  const index = calls.findIndex(({ id }) => id === entry.tool_call_id);
  const block = resultBlock(entry, calls[index], index + 1);
  return userTurn(entry, opens && asked?.interrupted === true ? `${brokeOff}\n\n${block}` : block);
}

/** A result as data; what went wrong as an Error Message with the call as the model wrote it (LOOP-ERR-3). */
function resultBlock(entry: ToolEntry, call: ToolCall | undefined, number: number): string {
  const { status, name, content } = entry;
  if (status === "succeeded" || status === "skipped") {
    const skipped = status === "skipped" && { status };
    return renderBlock({ kind: "result", data: { call: number, _tool: name, ...skipped, result: content } });
  }
  // Transcripts of earlier versions do not say more than the status.
  const error = { ...(entry.error ?? (status !== "failed" && { type: status })), message: content };
  return renderBlock({ kind: "error", data: { call: callData(name, call), error } });
}

function callData(name: string, call: ToolCall | undefined): Params {
  const parsed = call && parseArguments(call);
  if (parsed?.kind === "parsed") return { _tool: name, ...parsed.params, ...parsed.fields };
  return { _tool: name, ...(call && { arguments: call.arguments }) };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
