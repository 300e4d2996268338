// Runs mocha inside VS Code's extension host: what `extensionTestsPath` names, for code-server and desktop VS Code alike.
import Mocha from "mocha";
import { appendFileSync, readdirSync, writeFileSync } from "node:fs";
import { findSourceMap } from "node:module";
import path from "node:path";

const folder = path.join(import.meta.dirname, process.env["HOST_TEST_TRUST"] === "no" ? "untrusted" : "");

// Nobody sees the host's console: lines go to a file that hostSuite.ts prints from.
function say(line: string): void {
  const log = process.env["HOST_TEST_LOG"];
  if (log === undefined) console.log(line);
  else appendFileSync(log, `${line}\n`);
}

// VS Code makes the host's stack traces itself, so Node does not translate them: the line of the source is looked up here.
function toSource(place: string, file: string, line: string, column: string): string {
  const entry = findSourceMap(file)?.findEntry(Number(line) - 1, Number(column) - 1);
  if (entry === undefined || !("originalSource" in entry)) return place;
  return `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}

function describeError(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return text.replaceAll(/(file:\/\/[^\s()]+?):(\d+):(\d+)/g, toSource);
}

async function load(): Promise<Mocha> {
  // Makes Node keep the maps of the bundles that follow.
  process.setSourceMapsEnabled(true);
  const grep = process.env["HOST_TEST_GREP"];
  const mocha = new Mocha({
    ui: "bdd",
    timeout: 60_000,
    reporter: Mocha.reporters.Base,
    forbidOnly: true,
    ...(grep && { grep }),
  });
  const names = readdirSync(folder).filter((name) => name.endsWith(".test.mjs"));
  for (const name of names.toSorted()) mocha.addFile(path.join(folder, name));
  await mocha.loadFilesAsync();
  return mocha;
}

/** VS Code calls this and takes a rejection for failed tests. */
export async function run(): Promise<void> {
  const counts = { passed: 0, failed: 0, skipped: 0, failures: Array<string>() };
  const write = (): void => {
    const file = process.env["HOST_TEST_RESULTS"];
    if (file !== undefined) writeFileSync(file, JSON.stringify(counts));
  };
  try {
    const mocha = await load();
    await new Promise<void>((resolve) => {
      const runner = mocha.run(() => resolve());
      runner.on("suite", (suite) => suite.title && say(`${"  ".repeat(suite.titlePath().length)}${suite.title}`));
      const row = (mark: string, test: Mocha.Test): void =>
        say(`${"  ".repeat(test.titlePath().length)}${mark} ${test.title}`);
      runner.on("pass", (test) => (counts.passed++, row("✔", test)));
      runner.on("pending", (test) => (counts.skipped++, row("-", test)));
      runner.on("fail", (test, error: unknown) => {
        counts.failed++;
        row("✖", test);
        say(describeError(error));
        counts.failures.push(`${test.fullTitle()}\n${describeError(error)}`);
      });
    });
  } catch (error) {
    counts.failed++;
    say(`The test files could not be loaded: ${describeError(error)}`);
  }
  write();
  if (counts.failed > 0) throw new Error(`${counts.failed} failed`);
}
