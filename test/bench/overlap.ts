// How near the loop comes to the longest chain: calls that start while the reply streams, and calls that use each other's results.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createBrain } from "../../src/headless.ts";
import type { Params } from "../../src/protocol/messages.ts";
import { startTimed, wires, type TimedCall, type Wire } from "../support/timedWire.ts";

interface Scenario {
  readonly name: string;
  readonly calls: readonly TimedCall[];
  /** Characters a millisecond. */
  readonly pace?: number;
  /** Milliseconds that each call works. */
  readonly work: number;
  /** Milliseconds of the longest chain, from the request to the end of the last call. */
  readonly critical: number;
}

export interface OverlapReport {
  readonly wire: Wire;
  readonly scenario: string;
  readonly critical: number;
  /** Milliseconds from the request to the end of the last call. */
  readonly makespan: number;
  readonly ratio: number;
  /** The longest a call waited after the sign that it was complete and its inputs were there, in milliseconds. */
  readonly lag: number;
  /** Requests made before the last call ended. */
  readonly requests: number;
}

const work = (n: number, at: number, params: Params = {}): TimedCall => ({
  name: "work",
  at,
  params: { n, ...params },
});

const eight: Scenario = {
  name: "8 calls, 150 ms apart, 300 ms each",
  calls: Array.from({ length: 8 }, (_, n) => work(n, 150 * (n + 1))),
  work: 300,
  critical: 1_500,
};

/** Read A, read B, combine both, write. */
const chain = (at: readonly [number, number, number, number]): TimedCall[] => [
  work(0, at[0], { path: "a.txt", _outputPath: "†state.a" }),
  work(1, at[1], { path: "b.txt", _outputPath: "†state.b" }),
  work(2, at[2], { parts: ["†state.a", "†state.b"], _outputPath: "†state.both" }),
  work(3, at[3], { path: "c.txt", content: "†state.both" }),
];

/** Milliseconds that so many calls take to arrive at 50 tokens, or about 200 characters, a second. */
const arrival = (call: TimedCall): number => (JSON.stringify(call.params).length + 20) * 5;

function spoken(): Scenario {
  let at = 800;
  const calls = chain([0, 0, 0, 0]).map((call) => ({ ...call, at: (at += arrival(call)) }));
  const [a, b, both, write] = calls.map((call) => call.at + 200);
  const combined = Math.max(both ?? 0, Math.max(a ?? 0, b ?? 0) + 200);
  return {
    name: "read, read, combine, write at 50 tokens a second",
    calls,
    pace: 0.2,
    work: 200,
    critical: Math.max(write ?? 0, combined + 200),
  };
}

const scenarios: readonly Scenario[] = [
  eight,
  { name: "read, read, combine, write", calls: chain([800, 800, 800, 800]), work: 200, critical: 1_400 },
  spoken(),
];

async function measure(wire: Wire, scenario: Scenario): Promise<OverlapReport> {
  const server = await startTimed(wire, scenario.calls, { pace: scenario.pace });
  const workspace = await mkdtemp(path.join(tmpdir(), "brain-overlap-"));
  const started = new Map<number, number>();
  const ended = new Map<number, number>();
  const activity = async ({ n }: Params): Promise<string> => {
    started.set(Number(n), performance.now());
    await new Promise((resolve) => void setTimeout(resolve, scenario.work));
    ended.set(Number(n), performance.now());
    return `result ${String(n)}`;
  };
  const brain = createBrain({
    workspace,
    provider: wire,
    baseUrl: server.baseUrl,
    apiKey: "none",
    model: "test",
    tools: { tools: [{ name: "work", description: "Works." }], activities: { work: activity } },
  });
  try {
    const { status, failure } = await brain.run({ message: "Do it." }).result;
    if (status !== "completed") throw new Error(`${wire}, ${scenario.name}: ${status} ${failure?.message ?? ""}`);
    const begun = server.requests[0] ?? 0;
    const last = Math.max(...ended.values());
    const lags = scenario.calls.map((call, n) => {
      const needs = scenario.calls.flatMap((other, m) => {
        const place = other.params["_outputPath"];
        const used = typeof place === "string" && m !== n && JSON.stringify(call.params).includes(`"${place}"`);
        return used ? [ended.get(m) ?? 0] : [];
      });
      return (started.get(n) ?? 0) - Math.max(server.signs.get(n) ?? 0, ...needs);
    });
    const makespan = last - begun;
    return {
      wire,
      scenario: scenario.name,
      critical: scenario.critical,
      makespan,
      ratio: makespan / scenario.critical,
      lag: Math.max(...lags),
      requests: server.requests.filter((at) => at < last).length,
    };
  } finally {
    await brain.dispose();
    await server.close();
    await rm(workspace, { recursive: true, force: true });
  }
}

/** Each scenario on each wire: the run with the median makespan of several. */
export async function measureOverlap(rounds: number, report: (one: OverlapReport) => void): Promise<OverlapReport[]> {
  const reports: OverlapReport[] = [];
  for (const wire of wires)
    for (const scenario of scenarios) {
      const runs: OverlapReport[] = [];
      for (let round = 0; round < rounds; round++) runs.push(await measure(wire, scenario));
      const middle = runs.toSorted((a, b) => a.makespan - b.makespan)[Math.floor(rounds / 2)];
      if (!middle) continue;
      reports.push(middle);
      report(middle);
    }
  return reports;
}
