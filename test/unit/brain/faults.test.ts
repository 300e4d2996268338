import assert from "node:assert/strict";
import { join } from "node:path";
import { readEntries, readTranscript } from "../../../src/brain/transcript.ts";
import type { LoopEvent } from "../../../src/protocol/events.ts";
import type { Entry } from "../../../src/protocol/messages.ts";
import { calls, says, tool } from "../../support/kit.ts";
import { inFolder, sessionId } from "./disk.ts";
import { faultsIn, operations, type Operation } from "./faults.ts";
import { assertValid, runOn } from "./working.ts";

const request = { sessionId, create: true, message: "Do it." };
const scripts = [calls(["a", "change", {}]), calls(["b", "look", {}]), calls(["c", "change", {}]), says("Done.")];
const codes = ["ENOSPC", "EIO", "EACCES"] as const;
/** What the run can do without: nothing of it has to be told. */
const silent: readonly Operation[] = ["replace", "remove", "read the lock"];
const sequence = [
  "user",
  "begun",
  "assistant",
  "a",
  "assistant",
  "b",
  "begun",
  "assistant",
  "c",
  "assistant",
  "run_end",
];

describe("a disk that refuses", () => {
  for (const operation of operations)
    for (const code of codes)
      it(`BRAIN-PERS-4, BRAIN-PERS-5: ${operation}, ${code}: the run ends well, and all is written when it works again`, () =>
        inFolder(async (dir) => {
          const path = join(dir, "sessions", sessionId, "transcript.jsonl");
          const { faults, events } = await workWith(dir, [operation, code], "ends before the run does");
          if (!silent.includes(operation)) assert.ok(faults > 0, "nothing was refused");
          assert.equal(warnings(events).length, silent.includes(operation) ? 0 : 1, warnings(events).join("\n"));
          assert.deepEqual(names(await readEntries(path)), sequence);
          assert.deepEqual((await readTranscript(path)).repairs, []);
        }));

  // A lock that cannot be removed ends with its process: nothing else can be asked of it here.
  for (const operation of operations.filter((name) => name !== "remove"))
    it(`C-10: ${operation}, until the end of the run: told once, and the session is whole and goes on`, () =>
      inFolder(async (dir) => {
        const path = join(dir, "sessions", sessionId, "transcript.jsonl");
        const { events } = await workWith(dir, [operation, "EIO"], "stays");
        assert.ok(warnings(events).length <= 1, warnings(events).join("\n"));
        const next = runOn({ dir, request, scripts: [says("Yes.")] });
        assert.equal((await next.result).status, "completed");
        assertValid(next.model.requests[0]?.messages ?? []);
        const kept = names(await readEntries(path));
        assert.equal(kept[0], "user");
        assert.equal(kept.at(-1), "run_end");
      }));
});

async function workWith(
  dir: string,
  [operation, code]: readonly [Operation, string],
  until: "ends before the run does" | "stays",
): Promise<{ readonly faults: number; readonly events: readonly LoopEvent[] }> {
  const faults = faultsIn(dir, operation, code);
  const events: LoopEvent[] = [];
  let begun = false;
  const begin = () => {
    if (!begun) faults.start();
    begun = true;
    return { status: "succeeded" as const, content: "done" };
  };
  const told = async () => {
    while (warnings(events).length === 0) await pause(5);
  };
  const end = async () => {
    if (until === "ends before the run does") {
      await (silent.includes(operation) ? pause(250) : told());
      faults.stop();
    }
    return { status: "succeeded" as const, content: "looked" };
  };
  const tools = [tool("change", { effect: "write", run: begin }), tool("look", { run: end })];
  try {
    const run = runOn({ dir, request, scripts, tools, listener: (event) => void events.push(event) });
    const { status, output, failure } = await run.result;
    assert.deepEqual([failure, status, output], [undefined, "completed", "Done."]);
  } finally {
    faults.stop();
  }
  return { faults: faults.count(), events };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function warnings(events: readonly LoopEvent[]): string[] {
  return events.flatMap((event) => (event.type === "loop:notice" ? [event.message] : []));
}

function names(entries: readonly Entry[]): string[] {
  return entries.map((entry) => String(entry["tool_call_id"] ?? entry["role"] ?? entry["type"]));
}
