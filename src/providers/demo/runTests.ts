// “Run the tests”: one command, and what it really said.
import type { DemoReply, Turn } from "./conversation.ts";
import { notRun } from "./outcome.ts";
import { answer, go, testCall } from "./replies.ts";
import { codeBlock, readTestRun, showTestRun } from "./testRun.ts";

export function runTests({ made, tools }: Turn): DemoReply {
  const run = made.findLast(({ name }) => name === "run_command");
  if (run) return report(run.outcome.text, notRun(run.outcome));
  if (tools.has("run_command")) return go("I run the tests.", testCall("you asked for it"));
  return answer("I may not run commands in this chat. In a terminal it would be:", codeBlock("sh", "node --test"));
}

function report(text: string, failed: string): DemoReply {
  if (failed !== "") return answer(`The test run ${failed}. So I know nothing about the tests.`);
  const run = readTestRun(text);
  if (run.verdict === "passed") return answer("**All tests pass.**", showTestRun(run));
  if (run.verdict === "failed")
    return answer("**A test fails.**", showTestRun(run), "Send **Fix the failing test**, and I look into it.");
  const tail = text.trimEnd().split("\n").slice(-6).join("\n");
  return answer("I see no test report in what the command said:", codeBlock("text", tail));
}
