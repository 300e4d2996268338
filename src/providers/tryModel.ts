// One small request, to see whether a model can be used as it was set up.
import type { ModelEvent, ModelRequest } from "../engine/ports.ts";
import { LoopError, toFailure, type Failure } from "../protocol/errors.ts";
import { modelOnce, type ModelOptions } from "./catalog.ts";
import { refusesTools } from "./textCalls.ts";

export type Trial =
  /** `tools`: it took a tool with the request. */
  { readonly kind: "answered"; readonly tools: boolean } | { readonly kind: "failed"; readonly failure: Failure };

const request: ModelRequest = {
  system: "",
  messages: [
    {
      role: "user",
      content: "Answer with one word: ready.",
      id: "trial",
      runId: "trial",
      timestamp: new Date(0).toISOString(),
    },
  ],
  tools: [
    {
      name: "report",
      description: "Reports a problem. Not needed now.",
      parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    },
  ],
};

/** Asks once, without retries, and leaves as soon as anything of the answer is there. Never throws; after an abort it has failed. */
export async function tryModel(options: ModelOptions, signal: AbortSignal): Promise<Trial> {
  const first = await ask(options, request, signal);
  if (first === null) return { kind: "answered", tools: true };
  if (!refusesTools(first)) return { kind: "failed", failure: first };
  const second = await ask(options, { ...request, tools: [] }, signal);
  return second === null ? { kind: "answered", tools: false } : { kind: "failed", failure: second };
}

/** Null: it answered. */
async function ask(options: ModelOptions, sent: ModelRequest, signal: AbortSignal): Promise<Failure | null> {
  try {
    for await (const event of modelOnce(options).stream(sent, signal)) {
      if (event.type === "error") return event.failure;
      if (answers.has(event.type)) return null;
    }
  } catch (error) {
    return toFailure(error);
  }
  return toFailure(new LoopError("reply_malformed", "The model gave no answer."));
}

const answers: ReadonlySet<ModelEvent["type"]> = new Set(["text", "thinking", "call:start", "call", "finish"]);
