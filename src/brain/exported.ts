// A session as a text to keep elsewhere: Markdown for people, JSON lines for programs. Pure.
import { type Entry, isMessage, type Message } from "../protocol/messages.ts";
import type { Decision, PauseEntry, PlanEntry, RunEndEntry, ToolEntry, UserEntry } from "../protocol/messages.ts";
import { shownParts } from "../protocol/viewParts.ts";
import type { SessionSummary } from "./summary.ts";

/** Every entry on a line of its own. */
export function toJsonLines(entries: readonly Entry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

/** What was said, and each call in a line: what it did, who decided, how it ended. Results are left out. */
export function toMarkdown(entries: readonly Entry[], summary: SessionSummary): string {
  const blocks: string[] = [head(summary)];
  let list: string[] = [];
  const endList = (): void => {
    if (list.length > 0) blocks.push(list.join("\n"));
    list = [];
  };
  for (const entry of entries) {
    if (isMessage(entry) && entry.role === "tool") {
      list.push(...callLines(entry));
      continue;
    }
    const block = isMessage(entry) ? messageBlock(entry) : otherBlock(entry);
    if (block === "") continue;
    endList();
    blocks.push(block);
  }
  endList();
  return `${blocks.join("\n\n")}\n`;
}

function head({ id, title, created, updated, agent, model, messageCount, usage, forkedFrom }: SessionSummary): string {
  const facts = [
    `session ${id}`,
    ...(created === "" ? [] : [`${time(created)} to ${time(updated)}`]),
    ...(agent === null ? [] : [`agent ${agent}`]),
    ...(model === null ? [] : [`model ${model}`]),
    `${messageCount} messages`,
    tokens(usage),
    ...(forkedFrom ? [`forked from ${forkedFrom.sessionId}`] : []),
  ];
  return `# ${title === "" ? "Untitled" : title}\n\n${facts.join(" · ")}`;
}

function messageBlock(entry: Exclude<Message, ToolEntry>): string {
  // What a delegate said belongs to its call.
  if (entry.within !== undefined) return "";
  if (entry.role === "user") return userBlock(entry);
  const broken = entry.interrupted === true ? "*This reply broke off.*" : "";
  return [entry.content.trim(), broken].filter((part) => part !== "").join("\n\n");
}

/** Quoted, so that its own headings and lists are no part of the document. */
function userBlock({ content, timestamp, steering, attachments = [], parts }: UserEntry): string {
  const title = `## You, ${time(timestamp)}${steering === true ? ", while it worked" : ""}`;
  const quoted = content.split("\n").map((line) => `> ${line}`.trimEnd());
  const attached = [...shownParts(parts), ...attachments].map(({ label }) => `\`${label}\``).join(", ");
  return [title, quoted.join("\n"), ...(attached === "" ? [] : [`Attached: ${attached}`])].join("\n\n");
}

function otherBlock(entry: Exclude<Entry, Message>): string {
  switch (entry.type) {
    case "plan":
      return planBlock(entry);
    case "pause":
      return pauseBlock(entry);
    case "run_end":
      return endBlock(entry);
    // What is about the session is in its head; how the model's view was kept short is not what was said.
    default:
      return "";
  }
}

function planBlock({ steps, revised, decision, by }: PlanEntry): string {
  const words = { approve: "approved", approveAll: "approved with all of its calls", reject: "rejected" };
  const reason = decision.kind === "reject" && decision.reason ? `: “${oneLine(decision.reason)}”` : "";
  const changed = decision.kind === "reject" ? 0 : (decision.changes?.changed.length ?? 0);
  const made = revised ? ` after ${steps.length - revised.length} were removed and ${changed} changed` : "";
  return `*Plan of ${steps.length} calls: ${words[decision.kind]} by ${who(by)}${made}${reason}.*`;
}

function pauseBlock({ message, choice }: PauseEntry): string {
  const words = { continue: "go on", sumUp: "sum up", stop: "stop" };
  return `*Paused: ${oneLine(message)} You chose to ${words[choice]}.*`;
}

function endBlock({ status, duration, usage, error }: RunEndEntry): string {
  const problem = error ? ` ${oneLine(error.message)}` : "";
  return `*${status.replaceAll("_", " ")}, ${seconds(duration)}, ${tokens(usage)}.${problem}*`;
}

function callLines(entry: ToolEntry): string[] {
  const { name, label, status, duration, verdict, content, within } = entry;
  const indent = "  ".repeat(within === undefined ? 0 : within.split("/").length);
  const what = label ? oneLine(`${label.verb} ${label.subject}`) : name;
  const decided = verdict ? `, ${decision(verdict.decision, who(verdict.by))}` : "";
  const worked = status === "succeeded" || status === "failed" ? ` in ${seconds(duration)}` : "";
  const why = status === "failed" || status === "denied" ? `: ${oneLine(content).slice(0, 200)}` : "";
  return [`${indent}- **${what}** (${name})${decided}: ${status}${worked}${why}`];
}

function decision(decision: Decision, by: string): string {
  switch (decision.kind) {
    case "approve":
      return `approved by ${by}`;
    case "modify":
      return `changed by ${by} to ${code(decision.params)}`;
    case "replace":
      return `replaced by ${by} with ${decision.call.name} ${code(decision.call.params)}`;
    case "reject":
      return `rejected by ${by}${decision.reason ? ` (“${oneLine(decision.reason)}”)` : ""}`;
  }
}

/** Between more backticks than are inside. */
function code(value: unknown): string {
  const json = JSON.stringify(value);
  const longest = Math.max(0, ...[...json.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${json}${fence}` : `${fence} ${json} ${fence}`;
}

function who(by: "person" | "policy"): string {
  return by === "person" ? "you" : "a rule";
}

function time(timestamp: string): string {
  return `${timestamp.slice(0, 16).replace("T", " ")} UTC`;
}

function seconds(milliseconds: number): string {
  return milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;
}

function tokens({ input, output }: { readonly input: number; readonly output: number }): string {
  return `${input} tokens in, ${output} out`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
