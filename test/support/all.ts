// `npm test`: every suite, three at a time, a table of what they came to, and the counts as the last line. Names as arguments run only those.
import assert from "node:assert/strict";
import { inspect } from "node:util";
import pLimit from "p-limit";
import "./compileCache.ts";
import { add, isGreen, none, sentence } from "./counts.ts";
import type { Counts } from "./counts.ts";
import { ensureBubblewrap } from "./bubblewrap.ts";
import { ensureChromium } from "./chromium.ts";
import { inTurn } from "./inTurn.ts";
import type { Turn } from "./inTurn.ts";
import type { Print } from "./run.ts";
import { suites } from "./suites.ts";
import type { Suite } from "./suites.ts";
import { ensureVscode, vscodeUnavailable } from "./vscodeInstall.ts";

interface Outcome {
  readonly name: string;
  readonly counts: Counts;
  readonly seconds: number;
}

const skipped: Counts = { ...none, skipped: 1 };
const failed: Counts = { ...none, failed: 1 };

/** The heavy tools are fetched while the first suites run; what goes wrong is told by the first suite that needs them. */
function prepare(chosen: readonly Suite[]): Promise<unknown> {
  const needed = chosen.some((suite) => suite.needsVscode && suite.unavailable?.() === undefined);
  if (!needed || vscodeUnavailable() !== undefined) return Promise.resolve();
  const ready = Promise.all([ensureVscode(), ensureChromium()]);
  ready.catch(() => undefined);
  return ready;
}

async function runSuite(suite: Suite, ready: Promise<unknown>, print: Print): Promise<Counts> {
  const reason = suite.unavailable?.();
  if (reason !== undefined) {
    print(`Skipped: ${reason}\n`);
    return skipped;
  }
  try {
    if (suite.needsVscode) await ready;
    return await suite.run(print);
  } catch (error) {
    print(`${inspect(error)}\n`);
    return failed;
  }
}

function table(outcomes: readonly Outcome[]): string {
  const width = Math.max(...outcomes.map((outcome) => outcome.name.length), 5);
  const row = (name: string, cells: readonly (string | number)[]): string =>
    `${name.padEnd(width)}${cells.map((cell) => String(cell).padStart(9)).join("")}`;
  const rows = outcomes.map(({ name, counts, seconds }) =>
    row(name, [counts.passed, counts.failed, counts.skipped, `${seconds} s`]),
  );
  return [row("suite", ["passed", "failed", "skipped", "time"]), ...rows].join("\n");
}

function choose(names: readonly string[]): readonly Suite[] {
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
  if (unknown.length > 0) {
    throw new Error(`No suite ${unknown.join(", ")}: there are ${suites.map((suite) => suite.name).join(", ")}.`);
  }
  return names.length === 0 ? suites : suites.filter((suite) => names.includes(suite.name));
}

async function runTimed(suite: Suite, ready: Promise<unknown>, turn: Turn): Promise<Outcome> {
  turn.print(`\n=== ${suite.name}\n`);
  const started = Date.now();
  const counts = await runSuite(suite, ready, turn.print);
  turn.end();
  return { name: suite.name, counts, seconds: Math.round((Date.now() - started) / 1000) };
}

/** All lanes at once, the suites of each one after the other. */
async function runAll(chosen: readonly Suite[], ready: Promise<unknown>): Promise<readonly Outcome[]> {
  const turns = inTurn(chosen.length, (text) => process.stdout.write(text));
  const lanes = { editor: pLimit(1), browser: pLimit(1), process: pLimit(1) };
  const running = chosen.map((suite, index) => {
    const turn = turns[index];
    assert(turn);
    return lanes[suite.lane](() => runTimed(suite, ready, turn));
  });
  return Promise.all(running);
}

async function main(): Promise<void> {
  const chosen = choose(process.argv.slice(2));
  if (chosen.some((suite) => suite.name === "unit")) await ensureBubblewrap();
  const ready = prepare(chosen);
  const outcomes = await runAll(chosen, ready);
  const total = outcomes.map((outcome) => outcome.counts).reduce(add, none);
  // Said again at the end: it is the last screen of a long log that is read.
  for (const failure of total.failures ?? []) console.log(`\nFailed: ${failure}`);
  console.log(`\n${table(outcomes)}\n\n${sentence(total)}`);
  process.exitCode = isGreen(total) ? 0 : 1;
}

await main();
