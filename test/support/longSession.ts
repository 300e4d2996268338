// A model for long conversations: it answers summaries, memory flushes and tasks, and refuses to be sent more than it takes.
import { estimateTokens } from "../../src/engine/estimate.ts";
import type { Model, ModelEvent, ModelRequest } from "../../src/engine/ports.ts";
import { calls, says } from "./kit.ts";

export interface LongModel extends Model {
  readonly tasks: ModelRequest[];
  readonly summaries: ModelRequest[];
  readonly flushes: ModelRequest[];
  /** The largest request so far, in tokens. */
  readonly largest: () => number;
}

export interface LongModelOptions {
  readonly window: number;
  /** The reply to the task's request of this number, from 0. */
  readonly task: (count: number, request: ModelRequest) => readonly ModelEvent[];
  /** Absent: `Summary N.` */
  readonly summary?: (count: number, request: ModelRequest) => readonly ModelEvent[];
  /** Absent: nothing to store. */
  readonly flush?: (count: number, request: ModelRequest) => readonly ModelEvent[];
}

export function isSummary({ tools, system }: ModelRequest): boolean {
  return tools.length === 0 && system.startsWith("You are given the earlier part");
}

export function longModel(options: LongModelOptions): LongModel {
  const tasks: ModelRequest[] = [];
  const summaries: ModelRequest[] = [];
  const flushes: ModelRequest[] = [];
  let most = 0;
  const { window, task, summary = (count) => says(`Summary ${count}.`), flush = () => says("NO_REPLY") } = options;
  return {
    id: "long",
    contextWindow: window,
    tasks,
    summaries,
    flushes,
    largest: () => most,
    async *stream(request) {
      most = Math.max(most, estimateTokens(request));
      const kept = structuredClone(request);
      if (isSummary(request)) yield* summary(summaries.push(kept) - 1, request);
      else if (request.system.includes("Session nearing compaction.")) yield* flush(flushes.push(kept) - 1, request);
      else yield* task(tasks.push(kept) - 1, request);
    },
  };
}

/** A reply that says so many characters, reads, and comes back. */
export function reads(id: string, said = 0): readonly ModelEvent[] {
  const read = calls([id, "read_file", { path: `${id}.js` }]);
  return said === 0 ? read : [{ type: "text", text: `${id} ${"t".repeat(said)}` }, ...read];
}

/** All that a request says, as one text; of none nothing. */
export function textOf(request: ModelRequest | undefined): string {
  return [request?.system, ...(request?.messages ?? []).map(({ content }) => content)].join("\n");
}
