// The suites of `npm test`, in the order of its table: how each is run and counted, and why it may be impossible on this machine.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { none, parseCounts } from "./counts.ts";
import type { Counts } from "./counts.ts";
import { e2eUnavailable } from "./e2e.ts";
import { tempDir } from "./example.ts";
import { hostUnavailable } from "./hostSuite.ts";
import type { HostMode } from "./hostSuite.ts";
import { npm, root, runToEnd } from "./run.ts";
import type { Print } from "./run.ts";

export interface Suite {
  readonly name: string;
  /** Why it cannot run here; `undefined` where it can. */
  readonly unavailable?: () => string | undefined;
  /** Whether it needs a VS Code, which is installed while the suites before it run. */
  readonly needsVscode?: boolean;
  /** Lanes run side by side, the suites of one after another: no lane keeps a processor busy alone, and each suite in an editor fills dist. */
  readonly lane: "editor" | "browser" | "process";
  readonly run: (print: Print) => Promise<Counts>;
}

const failure: Counts = { ...none, failed: 1 };

/** A run that ended badly without a failed test has failed all the same. */
const orFailure = (counts: Counts, code: number): Counts => (code !== 0 && counts.failed === 0 ? failure : counts);

async function runCheck(print: Print): Promise<Counts> {
  const { code } = await npm(["run", "check"], { print });
  return code === 0 ? { ...none, passed: 1 } : failure;
}

/** Runs a program that writes its counts where it is told to. */
async function runCounted(args: readonly string[], print: Print): Promise<Counts> {
  const temp = await tempDir("counts");
  const file = path.join(temp.dir, "counts.json");
  const env = { ...process.env, BRAIN_COUNTS: file };
  try {
    const { code } = await runToEnd(process.execPath, args, { print, env });
    return existsSync(file) ? orFailure(parseCounts(await readFile(file, "utf8")), code) : failure;
  } finally {
    await temp.remove();
  }
}

const mocha =
  (...args: readonly string[]) =>
  (print: Print): Promise<Counts> => {
    const program = path.join(root, "node_modules/mocha/bin/mocha.js");
    const reporter = path.join(import.meta.dirname, "countReporter.ts");
    return runCounted([program, "--reporter", reporter, ...args], print);
  };

const host =
  (mode: HostMode) =>
  (print: Print): Promise<Counts> =>
    runCounted([path.join(import.meta.dirname, "hostSuite.ts"), mode], print);

const vectors = path.resolve(root, "../shared/conformance/dev");

async function runConformance(print: Print): Promise<Counts> {
  const { code, output } = await npm(["run", "conformance", "--", "--vectors", vectors], { print });
  const last = [...output.matchAll(/(\d+) passed, (\d+) failed(?:, (\d+) skipped)?/g)].at(-1);
  if (last === undefined) return failure;
  const [, passed, failed, skipped] = last;
  return orFailure({ passed: Number(passed), failed: Number(failed), skipped: Number(skipped ?? 0) }, code);
}

export const suites: readonly Suite[] = [
  { name: "check", lane: "process", run: runCheck },
  { name: "unit", lane: "process", run: mocha() },
  {
    name: "conformance",
    lane: "process",
    unavailable: () =>
      existsSync(vectors) ? undefined : "The vectors are absent (shared/conformance/dev beside the repository).",
    run: runConformance,
  },
  {
    name: "panel",
    lane: "browser",
    needsVscode: true,
    run: mocha("--no-package", "--forbid-only", "--timeout", "60000", "test/panel/*.test.ts"),
  },
  {
    name: "host",
    unavailable: hostUnavailable,
    needsVscode: true,
    lane: "editor",
    run: host("trusted"),
  },
  {
    name: "host-untrusted",
    unavailable: hostUnavailable,
    needsVscode: true,
    lane: "editor",
    run: host("untrusted"),
  },
  {
    name: "e2e",
    unavailable: e2eUnavailable,
    needsVscode: true,
    lane: "editor",
    run: mocha("--no-package", "--config", "test/e2e/.mocharc.json"),
  },
];
