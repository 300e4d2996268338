// mocha's own "spec" output, and the counts as JSON in the file that BRAIN_COUNTS names: how all.ts learns what ran.
import Mocha from "mocha";
import { writeFileSync } from "node:fs";
import type { Counts } from "./counts.ts";

export default class CountReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    const counts = { passed: 0, failed: 0, skipped: 0 } satisfies Counts;
    runner.on("pass", () => counts.passed++);
    runner.on("fail", () => counts.failed++);
    runner.on("pending", () => counts.skipped++);
    runner.once("end", () => {
      const file = process.env["BRAIN_COUNTS"];
      if (file !== undefined) writeFileSync(file, JSON.stringify(counts));
    });
  }
}
