// A process that works in one session until it is killed, and says on its output what a person would have seen by then.
import { writeSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { LoopEvent } from "../../../src/protocol/events.ts";
import { calls, says, tool } from "../../support/kit.ts";
import { sessionId } from "./disk.ts";
import { runOn, type Shown } from "./working.ts";

const [dir = "", seed = "0"] = process.argv.slice(2);
let number = Number(seed);
/** 0 to `below`, the same for the same seed. */
const chance = (below: number): number => {
  number = (Math.imul(number, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((number / 2 ** 32) * below);
};

/** Nothing reaches a person within the same turn of the event loop: the panel is another process. */
const show = (shown: Shown): void => void setImmediate(() => writeSync(1, `${JSON.stringify(shown)}\n`));

const work = (name: string, effect: "read" | "write") =>
  tool(name, {
    effect,
    run: async ({ output }) => {
      await wait(1 + chance(4));
      output("half\n");
      return { status: "succeeded", content: `${name} ${"x".repeat(chance(2_000))}` };
    },
  });

function listen(messageId: () => string): (event: LoopEvent) => void {
  return (event) => {
    if (event.type === "loop:context") show({ kind: "message", id: messageId() });
    if (event.type === "tool:end") show({ kind: "result", id: event.toolCallId, text: event.result });
    if (event.type === "loop:end") show({ kind: "end", id: event.runId });
  };
}

for (let runs = 0; ; runs++) {
  const callsOf = (round: number) =>
    Array.from({ length: 1 + chance(3) }, (_, n) => {
      return [`${seed}-${runs}-${round}-${n}`, n % 2 === 0 ? "look" : "change", { path: `${n}.txt` }] as const;
    });
  const rounds = 1 + chance(4);
  const scripts = [...Array.from({ length: rounds }, (_, round) => calls(...callsOf(round))), says("Done.")];
  const run = runOn({
    dir,
    request: { sessionId, create: true, message: `Message ${runs}` },
    scripts,
    tools: [work("look", "read"), work("change", "write")],
    listener: listen(() => run.messageId),
  });
  const { status, failure } = await run.result;
  if (status !== "completed") throw new Error(`a run ended as ${status}: ${failure?.message}`);
}
