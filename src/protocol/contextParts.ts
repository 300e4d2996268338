// What fills a model's window, part by part, and where it makes room by itself.
import * as z from "zod";

/** Tokens of each part of a request; together as many as the estimate that they came with. */
export const ContextParts = z.object({
  /** Who the agent is, how it works, and the project in a few lines. */
  system: z.number(),
  /** Of the project: AGENTS.md and its like. */
  rules: z.number(),
  /** MEMORY.md. */
  memory: z.number(),
  tools: z.number(),
  /** In the place of what was said before. */
  summary: z.number(),
  messages: z.number(),
  /** Files and images that messages brought along. */
  attachments: z.number(),
  /** Of tools. */
  results: z.number(),
});
export type ContextParts = z.infer<typeof ContextParts>;

export const ContextHolds = z.object({
  parts: ContextParts,
  /** Tokens above which notes for MEMORY.md are made, and above which the older part is summed up. */
  flushAt: z.number(),
  compactAt: z.number(),
});
/** What a window holds, and how much it may. */
export type ContextHolds = z.infer<typeof ContextHolds>;
