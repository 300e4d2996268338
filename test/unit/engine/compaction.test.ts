// Compaction: what a person said is never lost, no request is ever too long, and the transcript only grows.
import assert from "node:assert/strict";
import fc from "fast-check";
import { collectCarried, tracesOf } from "../../../src/engine/carried.ts";
import { compactedMessage } from "../../../src/engine/compacted.ts";
import { compactionOf } from "../../../src/protocol/compacted.ts";
import { compactSession, reviseCompaction, revisionOf } from "../../../src/engine/compactSession.ts";
import { conversation } from "../../../src/engine/conversation.ts";
import type { Approve, ModelEvent } from "../../../src/engine/ports.ts";
import { loopDefaults } from "../../../src/protocol/config.ts";
import { LoopError, toFailure } from "../../../src/protocol/errors.ts";
import { LoopEvent } from "../../../src/protocol/events.ts";
import { Entry, type CompactionEntry, type ToolEntry } from "../../../src/protocol/messages.ts";
import { replay } from "../../../src/protocol/replay.ts";
import { emptyView, reduce, type View } from "../../../src/protocol/view.ts";
import { calls, kit, ofType, pathOf, says, tool, type Kit } from "../../support/kit.ts";
import { longModel, reads, textOf, type LongModel } from "../../support/longSession.ts";
import { history, pairsHold, randomHistory, type Piece } from "./histories.ts";

const goal = "Goal: make the price rounding exact, the bill of 2019-03-07 was off by 0.01.";
const rule = "Rule: never touch the file vendor/rates.js, it is generated.";
const correction = "Correction: the currency is CHF, not EUR, and it rounds to 0.05.";

const window = 20_000;
const limit = 16_000;
const config = { maxToolIterations: 500 };

const read = tool("read_file", {
  run: (_context, params) => ({ status: "succeeded", content: `${pathOf(params)} ${"z".repeat(6_000)}` }),
});

const compactions = (made: Kit): CompactionEntry[] =>
  made.lines.filter((entry): entry is CompactionEntry => entry["type"] === "compaction");

/** One run of many rounds; then the last words. */
const busy = (rounds: number, others: Partial<Parameters<typeof longModel>[0]> = {}): LongModel =>
  longModel({ window, task: (count) => (count < rounds ? reads(`f${count}`, 2_500) : says("Done.")), ...others });

const failing = (code: "context_overflow" | "provider_failed"): ModelEvent[] => [
  { type: "error", failure: toFailure(new LoopError(code, "It said no.")), retryable: false },
];

const fold = (made: Kit): View =>
  [{ type: "session:open", sessionId: "s", title: "" } as const, ...made.events].reduce(reduce, emptyView);

describe("a conversation five times the window", () => {
  it("in one run: every request fits, and goal, rule and correction are in the last one word for word", async () => {
    const model = busy(60);
    const made = kit({ model, tools: [read], config });
    const run = made.start({ message: goal });
    run.steer(rule);
    run.steer(correction);
    const outcome = await run.result;
    assert.equal(outcome.status, "completed");
    assert.equal(outcome.output, "Done.");
    assert.ok(model.largest() <= limit, `${model.largest()}`);
    assert.ok(compactions(made).length >= 3);
    const last = model.tasks.at(-1);
    assert.ok(last);
    for (const said of [goal, rule, correction]) assert.ok(textOf(last).includes(said), said);
    for (const request of model.tasks) assert.ok(pairsHold(request.messages));
    for (const event of made.events) LoopEvent.parse(event);
    for (const entry of made.lines) Entry.parse(entry);
  });

  it("a fact that the person said first, and one that a file said first, are in the last request", async () => {
    const said = "FACT: the customer pays in CHF.";
    const found = "FACT: the port of the server is 4711.";
    const model = busy(60, {
      summary: (_count, request) => says(textOf(request).includes(found) ? found : "Nothing."),
    });
    const lines = tool("read_file", {
      run: (_context, params) => ({
        status: "succeeded",
        content: `${pathOf(params)} ${pathOf(params) === "f0.js" ? found : ""}\n${"z".repeat(6_000)}`,
      }),
    });
    const made = kit({ model, tools: [lines], config });
    assert.equal((await made.run({ message: said })).output, "Done.");
    assert.ok(compactions(made).length >= 3);
    const last = textOf(model.tasks.at(-1));
    assert.ok(last.includes(said) && last.includes(found));
    assert.ok(
      !model.tasks
        .at(-1)
        ?.messages.slice(1)
        .some(({ content }) => content.includes("FACT")),
    );
  });

  it("counted by a provider that sees three tokens in each of ours, or half of one: it fits by its own count", async () => {
    const memory = tool("update_memory", { effect: "write" });
    for (const measure of [3, 0.5]) {
      const model = busy(80, { window: 60_000, measure });
      const made = kit({ model, tools: [read, memory], config });
      assert.equal((await made.run({ message: goal })).output, "Done.");
      assert.ok(model.largest() <= 56_000, `${measure}: ${model.largest()}`);
      assert.ok(measure < 1 || (compactions(made).length > 1 && model.flushes.length > 1));
      for (const { tokensAfter, tokensBefore } of compactions(made)) assert.ok(tokensAfter < tokensBefore * 0.6);
      assert.ok(textOf(model.tasks.at(-1)).includes(goal));
    }
  });

  it("in many runs, each read anew from the transcript: the same holds", async () => {
    const model = longModel({
      window,
      task: (count, { messages }) => (messages.at(-1)?.role === "user" ? reads(`f${count}`) : says("A".repeat(2_000))),
    });
    const made = kit({ model, tools: [read], config });
    const messages = [goal, rule, correction, ...Array.from({ length: 40 }, (_, n) => `${n}: ${"chat ".repeat(60)}`)];
    for (const message of messages) {
      const { status, failure } = await made.run({ message, sessionId: "s" });
      assert.equal(status, "completed", failure?.message);
    }
    assert.ok(model.largest() <= limit, `${model.largest()}`);
    const last = model.tasks.at(-1);
    assert.ok(last);
    for (const said of [goal, rule, correction, messages.at(-1) ?? ""]) assert.ok(textOf(last).includes(said), said);
  });
});

describe("the rules of a project", () => {
  it("BRAIN-CTX-4: are in every request of a conversation five times the window, beside what was said and corrected; a cut is told", async () => {
    const model = busy(60);
    const text = "## AGENTS.md\nNever use floating point for money.";
    const lengths: number[] = [];
    const rules = (maxLength: number) => {
      lengths.push(maxLength);
      return Promise.resolve({ text, notices: ["AGENTS.md was cut."] });
    };
    const made = kit({ model, tools: [read], config, ports: { rules } });
    const run = made.start({ message: goal });
    run.steer(correction);
    assert.equal((await run.result).output, "Done.");
    assert.ok(compactions(made).length >= 3);
    assert.ok(model.largest() <= limit, `${model.largest()}`);
    for (const { system } of model.tasks) assert.ok(system.includes(`${text}\n\n`));
    for (const said of [goal, correction]) assert.ok(textOf(model.tasks.at(-1)).includes(said), said);
    assert.deepEqual(lengths, [window * 0.7], "read once, and at most a fifth of the window");
    const notices = ofType(made.events, "loop:notice").map(({ level, message }) => ({ level, message }));
    assert.deepEqual(notices, [{ level: "warning", message: "AGENTS.md was cut." }]);
    const system = model.tasks[0]?.system ?? "";
    const order = ["# Project", "# Rules", "Today is"].map((heading) => system.indexOf(heading));
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    );
  });
});

describe("a compaction", () => {
  it("BRAIN-COMP-1, BRAIN-COMP-3, BRAIN-COMP-5: old messages give way in the request, one line is appended, the run goes on", async () => {
    const model = busy(20);
    const made = kit({ model, tools: [read], config });
    assert.equal((await made.run({ message: goal })).output, "Done.");
    const [entry] = compactions(made);
    assert.ok(entry);
    assert.equal(entry.summary, "Summary 0.");
    const index = made.lines.indexOf(entry);
    const next = model.tasks.find(({ messages }) => messages[0]?.content.includes("Summary 0."));
    assert.ok(next && next.messages.length < made.lines.slice(0, index).length);
    assert.deepEqual(
      next.messages.slice(1).map(({ id }) => id),
      made.lines
        .slice(
          made.lines.findIndex(({ id }) => id === entry.firstKeptId),
          index,
        )
        .map(({ id }) => id),
    );
    assert.equal(model.summaries[0]?.tools.length, 0);
    assert.match(textOf(model.summaries[0]), /Called read_file/);
    assert.match(textOf(model.summaries[0]), /Result of read_file \(succeeded\): f0\.js zzz/);
    assert.ok(ofType(made.events, "context:pruned").length > 0, "although the model was no longer shown it");
    assert.ok(entry.tokensAfter < entry.tokensBefore / 2 && entry.tokensBefore > limit);
    const told = ofType(made.events, "context:compacted");
    assert.deepEqual(
      [told[0]?.compactionId, told[0]?.summary, told[0]?.messages],
      [entry.id, "Summary 0.", entry.messages],
    );
    assert.deepEqual(ofType(made.events, "context:compacting")[0]?.compactionId, entry.id);
  });

  it("BRAIN-COMP-2: keeps the last ten messages as they are where they fit, and never half a pair", async () => {
    const model = longModel({ window, task: () => says("x".repeat(1_500)) });
    const made = kit({ model, config });
    for (let run = 0; compactions(made).length === 0 && run < 100; run += 1)
      await made.run({ message: `Question ${run} ${"y".repeat(500)}`, sessionId: "s" });
    const [entry] = compactions(made);
    assert.ok(entry);
    const from = made.lines.findIndex(({ id }) => id === entry.firstKeptId);
    const kept = made.lines.slice(from, made.lines.indexOf(entry)).filter((line) => "role" in line);
    assert.equal(kept.length, 10);
  });

  it("BRAIN-COMP-2: whatever the history and the cut, pairs hold and nothing after the cut is missing", () => {
    fc.assert(
      fc.property(randomHistory, fc.nat(30), (made, at) => {
        const messages = history(made);
        const units = messages.filter(({ role }) => role !== "tool");
        const firstKeptId = units[at % Math.max(1, units.length)]?.id ?? "";
        const entries: Entry[] = [...messages, compacted("c", firstKeptId), ...history([{ said: 20 }], "later")];
        const seen = conversation(entries);
        assert.ok(pairsHold(seen));
        assert.equal(seen[0]?.id, "c");
        const from = messages.findIndex(({ id }) => id === firstKeptId);
        const rest = from === -1 ? [] : messages.slice(from);
        assert.deepEqual(
          seen.slice(1).map(({ id }) => id),
          [...rest.filter((message) => message.role !== "assistant" || message.content !== ""), { id: "lateru0" }].map(
            ({ id }) => id,
          ),
        );
      }),
    );
  });

  it("BRAIN-COMP-4: a summary that fails ends the run with its error and leaves the transcript as it was", async () => {
    for (const [reply, code] of [
      [failing("provider_failed"), "provider_failed"],
      [says("  "), "reply_malformed"],
    ] as const) {
      const model = busy(60, { summary: () => reply });
      const made = kit({ model, tools: [read], config });
      const outcome = await made.run({ message: goal });
      assert.deepEqual([outcome.status, outcome.failure?.code], ["error", code]);
      assert.equal(compactions(made).length, 0);
      assert.equal(made.locked(), false);
      assert.deepEqual(
        fold(made).turns[0]?.items.filter(({ kind }) => kind === "compaction"),
        [],
      );
    }
  });

  it("a stop while it is made stops, and leaves no trace of it", async () => {
    const model = busy(60, {
      summary: () => {
        started.stop();
        return says("too late");
      },
    });
    const made = kit({ model, tools: [read], config });
    const started = made.start({ message: goal });
    const outcome = await started.result;
    assert.equal(outcome.status, "aborted");
    assert.equal(compactions(made).length, 0);
  });

  it("BRAIN-COMP-6: the next run reads the same conversation from the transcript", async () => {
    const model = busy(20);
    const made = kit({ model, tools: [read], config });
    await made.run({ message: goal });
    const last = model.tasks.at(-1)?.messages ?? [];
    await made.run({ message: "And now?", sessionId: "s" });
    const first = model.tasks.at(-1)?.messages ?? [];
    const ids = (messages: readonly { readonly id: string }[]): string[] => messages.map(({ id }) => id);
    assert.deepEqual(ids(first).slice(0, last.length), ids(last));
    assert.equal(first[0]?.content, last[0]?.content);
  });

  it("BRAIN-COMP-7: a history five times the window is summarised in parts, each with the summary so far", async () => {
    const old: Piece[] = Array.from({ length: 80 }, () => ({ said: 3_000 }));
    const talk = old.flatMap((piece, index) => [piece, { results: [] }].map((one) => ({ one, index })));
    const model = longModel({ window, task: () => says("Done.") });
    const made = kit({ model, history: history(talk.map(({ one }) => one)), config });
    const outcome = await made.run({ message: "And now?", sessionId: "s" });
    assert.equal(outcome.status, "completed");
    assert.ok(model.summaries.length >= 4);
    assert.ok(model.largest() <= limit, `${model.largest()}`);
    model.summaries.slice(1).forEach((request, index) => {
      assert.ok(textOf(request).includes(`# Summary so far\nSummary ${index}.`));
    });
    assert.equal(outcome.usage.input, 10 * (model.summaries.length + 1), "summaries are part of what the run used");
  });

  it("BRAIN-COMP-8: where the provider says it is too long, compacts and asks once more", async () => {
    const told = (count: number): readonly ModelEvent[] => {
      if (count < 8) return reads(`f${count}`);
      return count === 8 ? failing("context_overflow") : says("Done.");
    };
    const model = longModel({ window: 128_000, task: told });
    const made = kit({ model, tools: [read], config });
    const outcome = await made.run({ message: goal });
    assert.deepEqual([outcome.status, outcome.output, outcome.iterations], ["completed", "Done.", 10]);
    assert.equal(compactions(made).length, 1);
    assert.ok((model.tasks[9]?.messages.length ?? 99) < (model.tasks[8]?.messages.length ?? 0));
  });

  it("BRAIN-COMP-8: once, and then it is an error; summaries that are refused are asked for in smaller parts", async () => {
    const sizes: number[] = [];
    const model = longModel({
      window: 128_000,
      task: (count) => (count < 8 ? reads(`f${count}`) : failing("context_overflow")),
      summary: (count, request) => {
        sizes.push(textOf(request).length);
        return count < 2 ? failing("context_overflow") : says("Short.");
      },
    });
    const made = kit({ model, tools: [read], config });
    const outcome = await made.run({ message: goal });
    assert.deepEqual([outcome.status, outcome.failure?.code, model.tasks.length], ["error", "context_overflow", 10]);
    assert.ok((sizes[2] ?? 0) < (sizes[0] ?? 0));
    const again = longModel({ window: 128_000, task: () => failing("context_overflow") });
    const alone = await kit({ model: again }).run({ message: goal });
    assert.deepEqual([alone.failure?.code, again.tasks.length], ["context_overflow", 1], "nothing can be taken away");
  });

  it("BRAIN-COMP-8: what the model was to be told with that request is told with the second", async () => {
    const model = longModel({
      window: 128_000,
      task: (count) => (count < 3 ? reads("same") : count === 3 ? failing("context_overflow") : says("Done.")),
    });
    await kit({ model, tools: [read], config }).run({ message: goal });
    for (const request of model.tasks.slice(3)) assert.match(textOf(request), /made the same calls 3 times/);
    assert.equal(model.tasks.length, 5);
  });

  it("BRAIN-CTX-13: results of one reply that are too much together are cut, and the run goes on", async () => {
    const five = calls(...[1, 2, 3, 4, 5].map((n) => [`c${n}`, "read_file", { path: `${n}` }] as const));
    const large = tool("read_file", {
      run: (_context, { path }) => ({ status: "succeeded", content: `${String(path)} ${"z".repeat(12_000)}` }),
    });
    const model = longModel({ window, task: (count) => (count === 0 ? five : says("Done.")) });
    const made = kit({ model, tools: [large], config });
    assert.equal((await made.run({ message: goal })).status, "completed");
    assert.ok(model.largest() <= limit);
    const sent = model.tasks[1]?.messages.filter(({ role }) => role === "tool") ?? [];
    assert.equal(sent.length, 5);
    assert.ok(sent.some(({ content }) => content.includes("characters left out")));
    assert.ok(
      sent.some(({ content }) => content.length === 12_002),
      "no more than is needed",
    );
  });

  it("BRAIN-CTX-11: what is too big even then is an error, and everything is kept", async () => {
    const model = longModel({ window: 8_000, task: () => says("Fine.") });
    const made = kit({ model, config });
    for (let run = 0; run < 3; run += 1) await made.run({ message: `Short ${run}`, sessionId: "s" });
    const before = [...made.lines];
    const outcome = await made.run({ message: "x".repeat(30_000), sessionId: "s" });
    assert.equal(outcome.failure?.code, "context_overflow");
    assert.deepEqual(made.lines.slice(0, before.length), before);
    assert.equal(made.lines[before.length]?.["content"], "x".repeat(30_000));
    assert.equal((await made.run({ message: "Sorry.", sessionId: "s" })).status, "completed", "the session goes on");
  });

  it("BRAIN-COMP-9: what the first compaction carried is there after the third, and the summary goes on from the one before", async () => {
    const model = busy(60);
    const made = kit({ model, tools: [read], config });
    await made.run({ message: goal });
    const found = compactions(made);
    assert.ok(found.length >= 3);
    for (const { carried } of found)
      assert.deepEqual(
        carried.filter(({ kind }) => kind === "message").map(({ text }) => text),
        [goal],
      );
    const last = textOf(model.summaries.at(-1));
    assert.ok(last.includes("# Summary so far") && !last.includes(goal), "what is carried is not summarised again");
  });

  it("of a delegate is its own: marked as such, and no part of the session's conversation", async () => {
    const model = longModel({
      window,
      task: (count, { messages }) => {
        const isTask = messages.some(({ content }) => content.includes("Read everything"));
        if (!isTask) return messages.at(-1)?.role === "tool" ? says("All done.") : calls(["d", "ask", {}]);
        return count < 40 ? reads(`f${count}`, 2_500) : says("Read.");
      },
    });
    const memory = tool("update_memory", { run: () => assert.fail("memory is the session's own") });
    const ask = tool("ask", {
      run: ({ delegate }) => delegate({ agent: null, task: "Read everything.", data: [] }),
    });
    const made = kit({ model, tools: [read, ask, memory], config });
    const outcome = await made.run({ message: goal });
    assert.equal(outcome.output, "All done.");
    assert.ok(model.largest() <= limit);
    const own = compactions(made);
    assert.ok(own.length > 0 && own.every(({ within }) => within === "d"));
    assert.equal(model.flushes.length, 0);
    assert.equal(ofType(made.events, "context:compacted", "context:compacting").length, 0);
    assert.equal(compactionOf(made.lines.filter(({ within }) => within === undefined)), undefined);
  });
});

function compacted(id: string, firstKeptId: string, others: Partial<CompactionEntry> = {}): CompactionEntry {
  const sizes = { messages: 4, tokensBefore: 900, tokensAfter: 100 };
  const about = { runId: "r", timestamp: "t", summary: `Text of ${id}`, carried: [] };
  return { type: "compaction", id, firstKeptId, ...about, ...sizes, ...others };
}

describe("what a compaction carries", () => {
  const about = { runId: "r", timestamp: "t" };
  const person = (decision: NonNullable<ToolEntry["verdict"]>["decision"]): Pick<ToolEntry, "verdict"> => ({
    verdict: { decision, by: "person", at: "t" },
  });
  const toolLine = (id: string, others: Partial<ToolEntry>): ToolEntry => ({
    role: "tool",
    tool_call_id: id,
    content: "ok",
    id,
    ...about,
    name: "edit_file",
    status: "succeeded",
    duration: 1,
    label: { verb: "Edit", subject: `${id}.js` },
    ...others,
  });
  const said = (id: string, content: string): Entry => ({ role: "user", id, content, ...about });
  const carry = (entries: readonly Entry[], room = 100_000, whole?: string) =>
    collectCarried(entries.flatMap(tracesOf), [], { room, whole, newerTodos: false });

  it("is what the person said, refused and changed, and the files, word for word and in order", () => {
    const diff = (path: string, created: boolean) =>
      ({ kind: "diff", path, patch: "…", added: 3, removed: 1, created }) as const;
    const { parts, leftOut } = carry([
      said("u1", goal),
      toolLine("no", { status: "rejected", ...person({ kind: "reject", reason: "vendor is generated" }) }),
      toolLine("other", { ...person({ kind: "modify", params: { path: "b.js" } }), preview: diff("b.js", true) }),
      toolLine("run", { ...person({ kind: "replace", call: { name: "run", params: { command: "npm t" } } }) }),
      toolLine("first", { preview: diff("a.js", false) }),
      toolLine("again", { preview: diff("b.js", false) }),
      toolLine("failed", { status: "failed", preview: diff("c.js", false) }),
      said("u2", correction),
    ]);
    assert.deepEqual(
      parts.map(({ kind, text }) => [kind, text]),
      [
        ["message", goal],
        ["refusal", "Edit no.js: vendor is generated"],
        ["change", 'Edit other.js ran with: {"path":"b.js"}'],
        ["change", 'Edit run.js was replaced by: run {"command":"npm t"}'],
        ["message", correction],
        ["file", "a.js: edited once, 3 lines added and 1 removed in all"],
        ["file", "b.js: created, then edited once, 6 lines added and 2 removed in all"],
      ],
    );
    assert.equal(leftOut, 0);
    const text = compactedMessage(compacted("c", "", { carried: [...parts], leftOut: 2 })).content;
    for (const part of parts) assert.ok(text.includes(part.text));
    assert.match(text, /2 more of these had no room here\./);
  });

  it("is bounded: the first and the newest before the middle, long ones cut and said so, the newest of all whole", () => {
    const entries = Array.from({ length: 50 }, (_, index) => said(`u${index}`, `${index} ${"w".repeat(500)}`));
    const pasted = said("paste", `begin ${"p".repeat(9_000)} end`);
    const newest = said("new", `now ${"n".repeat(7_000)}`);
    const { parts, leftOut } = carry([...entries, pasted, newest], 12_000, "new");
    const ids = parts.map(({ id }) => id);
    assert.deepEqual(ids.slice(0, 2), ["u0", "u1"]);
    assert.ok(ids.includes("paste") && !ids.includes("u25"));
    assert.equal(leftOut, 52 - parts.length);
    const cut = parts.find(({ id }) => id === "paste");
    assert.ok(cut?.text.startsWith("begin ppp") && cut.text.endsWith("ppp end") && (cut.cut ?? 0) > 5_000);
    assert.equal(parts.at(-1)?.text.length, 7_004);
    assert.ok(parts.reduce((sum, { text }) => sum + text.length, 0) < 12_500);
  });

  it("stays within its room for any messages, and never loses the newest", () => {
    const texts = fc.array(fc.string({ maxLength: 4_000 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 20_000 }), (all, room) => {
        const entries = all.map((text, index) => said(`u${index}`, text));
        const whole = `u${all.length - 1}`;
        const { parts, leftOut } = carry(entries, room, whole);
        assert.equal(parts.length + leftOut, all.length);
        assert.equal(parts.at(-1)?.text, all.at(-1));
        const others = parts.slice(0, -1).reduce((sum, { text }) => sum + text.length, 0);
        assert.ok(others <= room + 60 * parts.length);
      }),
    );
  });

  it("BRAIN-COMP-9: is still there when the lines that it was taken from are lost", () => {
    const earlier = [
      { kind: "message", id: "lost", text: goal },
      { kind: "file", id: "a.js", text: "a.js: created" },
    ] as const;
    const about = { room: 9_000, whole: undefined, newerTodos: false };
    const { parts } = collectCarried(tracesOf(said("u", rule)), earlier, about);
    assert.deepEqual(
      parts.map(({ text }) => text),
      [goal, "a.js: created", rule],
    );
  });

  it("BRAIN-COMP-9: a session whose first lines are lost still carries what its last compaction carried", async () => {
    const carried = [{ kind: "message", id: "lost", text: goal }] as const;
    const model = busy(20);
    const old: Entry[] = [compacted("c", "", { carried: [...carried] }), ...history([{ results: [] }])];
    await kit({ model, tools: [read], config, history: old }).run({ message: rule, sessionId: "s" });
    assert.ok(model.summaries.length > 0);
    for (const said of [goal, rule]) assert.ok(textOf(model.tasks.at(-1)).includes(said), said);
  });

  it("comes from a real run: a refusal with its reason, and the file that was written", async () => {
    const approve: Approve = ({ params }) =>
      Promise.resolve({
        decision: pathOf(params) === "vendor" ? { kind: "reject", reason: rule } : { kind: "approve" },
        by: "person",
      });
    const model = longModel({
      window,
      task: (count) =>
        count === 0
          ? calls(["w", "write", { path: "vendor" }])
          : count < 30
            ? reads(`f${count}`, 2_500)
            : says("Done."),
    });
    const made = kit({ model, tools: [read, tool("write", { effect: "write" })], approve, config });
    await made.run({ message: goal });
    assert.ok(textOf(model.tasks.at(-1)).includes(`write vendor: ${rule}`));
  });
});

describe("a compaction that a person asks for", () => {
  const talk = async (): Promise<{ made: Kit; model: LongModel }> => {
    const model = longModel({ window: 128_000, task: (count) => says(`Answer ${count}`) });
    const made = kit({ model });
    for (const message of [goal, rule, correction, "Fourth", "Fifth"]) await made.run({ message, sessionId: "s" });
    return { made, model };
  };
  const compactNow = (made: Kit, instructions?: string) =>
    compactSession({ sessionId: "s", instructions }, made.ports, loopDefaults, (event) => made.events.push(event));

  it("has its own run without a message, follows the instructions, and gives the session back", async () => {
    const { made, model } = await talk();
    const before = made.lines.length;
    const started = compactNow(made, "Keep the numbers.");
    assert.equal(started.steer("hello"), false);
    const outcome = await started.result;
    assert.deepEqual([outcome.status, outcome.output, outcome.usage.input], ["completed", "Summary 0.", 10]);
    assert.match(model.summaries[0]?.system ?? "", /The person asks of the summary: Keep the numbers\./);
    assert.deepEqual(
      made.lines.slice(before).map((entry) => entry["type"]),
      ["compaction", "run_end"],
    );
    assert.equal(made.locked(), false);
    const own = made.events.filter((event) => "runId" in event && event.runId === started.runId);
    assert.deepEqual(
      own.map(({ type }) => type),
      [
        "loop:start",
        "loop:context",
        "context:compacting",
        "context:compacted",
        "context:estimate",
        "loop:persist",
        "loop:end",
      ],
    );
    const [entry] = compactions(made);
    assert.equal(entry?.instructions, "Keep the numbers.");
    await made.run({ message: "Sixth", sessionId: "s" });
    const sent = model.tasks.at(-1)?.messages ?? [];
    assert.deepEqual(
      sent.slice(1).map(({ content }) => content),
      ["Fourth", "Answer 3", "Fifth", "Answer 4", "Sixth"],
    );
    for (const text of [goal, rule, correction, "Summary 0."]) assert.ok(sent[0]?.content.includes(text));
  });

  it("says so when there is nothing to summarise, and fails without harm", async () => {
    const model = longModel({ window: 128_000, task: () => says("Hello.") });
    const made = kit({ model });
    await made.run({ message: goal, sessionId: "s" });
    const outcome = await compactNow(made).result;
    assert.deepEqual([outcome.status, outcome.output, model.summaries.length], ["completed", "", 0]);
    assert.match(ofType(made.events, "loop:notice")[0]?.message ?? "", /nothing yet/);
    const failed = await talk();
    failed.made.ports.agents.resolve = () => Promise.reject(new LoopError("agent_not_found", "Gone."));
    assert.equal((await compactNow(failed.made).result).failure?.code, "agent_not_found");
    assert.equal(failed.made.locked(), false);
  });

  it("leaves known how the provider counts, so that the next request is not taken for a smaller one", async () => {
    const made = kit({ model: longModel({ window: 128_000, measure: 3, task: () => says("Answer") }) });
    for (const message of [goal, rule, correction]) await made.run({ message, sessionId: "s" });
    assert.equal((await compactNow(made).result).output, "Summary 0.");
    const [before, after] = made.lines.filter((entry) => entry["type"] === "run_end").slice(-2);
    assert.ok(before?.["took"]);
    assert.deepEqual(after?.["took"], before["took"]);
  });

  it("can be rewritten and undone; the transcript only grows, and the replay shows what the panel showed", async () => {
    const { made, model } = await talk();
    await compactNow(made).result;
    const [first] = compactions(made);
    assert.ok(first);
    const revise = async (summary: string | null): Promise<void> => {
      made.events.push(await reviseCompaction({ sessionId: "s", compactionId: first.id, summary }, made.ports));
    };
    const nextSees = async (): Promise<string> => {
      await made.run({ message: "Next", sessionId: "s" });
      return textOf(model.tasks.at(-1));
    };
    await revise(" My own words. ");
    const edited = await nextSees();
    assert.ok(edited.includes("My own words.") && !edited.includes("Summary 0.") && edited.includes(goal));
    assert.equal(compactions(made)[1]?.firstKeptId, first.firstKeptId);
    await revise("Better words.");
    assert.ok((await nextSees()).includes("Better words."));
    const shown = fold(made).turns.flatMap(({ items }) => items.filter(({ kind }) => kind === "compaction"));
    assert.equal(shown.length, 1);
    assert.deepEqual(
      { ...shown[0], carried: [] },
      {
        kind: "compaction",
        id: first.id,
        state: "done",
        summary: "Better words.",
        carried: [],
        leftOut: 0,
        messages: first.messages,
        tokensBefore: first.tokensBefore,
        tokensAfter: first.tokensAfter + 1,
        instructions: null,
        edited: true,
      },
    );
    await revise(null);
    const undone = await nextSees();
    assert.ok(!undone.includes("Better words.") && undone.includes("Answer 0"));
    await assert.rejects(revise("late"), (error) => error instanceof LoopError && error.code === "summary_refused");
    assert.equal(made.locked(), false);
    const replayed = replay(made.lines, { id: "s", title: "" }).reduce(reduce, emptyView);
    // A run without a message does not say in the transcript whose it is.
    const known = ({ turns }: View) => turns.map(({ items, end, failure, user }) => ({ items, end, failure, user }));
    assert.deepEqual(known(replayed), known(fold(made)));
    const states = replayed.turns.flatMap(({ items }) =>
      items.flatMap((item) => (item.kind === "compaction" ? [item.state] : [])),
    );
    assert.deepEqual(states, ["undone"]);
  });

  it("an edit of an older compaction does not bring it back, and undoing the newest does", () => {
    const [one, two] = [compacted("one", "u2"), compacted("two", "u4")];
    const late = compacted("edit", "u2", { edits: "one" });
    const undo = { type: "compaction_undone", id: "x", runId: "r", timestamp: "t", compactionId: "two" } as const;
    assert.equal(compactionOf([one, two, late])?.id, "two");
    assert.equal(compactionOf([one, two, late, undo])?.id, "edit");
    const about = { id: "new", timestamp: "t" };
    assert.throws(() => revisionOf([one, two], { compactionId: "one", summary: null }, about), LoopError);
    assert.throws(() => revisionOf([one, two], { compactionId: "two", summary: " " }, about), LoopError);
    const byEdit = revisionOf([one, late], { compactionId: "edit", summary: null }, about);
    assert.equal(byEdit["compactionId"], "one");
  });
});
