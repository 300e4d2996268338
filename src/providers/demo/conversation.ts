// What the demo reads of a request: the task, and the calls made for it so far with their real results.
import * as z from "zod";
import { recordOf, textOf, type WireRecord } from "../wireValue.ts";
import { readOutcome, type Outcome } from "./outcome.ts";

const Content = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]).nullish();
const CallOnWire = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});

/** A Chat Completions request, as far as the demo looks at it. */
export const DemoRequest = z.looseObject({
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: Content,
      tool_calls: z.array(CallOnWire).optional(),
      tool_call_id: z.string().optional(),
    }),
  ),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).optional(),
});
export type DemoRequest = z.infer<typeof DemoRequest>;
type WireMessage = DemoRequest["messages"][number];

export interface DemoCall {
  readonly name: string;
  readonly params: WireRecord;
}

/** What the demo answers with. Without calls it is the end of the turn. */
export interface DemoReply {
  readonly text: string;
  readonly calls: readonly DemoCall[];
}

export interface MadeCall extends DemoCall {
  readonly outcome: Outcome;
}

export interface Turn {
  /** The person's last message. */
  readonly task: string;
  /** What was last answered before it; `""` in a new conversation. */
  readonly earlier: string;
  /** Calls made for this task, oldest first, those without a result left out. */
  readonly made: readonly MadeCall[];
  readonly tools: ReadonlySet<string>;
}

/** Finds the turn that is going on. */
export function readTurn({ messages, tools = [] }: DemoRequest): Turn {
  // What Brain itself adds for one request is no task.
  const asked = messages.findLastIndex(
    (message) => message.role === "user" && !plainText(message).startsWith("## Data:"),
  );
  const since = messages.slice(asked + 1);
  const earlier = messages.slice(0, Math.max(asked, 0)).findLast(({ role }) => role === "assistant");
  const task = messages[asked];
  return {
    task: task ? plainText(task) : "",
    earlier: earlier ? plainText(earlier) : "",
    made: since.flatMap((message) => callsOf(message, since)),
    tools: new Set(tools.map((tool) => tool.function.name)),
  };
}

function callsOf({ tool_calls: calls = [] }: WireMessage, since: readonly WireMessage[]): MadeCall[] {
  return calls.flatMap(({ id, function: { name, arguments: given } }) => {
    const result = since.find((message) => message.role === "tool" && message.tool_call_id === id);
    return result ? [{ name, params: paramsIn(given), outcome: readOutcome(plainText(result)) }] : [];
  });
}

function paramsIn(text: string): WireRecord {
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function plainText({ content }: WireMessage): string {
  return typeof content === "string" ? content : (content ?? []).map((part) => textOf(part.text)).join("");
}
