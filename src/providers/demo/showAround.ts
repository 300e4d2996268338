// “Show me around”: lists and searches, then sums up what came back, in any workspace.
import type { DemoReply, MadeCall, Turn } from "./conversation.ts";
import { firstLine, notRun } from "./outcome.ts";
import { answer, go } from "./replies.ts";
import { codeBlock } from "./testRun.ts";

const mostFiles = 20;
const mostFunctions = 12;

export function showAround({ made, tools }: Turn): DemoReply {
  const listed = made.findLast(({ name }) => name === "list_files");
  const found = made.findLast(({ name }) => name === "search_text");
  if (listed || found)
    return answer(
      listed ? showFiles(listed) : "",
      found ? showFunctions(found) : "",
      "Next you could send **Run the tests** or **Fix the failing test**.",
    );
  const calls = [
    { name: "list_files", params: {} },
    { name: "search_text", params: { pattern: "export function" } },
  ].filter(({ name }) => tools.has(name));
  if (calls.length === 0) return answer("I cannot look around: this chat gave me no tools to read with.");
  return go("I list the files and look for the functions they share.", ...calls);
}

function showFiles({ outcome }: MadeCall): string {
  const failed = notRun(outcome);
  if (failed !== "") return `The list of files ${failed}.`;
  const lines = outcome.text.trim().split("\n");
  const files = lines.filter((line) => line !== "" && !line.endsWith("/") && !line.startsWith("["));
  const rest = files.length > mostFiles ? `\n… and ${files.length - mostFiles} more` : "";
  return `**Files** (${files.length})\n\n${codeBlock("text", files.slice(0, mostFiles).join("\n") + rest)}`;
}

function showFunctions({ outcome }: MadeCall): string {
  const failed = notRun(outcome);
  if (failed !== "") return `The search ${failed}.`;
  const hits = outcome.text.split("\n").flatMap((line) => {
    const [, file, at, name] = /^(.+?):(\d+):.*export function (\w+)/.exec(line) ?? [];
    return name === undefined ? [] : [`| \`${name}\` | \`${file}\` | ${at} |`];
  });
  if (hits.length === 0) return `I found no exported functions. The search said: ${firstLine(outcome.text)}`;
  const rest = hits.length > mostFunctions ? `\n\n… and ${hits.length - mostFunctions} more.` : "";
  return `**Functions**\n\n| function | file | line |\n| --- | --- | ---: |\n${hits.slice(0, mostFunctions).join("\n")}${rest}`;
}
