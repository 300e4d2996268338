// What a run of `node --test` really said: its counts and the first failing line, from either form of its report.

export interface TestRun {
  /** Null when the text tells neither: then nothing may be claimed. */
  readonly verdict: "passed" | "failed" | null;
  readonly passed: number;
  readonly failed: number;
  /** Name of the first failing test, and the line that says why; `""` when not found. */
  readonly failing: string;
  readonly line: string;
}

/** Reads the result of `run_command`. Tests count as passed only by their own count and exit code 0 together. */
export function readTestRun(text: string): TestRun {
  const passed = countOf(text, "pass");
  const failed = countOf(text, "fail");
  const exitedWell = /\bexit code 0$/.test(text.trimEnd());
  return {
    verdict: failed > 0 ? "failed" : passed > 0 && exitedWell ? "passed" : null,
    passed,
    failed,
    failing: firstOf(text, /^\s*(?:✖|not ok \d+ -)\s+(?!failing tests)(.+?)(?: \([\d.]+ms\))?$/m),
    line: firstOf(text, /^\s*(.*\S !==? \S.*)$/m) || firstOf(text, /^\s*(.*\w*Error\b.*)$/m),
  };
}

function firstOf(text: string, pattern: RegExp): string {
  return pattern.exec(text)?.[1]?.trim() ?? "";
}

function countOf(text: string, word: string): number {
  return Number(firstOf(text, new RegExp(`^(?:ℹ|#) ${word} (\\d+)`, "m")));
}

/** The report in markdown: a small table, and the failing line when there is one. */
export function showTestRun({ verdict, passed, failed, failing, line }: TestRun): string {
  const table = `| passed | failed |\n| ---: | ---: |\n| ${passed} | ${failed} |`;
  if (verdict !== "failed") return table;
  const shown = [failing && `✖ ${failing}`, line && `  ${line}`].filter((part) => part !== "").join("\n");
  return shown === "" ? table : `${table}\n\n${codeBlock("text", shown)}`;
}

/** A fenced block that its text cannot end. */
export function codeBlock(language: string, text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
