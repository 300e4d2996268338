// What fills a request: our own count of each part, in the measure of the estimate of the whole. Pure.
import { type ContextHolds, ContextParts } from "../protocol/contextParts.ts";
import type { Message } from "../protocol/messages.ts";
import { isCompacted } from "./compacted.ts";
import { charactersPerToken, messageTokens, partTokens } from "./estimate.ts";
import type { ModelRequest } from "./ports.ts";
import { partsOfPrompt } from "./prompt.ts";
import type { Thresholds } from "./thresholds.ts";

/** @param estimate of the request, in tokens: the parts are as much together */
export function holdsOf(request: ModelRequest, estimate: number, { flushAt, compactAt }: Thresholds): ContextHolds {
  return { parts: scaled(counted(request), estimate), flushAt, compactAt };
}

function counted({ system, tools, messages }: ModelRequest): ContextParts {
  const { rules, memory } = partsOfPrompt(system);
  const told = tools.map(({ name, description, parameters }) =>
    [name, description, JSON.stringify(parameters)].join(""),
  );
  const parts: ContextParts = {
    system: tokens(system.length - rules - memory),
    rules: tokens(rules),
    memory: tokens(memory),
    tools: tokens(told.join("").length),
    summary: 0,
    messages: 0,
    attachments: 0,
    results: 0,
  };
  for (const message of messages) {
    const given = attachedTokens(message);
    parts[kindOf(message)] += Math.max(0, messageTokens([message]) - given);
    parts.attachments += given;
  }
  return parts;
}

function kindOf(message: Message): "summary" | "messages" | "results" {
  if (message.role === "tool") return "results";
  return isCompacted(message) ? "summary" : "messages";
}

/** What a person's message brought along is part of its content by now. */
function attachedTokens(message: Message): number {
  if (message.role !== "user") return 0;
  const { attachments = [], parts = [] } = message;
  return tokens(attachments.reduce((sum, { text }) => sum + text.length, 0)) + partTokens(parts);
}

function tokens(characters: number): number {
  return characters / charactersPerToken;
}

const names = ContextParts.keyof().options;

/** Whole numbers with the given sum, each as large in proportion as it was. */
function scaled(parts: ContextParts, sum: number): ContextParts {
  const total = names.reduce((all, name) => all + parts[name], 0);
  const share = (part: number): number => (total === 0 ? 0 : Math.round((part / total) * sum));
  const whole = { ...parts };
  let before = 0;
  for (const name of names) {
    const upTo = name === names.at(-1) ? total : before + parts[name];
    whole[name] = share(upTo) - share(before);
    before = upTo;
  }
  return whole;
}
