// What is asked of a reply, in the words of the Messages API: sampling, thinking, effort and the form of the answer. Pure.
import type { JsonSchema } from "../engine/ports.ts";
import { given, type Effort, type ReplyOptions } from "../protocol/replyOptions.ts";
import { strictSchema } from "./strictSchema.ts";
import { isRecord, type WireRecord } from "./wireValue.ts";

export interface Asking {
  readonly model: string;
  readonly host: string;
  readonly maxTokens: number;
  readonly reply: ReplyOptions;
  readonly output: JsonSchema | undefined;
  readonly hasTools: boolean;
  /** A call of the turn has lost the thought before it: a budget of thoughts would be refused then. */
  readonly thoughtless: boolean;
}

/** Members of the body. A reply that thinks has no sampling of its own: the API refuses both together. */
export function optionsOf(asking: Asking): WireRecord {
  const { reply, output, hasTools } = asking;
  const thinking = thinkingOf(asking);
  const thinks = isRecord(thinking) && thinking["type"] !== "disabled";
  const effort = thinks && thinking["type"] === "adaptive" ? reply.effort : undefined;
  const schema = output && strictSchema(output);
  const config = given({ effort, format: schema ? { type: "json_schema", schema } : undefined });
  return given({
    temperature: thinks ? undefined : reply.temperature,
    top_p: thinks ? undefined : reply.topP,
    top_k: thinks ? undefined : reply.topK,
    stop_sequences: reply.stopSequences,
    thinking,
    output_config: Object.keys(config).length > 0 ? config : undefined,
    tool_choice:
      hasTools && reply.allowMultipleToolCalls === false
        ? { type: "auto", disable_parallel_tool_use: true }
        : undefined,
  });
}

/** Claude before 4.6, and other models behind this API, are given a budget of thoughts in place of an effort. */
const budgeted = /^claude-(?:[0-3]|instant|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:-\d{8})?$)/;

const budgets: Readonly<Record<Exclude<Effort, "default" | "none">, number>> = {
  low: 4_000,
  medium: 10_000,
  high: 24_000,
  max: 64_000,
};

/** The API's least budget, and what must be left for the answer itself. */
const least = 1_024;

function thinkingOf({ model, maxTokens, reply: { effort = "default" }, thoughtless }: Asking): WireRecord | undefined {
  if (effort === "default") return undefined;
  if (effort === "none") return { type: "disabled" };
  // Since 4.7 nothing of a thought is shown unless that is asked for.
  if (model.startsWith("claude-") && !budgeted.test(model)) return { type: "adaptive", display: "summarized" };
  const budget = Math.min(budgets[effort], maxTokens - least);
  if (thoughtless || budget < least) return undefined;
  return { type: "enabled", budget_tokens: budget };
}
