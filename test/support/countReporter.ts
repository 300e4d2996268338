// mocha's own "spec" output, and the counts and failures as JSON in the file that BRAIN_COUNTS names: how all.ts learns what ran.
import Mocha from "mocha";
import { writeFileSync } from "node:fs";
import type { Counts } from "./counts.ts";

export default class CountReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    const counts = { passed: 0, failed: 0, skipped: 0, failures: Array<string>() } satisfies Counts;
    runner.on("pass", () => counts.passed++);
    runner.on("fail", (test, error: Error) => {
      counts.failed++;
      counts.failures.push(`${test.fullTitle()}\n${error.stack ?? error.message}`);
    });
    runner.on("pending", () => counts.skipped++);
    runner.once("end", () => {
      const file = process.env["BRAIN_COUNTS"];
      if (file !== undefined) writeFileSync(file, JSON.stringify(counts));
    });
  }
}
