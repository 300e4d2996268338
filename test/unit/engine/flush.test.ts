// The memory flush: once a cycle, with the memory tool only, seen by nobody but for what it wrote.
import assert from "node:assert/strict";
import { estimateTokens } from "../../../src/engine/estimate.ts";
import { isNoReply } from "../../../src/engine/flush.ts";
import type { Approve, ModelEvent, Tool } from "../../../src/engine/ports.ts";
import { toFailure } from "../../../src/protocol/errors.ts";
import { LoopEvent } from "../../../src/protocol/events.ts";
import { Entry, type MemoryFlushEntry } from "../../../src/protocol/messages.ts";
import { replay } from "../../../src/protocol/replay.ts";
import { emptyView, reduce } from "../../../src/protocol/view.ts";
import { calls, kit, ofType, says, tool, type Kit } from "../../support/kit.ts";
import { longModel, reads, textOf, type LongModel } from "../../support/longSession.ts";

const window = 20_000;
const limit = 16_000;
const config = { maxToolIterations: 500 };
const read = tool("read_file", { run: () => ({ status: "succeeded", content: "z".repeat(300) }) });

interface Notes {
  readonly written: string[];
  readonly tool: Tool;
}

function notes(): Notes {
  const written: string[] = [];
  const memory = tool("update_memory", {
    effect: "write",
    run: (_context, { note }) => {
      written.push(String(note));
      return { status: "succeeded", content: "Noted." };
    },
  });
  return { written, tool: memory };
}

/** Long enough for so many cycles. */
const busy = (rounds: number, flush?: Parameters<typeof longModel>[0]["flush"]): LongModel =>
  longModel({
    window,
    task: (count) => (count < rounds ? reads(`f${count}`, 2_500) : says("Done.")),
    ...(flush && { flush }),
  });

const flushes = (made: Kit): MemoryFlushEntry[] =>
  made.lines.filter((entry): entry is MemoryFlushEntry => entry["type"] === "memory_flush");

const nobody: Approve = ({ toolName }) => Promise.reject(new Error(`nobody may be asked about ${toolName}`));

describe("a memory flush", () => {
  it("BRAIN-FLUSH-1, BRAIN-FLUSH-2, BRAIN-FLUSH-7: asks silently, offers memory only, and what is written is kept and told", async () => {
    const memory = notes();
    const model = busy(20, (count) =>
      count === 0
        ? calls(["m", "update_memory", { note: "The currency is CHF." }], ["w", "write_file", { path: "x" }])
        : says("no_reply\n"),
    );
    const write = tool("write_file", { effect: "write", run: () => assert.fail("it may not be run") });
    const made = kit({ model, tools: [read, memory.tool, write], approve: nobody, config });
    assert.equal((await made.run({ message: "Work." })).output, "Done.");
    assert.deepEqual(memory.written, ["The currency is CHF."]);
    const [first, second] = model.flushes;
    assert.ok(first && second);
    assert.match(first.system, /You are a test agent\.[^]*Session nearing compaction\. Store durable memories now\.$/);
    assert.match(first.messages.at(-1)?.content ?? "", /lasting notes to MEMORY\.md[^]*NO_REPLY if nothing to store/);
    assert.deepEqual(
      first.tools.map(({ name }) => name),
      ["update_memory"],
    );
    assert.match(second.messages.at(-1)?.content ?? "", /There is no tool named write_file/);
    assert.deepEqual(ofType(made.events, "memory:write", "memory:flush"), [
      { type: "memory:write", runId: "id-1", note: "The currency is CHF." },
      { type: "memory:flush", runId: "id-1", wrote: true },
    ]);
    const [entry] = flushes(made);
    assert.deepEqual(
      entry?.calls.map(({ name, status }) => [name, status]),
      [
        ["update_memory", "succeeded"],
        ["write_file", "failed"],
      ],
    );
    for (const line of made.lines) Entry.parse(line);
    for (const event of made.events) LoopEvent.parse(event);
  });

  it("BRAIN-FLUSH-6: leaves nothing else in events, messages, outcome and later requests", async () => {
    const memory = notes();
    const model = busy(20, (count) =>
      count === 0 ? calls(["secret-call", "update_memory", { note: "noted" }]) : says("NO_REPLY please"),
    );
    const made = kit({ model, tools: [read, memory.tool], config });
    const outcome = await made.run({ message: "Work." });
    const asked = model.flushes[0]?.messages.at(-1)?.content ?? assert.fail();
    const hidden = [asked.slice(0, 40), "secret-call", "NO_REPLY", "nearing compaction"];
    const places = [
      JSON.stringify(made.events),
      JSON.stringify(outcome.messages),
      JSON.stringify(made.lines.filter((line) => "role" in line)),
      JSON.stringify(model.tasks.map(textOf)),
      JSON.stringify(model.summaries.map(textOf)),
    ];
    for (const place of places) for (const text of hidden) assert.ok(!place.includes(text), text);
    assert.equal(flushes(made)[0]?.said, "NO_REPLY please", "what was not the agreed word is in the log");
    const shown = made.events.reduce(reduce, emptyView);
    const replayed = replay(made.lines, { id: "s", title: "" }).reduce(reduce, emptyView);
    for (const { turns } of [shown, replayed])
      assert.equal(turns[0]?.items.filter((item) => item.kind === "memory").length, 1);
    assert.deepEqual(
      replayed.turns[0]?.items.map(({ kind }) => kind),
      shown.turns[0]?.items.map(({ kind }) => kind),
    );
  });

  it("BRAIN-FLUSH-3: the agreed word is the whole text, whatever its case and the space around it", () => {
    for (const text of ["NO_REPLY", " no_reply\n", "No_Reply"]) assert.equal(isNoReply(text), true);
    for (const text of ["NO_REPLY please", "NO_", "", "NO REPLY"]) assert.equal(isNoReply(text), false);
  });

  it("BRAIN-FLUSH-3: nothing of it is shown while it streams", async () => {
    const parts: readonly ModelEvent[] = [
      { type: "text", text: "NO" },
      { type: "thinking", text: "hm" },
      { type: "text", text: "_REPLY" },
      { type: "finish", reason: "stop" },
    ];
    const made = kit({ model: busy(20, () => parts), tools: [read, notes().tool], config });
    await made.run({ message: "Work." });
    assert.ok(ofType(made.events, "stream:delta").every(({ content }) => !/^NO$|_REPLY/.test(content)));
    assert.equal(ofType(made.events, "stream:thinking").length, 0);
    assert.deepEqual(
      ofType(made.events, "memory:flush").map(({ wrote }) => wrote),
      [false],
    );
  });

  it("BRAIN-FLUSH-4, BRAIN-FLUSH-5: once in each cycle, also when the cycle spans several runs", async () => {
    const model = longModel({ window, task: () => says("x".repeat(1_200)) });
    const made = kit({ model, tools: [notes().tool], config });
    for (let run = 0; run < 90; run += 1) await made.run({ message: `${run} ${"y".repeat(300)}`, sessionId: "s" });
    const order = made.lines.flatMap(({ type }) => (type === "memory_flush" || type === "compaction" ? [type] : []));
    assert.ok(order.length >= 6);
    order.forEach((type, index) => assert.equal(type, index % 2 === 0 ? "memory_flush" : "compaction"));
    assert.ok(model.largest() <= limit);
    assert.equal(model.flushes.length, order.filter((type) => type === "memory_flush").length);
  });

  it("BRAIN-FLUSH-8: is skipped without the memory tool, and compaction is not", async () => {
    const model = busy(20);
    const made = kit({ model, tools: [read], config });
    assert.equal((await made.run({ message: "Work." })).status, "completed");
    assert.deepEqual([model.flushes.length, flushes(made).length], [0, 0]);
    assert.ok(model.summaries.length > 0);
  });

  it("ends after three requests, counts them, and its failure does not end the run", async () => {
    const memory = notes();
    const again = busy(20, (count) => calls([`m${count}`, "update_memory", { note: `note ${count}` }]));
    const made = kit({ model: again, tools: [read, memory.tool], config });
    const outcome = await made.run({ message: "Work." });
    assert.deepEqual([outcome.status, again.flushes.length, memory.written.length], ["completed", 3, 3]);
    const sent = again.tasks.length + again.summaries.length + again.flushes.length;
    assert.equal(outcome.usage.input, 10 * sent);
    const broken = busy(20, () => [{ type: "error", failure: toFailure(new Error("down")), retryable: false }]);
    const other = kit({ model: broken, tools: [read, notes().tool], config });
    assert.equal((await other.run({ message: "Work." })).status, "completed");
    assert.deepEqual([broken.flushes.length, flushes(other).length], [1, 1], "it is not tried again in this cycle");
  });

  it("stopped in the middle of it, a run compacts nothing, and the flush may come again", async () => {
    const flush = (): ModelEvent[] => {
      started.stop();
      return says("NO_REPLY");
    };
    const model = longModel({ window, task: () => says("ok"), flush });
    const made = kit({ model, tools: [notes().tool], config });
    await made.run({ message: "a".repeat(45_000), sessionId: "s" });
    const started = made.start({ message: "b".repeat(20_000), sessionId: "s" });
    assert.equal((await started.result).status, "aborted");
    assert.equal(model.flushes.length, 1);
    assert.deepEqual([flushes(made).length, ofType(made.events, "context:compacting").length], [0, 0]);
  });

  it("fits the window even where the conversation does not any more", async () => {
    const model = longModel({ window, task: () => says("ok") });
    const made = kit({ model, tools: [notes().tool], config });
    await made.run({ message: "a".repeat(45_000), sessionId: "s" });
    await made.run({ message: "b".repeat(20_000), sessionId: "s" });
    assert.equal(model.flushes.length, 1);
    assert.ok(model.flushes.every((request) => estimateTokens(request) <= limit));
    assert.equal(model.flushes[0]?.messages.at(-2)?.content[0], "b");
  });

  it("what it wrote is in the system prompt once the conversation was compacted", async () => {
    const memory = notes();
    const model = busy(20, (count) =>
      count === 0 ? calls(["m", "update_memory", { note: "CHF!" }]) : says("NO_REPLY"),
    );
    const made = kit({
      model,
      tools: [read, memory.tool],
      config,
      ports: { memory: { read: () => Promise.resolve(memory.written.join("\n")) } },
    });
    await made.run({ message: "Work." });
    assert.ok(!model.tasks[0]?.system.includes("CHF!"));
    assert.ok(model.tasks.at(-1)?.system.includes("CHF!"));
  });
});
