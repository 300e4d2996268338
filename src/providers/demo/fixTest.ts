// “Fix the failing test”: reads, finds the bug in what it read, edits and tests in one reply, then reports what really happened.
import type { DemoReply, MadeCall, Turn } from "./conversation.ts";
import { reportFix } from "./fixReport.ts";
import { firstLine, notRun } from "./outcome.ts";
import { answer, go, howToGetReal, offerTests, testCall } from "./replies.ts";
import { cartFile, examine, shopFiles, showEdits, type Edit } from "./shop.ts";
import { codeBlock } from "./testRun.ts";

/** One reply of the turn, by what was done in it so far. */
export function fixTest(turn: Turn): DemoReply {
  const edit = turn.made.findLast(({ name }) => name === "edit_file");
  const run = turn.made.findLast(({ name }) => name === "run_command");
  if (edit || run) return reportFix(edit?.outcome, run?.outcome);
  const reads = turn.made.filter(({ name }) => name === "read_file");
  if (reads.length > 0) return diagnose(reads, turn);
  if (!turn.tools.has("read_file"))
    return answer("I cannot look: this chat gave me no tool to read files with.", howToGetReal);
  const calls = shopFiles.map((path) => ({ name: "read_file", params: { path } }));
  return go("I read the failing test and the two files it is about.", ...calls);
}

function diagnose(reads: readonly MadeCall[], turn: Turn): DemoReply {
  const findings = examine(reads.map(({ outcome }) => outcome.text));
  switch (findings.kind) {
    case "elsewhere":
      return answer(
        "This is not the workspace that I know. I looked for the example’s three files and got:",
        listOf(reads),
        `I am a script for the example, a small shop with one bug, and cannot work on other code. ${howToGetReal}`,
      );
    case "unfamiliar":
      return answer(
        "This looks like the example, but not as I know it, and a script cannot think about what is new. I got:",
        listOf(reads),
        `I changed nothing. ${offerTests}`,
      );
    case "fixed":
      return answer(
        `**The bug is already fixed:** both places in \`${cartFile}\` divide the per cent by 100, as \`src/price.js\` expects.`,
        `I have not run the tests. ${offerTests}`,
      );
    case "broken":
      return turn.tools.has("edit_file") ? repair(findings.edits, turn) : explain(findings.edits);
  }
}

const cause =
  "Vouchers are kept **in per cent** (`SPRING: 10`), but `src/price.js` expects **a fraction** (`0.1`), so the price ends up below zero.";

function repair(edits: readonly Edit[], { tools }: Turn): DemoReply {
  const where = edits.length === 1 ? "one place" : "two places";
  const edit = {
    name: "edit_file",
    params: { path: cartFile, edits, _reasoningForCall: "price.js expects a fraction, not per cent" },
  };
  const then = tools.has("run_command") ? [testCall("see whether the tests pass now")] : [];
  const next = then.length > 0 ? " and run the tests" : "";
  return go(`${cause} I divide by 100 in ${where} of \`${cartFile}\`${next}.`, edit, ...then);
}

function explain(edits: readonly Edit[]): DemoReply {
  return answer(
    cause,
    `I may only read in this chat, so nothing is changed. In \`${cartFile}\` I would change this:`,
    codeBlock("diff", showEdits(edits)),
    "In a folder that you trust I propose it as an edit.",
  );
}

function listOf(reads: readonly MadeCall[]): string {
  return reads
    .map(({ params, outcome }) => `- \`${String(params["path"])}\`: ${notRun(outcome) || firstLine(outcome.text)}`)
    .join("\n");
}
