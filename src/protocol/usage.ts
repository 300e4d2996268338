// What requests to a model took: tokens, time and money, one by one and summed.
import * as z from "zod";

export const Usage = z.object({
  input: z.number(),
  output: z.number(),
  cached: z.number().optional(),
  written: z.number().optional(),
  reasoning: z.number().optional(),
});
/** Tokens; `cached` (read from the provider's cache) and `written` (to it) are parts of `input`, `reasoning` is part of `output`. */
export type Usage = z.infer<typeof Usage>;

/** What one request to a model took: its reply, a part of a summary, a note before one. */
export const RequestRecord = z.looseObject({
  /** When it was sent. */
  at: z.string(),
  /** Milliseconds until its reply had ended; tries that failed, and the waits between them, are part of it. */
  duration: z.number(),
  /** Milliseconds until the first piece of the reply came; absent: none came. */
  first: z.number().optional(),
  /** Of all tries. */
  usage: Usage,
  /** US dollars; absent: not known. */
  cost: z.number().optional(),
  /** Absent: as the line says that it stands in. */
  model: z.string().optional(),
  /** How it ended; absent: with a whole reply. */
  ended: z.enum(["failed", "aborted"]).optional(),
  /** The call that it is part of the work of: a delegate's. */
  within: z.string().optional(),
});
export type RequestRecord = z.infer<typeof RequestRecord>;

export const Wait = z.object({
  at: z.string(),
  /** Milliseconds. */
  duration: z.number(),
});
/** A stretch in which a person was asked. */
export type Wait = z.infer<typeof Wait>;

export const noUsage: Usage = { input: 0, output: 0 };

/** With thoughts that an endpoint has not counted as output. */
export function withThoughts(usage: Usage, thoughts = 0): Usage {
  return thoughts === 0 ? usage : { ...usage, output: usage.output + thoughts };
}

/** Sums two usages; a part that neither has stays unknown. */
export function addUsage(a: Usage, b: Usage): Usage {
  const optional = (x: number | undefined, y: number | undefined): number | undefined =>
    x === undefined && y === undefined ? undefined : (x ?? 0) + (y ?? 0);
  const cached = optional(a.cached, b.cached);
  const written = optional(a.written, b.written);
  const reasoning = optional(a.reasoning, b.reasoning);
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    ...(cached !== undefined && { cached }),
    ...(written !== undefined && { written }),
    ...(reasoning !== undefined && { reasoning }),
  };
}
