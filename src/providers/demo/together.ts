// “Combine two files”: four calls in one reply that use each other's results, so that a person sees them become ready one after another.
import type { DemoReply, MadeCall, Turn } from "./conversation.ts";
import { firstLine, notRun } from "./outcome.ts";
import { answer, go } from "./replies.ts";
import { cartFile } from "./shop.ts";

const target = "both.js";
const needed = ["read_file", "write_file", "run_command"];
const count = `node -p "require('fs').readFileSync('${target}','utf8').split('\\n').length"`;

export function combine({ made, tools }: Turn): DemoReply {
  if (made.length > 0) return report(made);
  if (!needed.every((name) => tools.has(name)))
    return answer("For that I need tools that write and run, and this chat gave me none.");
  return go(
    "I read two files, write both into one and count its lines: four calls in one reply. Each becomes ready when what it needs is there.",
    { name: "read_file", params: { path: "src/price.js", _outputPath: "†state.price" } },
    { name: "read_file", params: { path: cartFile, _outputPath: "†state.cart" } },
    {
      name: "write_file",
      params: {
        path: target,
        content: ["// src/price.js\n", "†state.price", `\n// ${cartFile}\n`, "†state.cart"],
        _reasoningForCall: "both files in one, made of what was just read",
      },
    },
    { name: "run_command", params: { command: count, _reasoningForCall: "count the lines of the new file" } },
  );
}

function report(made: readonly MadeCall[]): DemoReply {
  const lines = made.map(({ name, outcome }) => {
    const changed = outcome.change === "none" ? "" : `${outcome.change} by you; `;
    return `- \`${name}\`: ${changed}${notRun(outcome) || firstLine(outcome.text)}`;
  });
  return answer("This is what became of the four calls:", lines.join("\n"), "All of it took one request to the model.");
}
