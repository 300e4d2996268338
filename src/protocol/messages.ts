// The conversation: what the model reads and what the transcript keeps, one JSON object a line, the seed's fields first.
import * as z from "zod";
import { Label, Preview } from "./calls.ts";

export const ToolCall = z.object({
  id: z.string(),
  name: z.string(),
  /** JSON text exactly as the model wrote it. */
  arguments: z.string(),
});
export type ToolCall = z.infer<typeof ToolCall>;

export const Usage = z.object({
  input: z.number(),
  output: z.number(),
  cached: z.number().optional(),
  reasoning: z.number().optional(),
});
/** Tokens; `cached` is part of `input`, `reasoning` part of `output`. */
export type Usage = z.infer<typeof Usage>;

/** How a call ended. Every call ends in exactly one of these. */
export const CallStatus = z.enum(["succeeded", "failed", "rejected", "denied", "cancelled", "skipped"]);
export type CallStatus = z.infer<typeof CallStatus>;

export const RunStatus = z.enum([
  "completed",
  "completed_with_errors",
  "max_iterations",
  "timeout",
  "aborted",
  "stalled",
  "refusal",
  "error",
]);
export type RunStatus = z.infer<typeof RunStatus>;

const Params = z.record(z.string(), z.unknown());
export type Params = z.infer<typeof Params>;

export const Decision = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("approve") }),
  z.object({ kind: z.literal("modify"), params: Params }),
  z.object({ kind: z.literal("replace"), call: z.object({ name: z.string(), params: Params }) }),
  z.object({ kind: z.literal("reject"), reason: z.string().optional() }),
]);
export type Decision = z.infer<typeof Decision>;

/** What was decided, by whom, when: goes into the transcript with the call it was about. */
export const Verdict = z.object({ decision: Decision, by: z.enum(["person", "policy"]), at: z.string() });
export type Verdict = z.infer<typeof Verdict>;

const line = { id: z.string(), runId: z.string(), timestamp: z.string() };

export const UserEntry = z.looseObject({
  role: z.literal("user"),
  content: z.string(),
  ...line,
  agent: z.string().optional(),
});

export const AssistantEntry = z.looseObject({
  role: z.literal("assistant"),
  content: z.string(),
  tool_calls: z.array(ToolCall).optional(),
  ...line,
  iteration: z.number(),
  /** The model that wrote it. */
  model: z.string().optional(),
  /** Set when the reply broke off; such text is never taken for an answer. */
  interrupted: z.boolean().optional(),
  /** What the provider wants back, as it sent it. Nobody else reads it. */
  providerData: z.unknown().optional(),
});

export const ToolEntry = z.looseObject({
  role: z.literal("tool"),
  tool_call_id: z.string(),
  content: z.string(),
  ...line,
  name: z.string(),
  status: CallStatus,
  /** Milliseconds of work, without the time a person took to decide. */
  duration: z.number(),
  label: Label.optional(),
  /** What it would do, as it was shown to whoever decided. */
  preview: Preview.optional(),
  verdict: Verdict.optional(),
});

export const RunEndEntry = z.looseObject({
  type: z.literal("run_end"),
  ...line,
  status: RunStatus,
  duration: z.number(),
  usage: Usage,
  iterations: z.number().optional(),
  error: z.looseObject({ code: z.string(), status: z.number(), message: z.string(), next: z.string() }).optional(),
});

export const Entry = z.union([UserEntry, AssistantEntry, ToolEntry, RunEndEntry]);
/** One line of `transcript.jsonl`. */
export type Entry = z.infer<typeof Entry>;
export type UserEntry = z.infer<typeof UserEntry>;
export type AssistantEntry = z.infer<typeof AssistantEntry>;
export type ToolEntry = z.infer<typeof ToolEntry>;
export type RunEndEntry = z.infer<typeof RunEndEntry>;

/** The lines that are part of the conversation. */
export type Message = UserEntry | AssistantEntry | ToolEntry;

export function isMessage(entry: Entry): entry is Message {
  return "role" in entry;
}

export const noUsage: Usage = { input: 0, output: 0 };

/** Sums two usages; a part that neither has stays unknown. */
export function addUsage(a: Usage, b: Usage): Usage {
  const optional = (x: number | undefined, y: number | undefined): number | undefined =>
    x === undefined && y === undefined ? undefined : (x ?? 0) + (y ?? 0);
  const cached = optional(a.cached, b.cached);
  const reasoning = optional(a.reasoning, b.reasoning);
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    ...(cached !== undefined && { cached }),
    ...(reasoning !== undefined && { reasoning }),
  };
}
