// The trace of a run: what a transcript says of its times, tokens and cost, in a tree in which everything lies within its parent.
import assert from "node:assert/strict";
import fc from "fast-check";
import { Entry, isMessage } from "../../../src/protocol/messages.ts";
import type { RequestRecord } from "../../../src/protocol/usage.ts";
import type { Trace, TraceSpan } from "../../../src/protocol/trace.ts";
import { summed, traceOf } from "../../../src/protocol/traceOf.ts";

const zero = Date.UTC(2026, 0, 2, 3, 4, 5);
const at = (ms: number): string => new Date(zero + ms).toISOString();
const line = (id: string, ms: number, within?: string) => ({
  id,
  runId: "run",
  timestamp: at(ms),
  ...(within !== undefined && { within }),
});
const request = (from: number, to: number, cost?: number): RequestRecord => ({
  at: at(from),
  duration: to - from,
  first: 10,
  usage: { input: 100, output: 20, cached: 40 },
  ...(cost !== undefined && { cost }),
});
const said: Entry = { role: "user", content: "Fix it.", ...line("u", 0) };

function reply(id: string, took: RequestRecord | number, calls: readonly string[], within?: string): Entry {
  const end = typeof took === "number" ? took : Date.parse(took.at) - zero + took.duration;
  const tool_calls = calls.map((call) => ({ id: call, name: "read_file", arguments: "{}" }));
  const recorded = typeof took === "number" ? {} : { request: took };
  return { role: "assistant", content: "", tool_calls, iteration: 1, ...recorded, ...line(id, end, within) };
}

function result(call: string, from: number, to: number, more: Partial<Entry> = {}): Entry {
  const about = { content: "done", name: "read_file", status: "succeeded", label: { verb: "Read", subject: call } };
  const times = { at: at(from), duration: to - from };
  return Entry.parse({ role: "tool", tool_call_id: call, ...about, ...times, ...line(`result-${call}`, to), ...more });
}

function end(ms: number): Entry {
  const usage = { input: 300, output: 60 };
  return { type: "run_end", status: "completed", duration: ms, usage, cost: 0.5, ...line("end", ms) };
}

/** Each span in a line, indented. */
function drawn({ spans }: Trace): readonly string[] {
  return spans.map(({ depth, kind, label, state, all, work, waits }) => {
    const name = label ? `${label.verb} ${label.subject}` : kind;
    const worked = work ? ` works ${work.from}–${work.to}` : "";
    const asked = waits.map(({ from, to }) => ` waits ${from}–${to}`).join("");
    return `${"  ".repeat(depth)}${name} ${state} ${all.from}–${all.to}${worked}${asked}`;
  });
}

function traced(...entries: readonly Entry[]): Trace {
  const trace = traceOf(entries, "run");
  assert.ok(trace);
  return trace;
}

describe("the trace of a run", () => {
  it("has its calls under their requests, what waited apart from what worked, and a delegate's under its call", () => {
    const trace = traced(
      said,
      reply("q1", request(5, 50, 0.1), ["a", "d"]),
      result("a", 20, 90, { waited: [{ at: at(30), duration: 40 }] }),
      // A delegate can write before its caller's reply is whole, and the record of its end comes last.
      reply("inner", request(60, 80, 0.2), ["x"], "d"),
      result("x", 80, 95, { within: "d", id: "rx" }),
      result("d", 55, 100),
      { type: "plan", steps: [], decision: { kind: "approve" }, by: "person", asked: at(100), ...line("plan", 110) },
      reply("q2", request(110, 150, 0.2), []),
      end(160),
    );
    assert.deepEqual(drawn(trace), [
      "request succeeded 5–100 works 5–50",
      "  Read a succeeded 20–90 works 20–90 waits 30–70",
      "  Read d succeeded 55–100 works 55–100",
      "    request succeeded 60–95 works 60–80",
      "      Read x succeeded 80–95 works 80–95",
      "plan succeeded 100–110 waits 100–110",
      "request succeeded 110–150 works 110–150",
    ]);
    const { duration, waited, cost, usage, isAbout, message } = trace;
    assert.deepEqual([duration, waited, cost, usage.input, isAbout, message], [160, 50, 0.5, 300, false, "Fix it."]);
    assert.deepEqual(
      trace.spans.flatMap(({ toolCallId }) => toolCallId ?? []),
      ["a", "d", "d/x"],
    );
    assert.equal(trace.spans.find(({ toolCallId }) => toolCallId === "d")?.cost, 0.2, "what its request took");
  });

  it("of an older record tells the times from the order of its lines, and says so", () => {
    const older = (entry: Entry): Entry => Entry.parse({ ...entry, at: undefined });
    const trace = traced(said, reply("q1", 50, ["a"]), older(result("a", 60, 90)), reply("q2", 140, []), end(150));
    assert.equal(trace.isAbout, true);
    assert.deepEqual(drawn(trace), [
      "request succeeded 0–90 works 0–50",
      "  Read a succeeded 60–90 works 60–90",
      "request succeeded 90–140 works 90–140",
    ]);
  });

  it("of a run that goes on reaches until now, with what its calls do", () => {
    const calls = new Map([["b", { state: "pending", label: { verb: "Edit", subject: "b.js" } } as const]]);
    const entries = [said, reply("q1", request(0, 40), ["a", "b", "c"]), result("a", 40, 60)];
    const trace = traceOf(entries, "run", { now: zero + 500, calls });
    assert.ok(trace);
    assert.deepEqual(drawn(trace), [
      "request succeeded 0–500 works 0–40",
      "  Read a succeeded 40–60 works 40–60",
      "  Edit b.js pending 40–500 waits 40–500",
      "  read_file  running 40–500 works 40–500",
    ]);
    assert.deepEqual([trace.status, trace.waited, trace.usage.input], [null, 460, 100]);
    const answered = traceOf(entries.slice(0, 1), "run", { now: zero + 90, calls: new Map() });
    assert.deepEqual(answered && drawn(answered), ["request running 0–90 works 0–90"]);
  });

  it("has requests that left no line of their own, and those of a summary and of notes", () => {
    const requests = [request(0, 10, 0.1)];
    const trace = traced(
      said,
      { type: "memory_flush", wrote: false, calls: [], requests, ...line("f", 10) },
      Entry.parse({
        ...line("c", 30),
        type: "compaction",
        summary: "",
        carried: [],
        firstKeptId: "",
        messages: 2,
        tokensBefore: 9,
        tokensAfter: 3,
        requests: [request(10, 30, 0.1)],
      }),
      Entry.parse({ ...end(60), requests: [{ ...request(30, 60), ended: "failed" }] }),
    );
    assert.deepEqual(drawn(trace), [
      "notes succeeded 0–10 works 0–10",
      "summary succeeded 10–30 works 10–30",
      "request failed 30–60 works 30–60",
    ]);
  });

  it("is null where there is nothing of the run", () => {
    assert.equal(traceOf([said], "another"), null);
  });

  const time = fc.integer({ min: -200, max: 2_000 });
  const piece = fc.record({
    kind: fc.constantFrom("reply" as const, "result" as const, "pause" as const, "flush" as const),
    call: fc.nat(5),
    within: fc.option(fc.constantFrom("c0", "c1", "c0/c2", "lost"), { nil: undefined }),
    from: time,
    length: fc.nat(900),
    waits: fc.array(fc.tuple(time, fc.nat(300)), { maxLength: 2 }),
    old: fc.boolean(),
    odd: fc.boolean(),
    cost: fc.option(fc.nat(9), { nil: undefined }),
  });

  type Piece = typeof piece extends fc.Arbitrary<infer T> ? T : never;

  it("whatever the lines say: nothing lies outside of its parent, nothing is lost, and what is used is the sum", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), fc.boolean(), (pieces, ended) => {
        const entries = [said, ...pieces.map(entryOf), ...(ended ? [end(1_500)] : [])];
        const trace = traced(...entries);
        check(trace);
        const told = trace.spans.filter(({ usage, kind }) => usage && kind !== "call");
        assert.equal(told.length, entries.flatMap(recordsOf).length);
        const results = entries.filter((entry) => isMessage(entry) && entry.role === "tool");
        const calls = trace.spans.filter(({ kind, id }) => kind === "call" && !id.endsWith("-open"));
        assert.deepEqual(calls.map(({ id }) => id).toSorted(), results.map(({ id }) => id).toSorted());
        const { usage, cost } = summed(entries.flatMap(recordsOf));
        if (!ended) assert.deepEqual([trace.usage, trace.cost], [usage, cost]);
      }),
      { numRuns: Number(process.env["RUNS"] ?? 300) },
    );
  });

  function entryOf({ kind, call, within, from, length, waits, old, odd, cost }: Piece, index: number): Entry {
    const waited = waits.map(([ms, duration]) => ({ at: at(ms), duration }));
    const names = [`c${call}`, `c${(call + 1) % 6}`];
    const took = request(from, from + length, cost);
    const made = {
      reply: () => reply(`q${index}`, old ? from + length : took, names, within),
      result: () => result(`c${call}`, from, from + length, { waited, ...(within !== undefined && { within }) }),
      pause: () =>
        Entry.parse({ type: "pause", reason: "rounds", message: "?", choice: "stop", ...line("p", from, within) }),
      flush: () => Entry.parse({ type: "memory_flush", wrote: true, calls: [], requests: [took], ...line("f", from) }),
    }[kind]();
    return { ...made, id: `${made.id}-${index}`, ...(odd && { timestamp: "when?" }) };
  }
});

function recordsOf(entry: Entry): readonly RequestRecord[] {
  if (isMessage(entry)) return entry.role === "assistant" && entry.request ? [entry.request] : [];
  return entry.type === "memory_flush" ? (entry.requests ?? []) : [];
}

function check({ spans, duration, waited }: Trace): void {
  const seen = new Map<string | null, Pick<TraceSpan, "depth" | "all">>([
    [null, { depth: -1, all: { from: 0, to: duration } }],
  ]);
  for (const { id, parent, depth, all, work, waits } of spans) {
    const above = seen.get(parent);
    assert.ok(above, `${id} stands before its parent`);
    assert.equal(depth, above.depth + 1);
    for (const inner of [all, ...(work ? [work] : []), ...waits]) {
      assert.ok(inner.from <= inner.to);
      assert.ok(above.all.from <= inner.from && inner.to <= above.all.to, `${id} lies outside of its parent`);
    }
    seen.set(id, { depth, all });
  }
  assert.ok(waited >= 0 && waited <= duration);
}
