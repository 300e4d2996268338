// What can be asked of a model's replies beside the conversation, in Prompty's words; each provider has its own for them.
import * as z from "zod";

/** How hard a model should think. Endpoints have their own words and numbers for it; `default` asks for nothing. */
export const efforts = ["default", "none", "low", "medium", "high", "max"] as const;
export type Effort = (typeof efforts)[number];

/** What a provider does not know of these is left out without a word (PROMPTY-7-2). */
export const ReplyOptions = z.looseObject({
  temperature: z.number().min(0).exactOptional(),
  /** Tokens, thoughts included. */
  maxOutputTokens: z.number().int().min(1).exactOptional(),
  topP: z.number().exactOptional(),
  topK: z.number().int().exactOptional(),
  frequencyPenalty: z.number().exactOptional(),
  presencePenalty: z.number().exactOptional(),
  seed: z.number().int().exactOptional(),
  stopSequences: z.array(z.string()).exactOptional(),
  /** False: one call a reply at most. */
  allowMultipleToolCalls: z.boolean().exactOptional(),
  /** Members for the body of a request as the endpoint knows them; they replace none that Brain sends itself. */
  additionalProperties: z.record(z.string(), z.unknown()).exactOptional(),
  effort: z.enum(efforts).exactOptional(),
});
export type ReplyOptions = Readonly<z.infer<typeof ReplyOptions>>;

/** A group of single options as the body has them: those that were not given are left out. */
export function given(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** The body with what else was asked for; nothing of the body itself is replaced. */
export function withMore<T extends object>(body: T, { additionalProperties = {} }: ReplyOptions): T {
  return { ...additionalProperties, ...body };
}
