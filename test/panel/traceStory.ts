// Traces of the runs that the stories tell, made from lines as a transcript has them.
import { Entry } from "../../src/protocol/messages.ts";
import type { RequestRecord } from "../../src/protocol/usage.ts";
import type { OpenCall, Trace } from "../../src/protocol/trace.ts";
import { traceOf } from "../../src/protocol/traceOf.ts";

const runId = "run-1";
const began = Date.UTC(2026, 0, 2, 9, 41);
const at = (ms: number): string => new Date(began + ms).toISOString();

interface Took extends Pick<RequestRecord, "usage"> {
  readonly from: number;
  readonly first: number;
  readonly to: number;
  readonly cost: number;
}

const user = { role: "user", content: "Fix the failing test in the cart module.", id: "u", runId, timestamp: at(0) };

/** @param id of the message, and after a `:` which request it answers, where that is not the last of it */
function reply(
  name: string,
  { from, first, to, usage, cost }: Took,
  calls: readonly string[],
  within?: string,
): unknown {
  const [id = "", number = name.slice(-1)] = name.split(":");
  const request = { at: at(from), duration: to - from, first, usage, cost };
  const tool_calls = calls.map((call) => ({ id: call, name: "tool", arguments: "{}" }));
  const about = { role: "assistant", content: "", tool_calls, iteration: Number(number), model: "gpt-6-codex" };
  return { ...about, request, id, runId, timestamp: at(to), within };
}

interface Call {
  readonly id: string;
  readonly verb: string;
  readonly subject: string;
  readonly from: number;
  readonly to: number;
  readonly status?: string;
  /** From when to when a person was asked. */
  readonly waited?: readonly [number, number];
  readonly within?: string;
}

function result({ id, verb, subject, from, to, status = "succeeded", waited, within }: Call): unknown {
  const waits = waited && [{ at: at(waited[0]), duration: waited[1] - waited[0] }];
  const times = { timestamp: at(to), at: at(from), duration: to - from, waited: waits };
  const about = { role: "tool", tool_call_id: id, content: "…", name: "tool", label: { verb, subject } };
  return { ...about, ...times, status, id: `result-${within ?? ""}-${id}`, runId, within };
}

const end = {
  type: "run_end",
  id: "end",
  runId,
  timestamp: at(12_300),
  status: "completed_with_errors",
  duration: 12_300,
  usage: { input: 3_900, output: 310, cached: 1_200 },
  cost: 0.0312,
};

/** The trace of `finished`: two requests, an edit that waited, a command that was refused. */
export function finishedTrace(): Trace {
  const first = { from: 20, first: 810, to: 3_260, cost: 0.021, usage: { input: 1_800, output: 210, cached: 0 } };
  const second = { from: 9_100, first: 400, to: 9_900, cost: 0.006, usage: { input: 1_000, output: 60, cached: 600 } };
  const last = { from: 11_400, first: 350, to: 12_290, cost: 0.0042, usage: { input: 1_100, output: 40, cached: 600 } };
  return traced([
    user,
    reply("m1", first, ["r1", "r2", "r3", "c1", "e1", "c2"]),
    result({ id: "r1", verb: "Read", subject: "test/cart.test.js", from: 1_000, to: 1_012 }),
    result({ id: "r2", verb: "Read", subject: "src/cart.js", from: 1_300, to: 1_312 }),
    result({ id: "r3", verb: "Read", subject: "src/price.js", from: 1_500, to: 1_512 }),
    result({ id: "c1", verb: "Run", subject: "node --test", from: 1_900, to: 3_134, status: "failed" }),
    result({ id: "e1", verb: "Edit", subject: "src/price.js", from: 8_200, to: 8_206, waited: [2_600, 8_190] }),
    result({ id: "c2", verb: "Run", subject: "node --test test/cart.test.js", from: 8_210, to: 9_083 }),
    reply("m3:2", second, ["c3"]),
    result({
      id: "c3",
      verb: "Run",
      subject: "npm install left-pad",
      from: 11_380,
      to: 11_380,
      status: "rejected",
      waited: [9_700, 11_380],
    }),
    reply("m2:3", last, []),
    end,
  ]);
}

/** The trace of `delegated`, which goes on: the researcher reads, its reader reads, and a command waits. */
export function delegatedTrace(): Trace {
  const usage = { input: 2_100, output: 140, cached: 900, reasoning: 64 };
  const open = (verb: string, subject: string, state: OpenCall["state"] = "running"): OpenCall => ({
    state,
    label: { verb, subject },
  });
  const calls = new Map([
    ["d1", open("Ask", "researcher")],
    ["d1/s1", open("Search", "round(")],
    ["d1/d2", open("Ask", "reader")],
    ["d1/d2/r3", open("Read", "test/price.test.js")],
    ["d1/c1", open("Run", "npm view currency.js", "pending")],
  ]);
  const entries = [
    user,
    reply("m1", { from: 10, first: 700, to: 2_000, cost: 0.01, usage }, ["d1"]),
    reply("m2:1", { from: 2_100, first: 600, to: 5_000, cost: 0.012, usage }, ["r1", "r2", "s1", "d2", "c1"], "d1"),
    result({ id: "r1", verb: "Read", subject: "src/price.js", from: 3_100, to: 3_120, within: "d1" }),
    result({ id: "r2", verb: "Read", subject: "src/cart.js", from: 3_400, to: 3_420, within: "d1" }),
    reply("m4:1", { from: 5_300, first: 500, to: 6_900, cost: 0.004, usage }, ["r3"], "d1/d2"),
  ];
  return traced(entries, { now: began + 14_000, calls });
}

/** A run of many requests with as many calls in all. */
export function longTrace(calls: number): Trace {
  const usage = { input: 20_000, output: 500, cached: 18_000 };
  const rounds = Math.ceil(calls / 10);
  const lines = Array.from({ length: rounds }, (_, n) => {
    const from = n * 4_000;
    const ids = Array.from({ length: 10 }, (_, k) => `c${n}-${k}`);
    return [
      reply(`m${n}:${n + 1}`, { from, first: 500, to: from + 2_000, cost: 0.01, usage }, ids),
      ...ids.map((id, k) => {
        const start = from + 600 + k * 150;
        return result({ id, verb: "Read", subject: `src/module${n}/${k}.js`, from: start, to: start + 80 * (k + 1) });
      }),
    ];
  });
  const duration = rounds * 4_000;
  return traced([user, ...lines.flat(), { ...end, duration, timestamp: at(duration), status: "completed" }]);
}

function traced(lines: readonly unknown[], ongoing?: Parameters<typeof traceOf>[2]): Trace {
  const trace = traceOf(
    lines.map((line) => Entry.parse(line)),
    runId,
    ongoing,
  );
  if (!trace) throw new Error("These lines are of another run.");
  return trace;
}
