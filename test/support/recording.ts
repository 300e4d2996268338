// Records runs with the kit's engine and does them again from nothing but the lines they left.
import { createVirtualClock } from "../../src/brain/virtualClock.ts";
import { rerunAll, type Rerun } from "../../src/engine/rerun.ts";
import { Entry } from "../../src/protocol/messages.ts";
import { validateJson } from "../../src/tools/jsonSchema.ts";
import type { Effect, ModelEvent } from "../../src/engine/ports.ts";
import type { Clock } from "../../src/engine/ports.ts";
import type { Tool } from "../../src/engine/ports.ts";
import { tool, pathOf, type Script } from "./kit.ts";

/** Lines of a transcript as text, as they are on the disk. */
export function jsonLines(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}

/** Does every run of a transcript again. */
export function rerunText(text: string): Promise<readonly Rerun[]> {
  const lines = text.split("\n").filter((line) => line !== "");
  return rerunAll(
    lines.map((line, index) => ({ number: index + 1, entry: Entry.parse(JSON.parse(line)) })),
    { clockAt: createVirtualClock, validate: validateJson },
  );
}

/** The sentences of all differences. */
export function sentencesOf(reruns: readonly Rerun[]): readonly string[] {
  return reruns.flatMap(({ differences }) => differences.map(({ message }) => message));
}

/** A reply whose events come so many milliseconds after each other. */
export function slowly(clock: () => Clock, events: readonly ModelEvent[], pauses: readonly number[]): Script {
  return async function* (_request, signal) {
    for (const [index, event] of events.entries()) {
      await wait(clock(), pauses[index] ?? 0, signal);
      yield event;
    }
  };
}

/** Resolves after so many milliseconds, or when the signal is aborted. */
export function wait(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    clock.after(milliseconds, resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** A tool that takes as long as its call says in `ms`, and ends as it says in `fail`. */
export function timedTool(clock: () => Clock, name: string, effect: Effect = "read"): Tool {
  const made = tool(name, {
    effect,
    touches: (params) =>
      effect === "write" ? { writes: [pathOf(params)] } : effect === "read" ? { reads: [pathOf(params)] } : {},
    prepare: ({ refuse }) =>
      refuse === "denied" || refuse === "failed"
        ? { kind: "refused", status: refuse, content: `${name} does not like it.` }
        : null,
    async run({ signal }, params) {
      await wait(clock(), Number(params["ms"] ?? 0), signal);
      if (signal.aborted) return { status: "failed", content: params["quiet"] === true ? "" : "half of it" };
      if (params["fail"] === true) return { status: "failed", content: `${name} broke.` };
      const { value } = params;
      return { status: "succeeded", content: `${name} ${pathOf(params)}`, ...(value !== undefined && { value }) };
    },
  });
  // In other words than its name, as those of real tools.
  return { ...made, label: (params) => ({ verb: `Do ${name}`, subject: pathOf(params) }) };
}
