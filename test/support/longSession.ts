// A model for long conversations: it answers summaries, memory flushes and tasks, and refuses to be sent more than it takes.
import { charactersPerToken, estimateTokens } from "../../src/engine/estimate.ts";
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
  /** How many tokens this provider counts where we count one; absent: it does not say what a request took. */
  readonly measure?: number;
  /** The reply to the task's request of this number, from 0. */
  readonly task: (count: number, request: ModelRequest) => readonly ModelEvent[];
  /** Absent: `Summary N.` */
  readonly summary?: (count: number, request: ModelRequest) => readonly ModelEvent[];
  /** Absent: nothing to store. */
  readonly flush?: (count: number, request: ModelRequest) => readonly ModelEvent[];
}

function isSummary({ tools, system }: ModelRequest): boolean {
  return tools.length === 0 && system.startsWith("You are given the earlier part");
}

export function longModel(options: LongModelOptions): LongModel {
  const tasks: ModelRequest[] = [];
  const summaries: ModelRequest[] = [];
  const flushes: ModelRequest[] = [];
  let most = 0;
  const { window, task, summary = (count) => says(`Summary ${count}.`), flush = () => says("NO_REPLY") } = options;
  const reply = (request: ModelRequest, kept: ModelRequest): readonly ModelEvent[] => {
    if (isSummary(request)) return summary(summaries.push(kept) - 1, request);
    if (request.system.includes("Session nearing compaction.")) return flush(flushes.push(kept) - 1, request);
    return task(tasks.push(kept) - 1, request);
  };
  return {
    id: "long",
    contextWindow: window,
    tasks,
    summaries,
    flushes,
    largest: () => most,
    async *stream(request) {
      const counted = Math.ceil(estimateTokens(request) * (options.measure ?? 1));
      most = Math.max(most, counted);
      const events = reply(request, structuredClone(request));
      for (const event of events)
        yield event.type === "usage" && options.measure !== undefined
          ? { type: "usage", usage: { input: counted, output: written(events, options.measure) } }
          : event;
    },
  };
}

function written(events: readonly ModelEvent[], measure: number): number {
  const texts = events.flatMap((event) => {
    if (event.type === "text") return [event.text];
    return event.type === "call" ? [event.call.name, event.call.arguments] : [];
  });
  return Math.ceil((texts.join("").length / charactersPerToken) * measure);
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
