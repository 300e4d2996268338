// An agent as other tools keep them, `NAME.agent.md` or `NAME.md` in `.github/agents`: its text, and as much of its front matter as means something here.
import * as z from "zod";
import type { ParsedAgent } from "./agentFile.ts";
import { parseFrontMatter } from "./frontMatter.ts";
import { agentId } from "./template.ts";

const FrontMatter = z.looseObject({
  name: z.string().nullish(),
  description: z.string().nullish(),
  tools: z.union([z.array(z.string()), z.string()]).nullish(),
});

const reading = ["read_file", "read_output", "list_files"];
const searching = ["search_text", "list_files"];
const editing = ["edit_file", "apply_patch", "write_file", "edit_notebook", "delete_file", "move_file"];
const running = ["run_command", "read_output", "stop_command"];

/** What such files call tools, in lower case, by what Brain has for it. Other words name tools that it does not have. */
const families: ReadonlyMap<string, readonly string[]> = new Map([
  ["read", reading],
  ["notebookread", reading],
  ["search", searching],
  ["grep", searching],
  ["glob", searching],
  ["edit", editing],
  ["multiedit", editing],
  ["notebookedit", editing],
  ["write", editing],
  ["execute", running],
  ["shell", running],
  ["bash", running],
  ["powershell", running],
  ["runcommands", running],
  ["agent", ["run_agent"]],
  ["custom-agent", ["run_agent"]],
  ["task", ["run_agent"]],
]);

/** The name that such a file is called by; null when it is none. */
export function githubName(file: string): string | null {
  return /^(.+?)(?:\.agent)?\.md$/i.exec(file)?.[1] ?? null;
}

/** Its model is not taken over: it is named as another tool knows it. @param file its name, for the problems */
export function parseGithubAgent(text: string, file: string, source: string): ParsedAgent {
  const parsed = parseFrontMatter(text, FrontMatter);
  if ("problems" in parsed)
    return { problems: parsed.problems.map(({ line, message }) => `${file}:${line}: ${message}`) };
  const { name, description, tools } = parsed.data;
  const called = githubName(file) ?? file;
  const named = toolsOf(tools ?? "*");
  return {
    agent: {
      id: agentId(called),
      name: name ?? called,
      ...(typeof description === "string" && { description }),
      ...(named && { tools: [...named] }),
      identity: parsed.body.trim(),
      source,
    },
  };
}

/** Null: all there are. */
function toolsOf(written: string | readonly string[]): readonly string[] | null {
  const words = typeof written === "string" ? written.split(",") : written;
  const plain = words.map((word) => word.trim().toLowerCase());
  if (plain.includes("*")) return null;
  // `search/codebase` is a tool of the family `search`.
  return [...new Set(plain.flatMap((word) => families.get(word.split("/", 1).join("")) ?? []))];
}
