// The end of “Fix the failing test”: a report that claims only what the two results say.
import type { DemoReply } from "./conversation.ts";
import { firstLine, notRun, type Outcome } from "./outcome.ts";
import { answer, offerTests } from "./replies.ts";
import { cartFile } from "./shop.ts";
import { codeBlock, readTestRun, showTestRun } from "./testRun.ts";

interface Finding {
  /** Null: the result does not tell. */
  readonly good: boolean | null;
  readonly words: string;
}

/** Reports on the edit and the command, of which either may be missing. */
export function reportFix(edit: Outcome | undefined, run: Outcome | undefined): DemoReply {
  const edited = edit ? readEdit(edit) : { good: false, words: "I made no edit." };
  const tested = run ? readRun(run) : { good: null, words: "The tests did not run: I was given no tool for commands." };
  return answer(headline(edited.good, tested.good), edited.words, tested.words, question(edited, tested, edit));
}

function headline(edited: boolean | null, tested: boolean | null): string {
  if (edited === null) return "**I cannot tell whether the edit was made.** This is what I got:";
  if (edited) {
    if (tested === null) return "**The edit is made. Whether it helps is not known yet.**";
    return tested ? "**Fixed: the tests pass.**" : "**Not fixed yet: the edit is made, but a test still fails.**";
  }
  return tested
    ? "**The edit was not made, and the tests pass all the same.**"
    : "**Nothing is fixed: the edit was not made.**";
}

function readEdit(outcome: Outcome): Finding {
  const failed = notRun(outcome);
  if (failed !== "") return { good: false, words: `The edit of \`${cartFile}\` ${failed}.` };
  if (outcome.change === "replaced")
    return { good: null, words: `You replaced the edit by another call. It said: ${firstLine(outcome.text)}` };
  const written = /^(?:Changed|Created) (\S+)/.exec(outcome.text)?.[1];
  if (written === undefined) {
    const good = /nothing (was|would)|does not exist|cannot|could not/i.test(outcome.text) ? false : null;
    return { good, words: `The edit of \`${cartFile}\` said: ${firstLine(outcome.text)}` };
  }
  const who = outcome.change === "changed" ? "You changed the edit before it ran. " : "";
  const [taken = "", left = ""] = outcome.text.split("The person decided what is written");
  const parts = [
    `${who}This was written to \`${written}\`${asDiff(taken)}`,
    ...(left === "" ? [] : [`You left this of my proposal out, or wrote it otherwise${asDiff(left)}`]),
    ...(outcome.note === "" ? [] : [`You said: “${outcome.note}”`]),
  ];
  return { good: true, words: parts.join("\n\n") };
}

function asDiff(text: string): string {
  const lines = changedLines(text);
  return lines === "" ? "." : `:\n\n${codeBlock("diff", lines)}`;
}

/** The changed lines of the patch that the result shows, without the lines around them. */
function changedLines(text: string): string {
  const lines = text.split("\n").filter((line) => /^[+-](?![+-]{2} )/.test(line));
  return lines.map((line) => line.replace(/^([+-])\s*/, "$1 ")).join("\n");
}

function readRun(outcome: Outcome): Finding {
  const failed = notRun(outcome);
  if (failed !== "") return { good: null, words: `The test run ${failed}.` };
  const who = outcome.change === "none" ? "" : "You changed the command before it ran. ";
  const run = readTestRun(outcome.text);
  if (run.verdict !== null)
    return { good: run.verdict === "passed", words: `${who}The test run:\n\n${showTestRun(run)}` };
  const tail = outcome.text.trimEnd().split("\n").slice(-4).join("\n");
  return { good: null, words: `${who}I see no test report in what the command said:\n\n${codeBlock("text", tail)}` };
}

function question(edited: Finding, tested: Finding, edit: Outcome | undefined): string {
  if (edit?.kind === "rejected")
    return "What should I do instead? I know only this one fix; you can also change the edit yourself before you allow it.";
  if (tested.good === true) return "";
  if (edited.good === true && tested.good === null) return offerTests;
  return "I stop here: the script knows no other way. Send **Fix the failing test** to start again.";
}
