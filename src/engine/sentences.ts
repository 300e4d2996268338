// What the loop itself says to the model about a call: made here and taken off here, so that a rerun can tell a tool's words from the loop's. Pure.
import type { Params, ToolCall, ToolEntry } from "../protocol/messages.ts";

/** Results of calls that a stopped run cut short, by how far they had come. */
export const cancelled = {
  beforeStart: "Cancelled: the run was stopped before this call started.",
  whileAsked: "Cancelled: the run was stopped while this call waited for a person.",
  atWork: "Cancelled: the run was stopped.",
} as const;

/** Whether a call had come so far when it was cancelled, by its result. */
export function isCancelled({ status, content }: ToolEntry, how: "beforeStart" | "whileAsked"): boolean {
  const sentence = cancelled[how];
  return status === "cancelled" && (content === sentence || content.startsWith(`${sentence}\n\n`));
}

/** In front of the result of a call whose arguments had to be mended. */
export function mended(params: Params): string {
  return `The arguments were not valid JSON. They were read as: ${JSON.stringify(params)}`;
}

/** In front of the result of a call that a person said something of when they approved it. */
export function noted(note: string): string {
  return `The person says of this: ${note}`;
}

/** In front of the result of a call that ran with other parameters. */
export function changed(params: Params): string {
  return `Changed by the person before it ran. It ran with: ${JSON.stringify(params)}`;
}

/** In front of the result of a call in whose place another ran. */
export function replaced({ name, params }: { readonly name: string; readonly params: Params }): string {
  return `Replaced by the person. Instead this ran: ${name} ${JSON.stringify(params)}`;
}

/** Behind a result that others can refer to; `""` when it is kept nowhere. */
export function keptAs(names: readonly string[]): string {
  return names.length === 0 ? "" : `\n\nKept as ${names.join(" and ")}.`;
}

/** A result, and under it what the loop adds behind it. */
export function underNotice(notice: string, content: string): string {
  return [notice, content].filter((part) => part !== "").join("\n\n");
}

/** The inverse of what `underNotice` and `keptAs` add. A part that is not there stays unsaid. */
export function withoutAdditions(content: string, { notice, kept }: { notice: string; kept: string }): string {
  const front = `${notice}\n\n`;
  const whole = content.endsWith(kept) ? content.slice(0, content.length - kept.length) : content;
  if (notice === "") return whole;
  return whole === notice ? "" : whole.startsWith(front) ? whole.slice(front.length) : whole;
}

const denial = "Denied: ";

export function denied(why: string): string {
  return `${denial}${why}`;
}

export function withoutDenial(content: string): string {
  return content.startsWith(denial) ? content.slice(denial.length) : content;
}

export function noTool(name: string, names: readonly string[]): string {
  return `There is no tool named ${name}. The tools are: ${names.length === 0 ? "none" : names.join(", ")}.`;
}

/** The names that `noTool` listed for this name; null when the sentence is another. */
export function toolsListed(content: string, name: string): readonly string[] | null {
  const front = `There is no tool named ${name}. The tools are: `;
  const list = content.startsWith(front) ? /^(.*)\.$/m.exec(content.slice(front.length))?.[1] : undefined;
  if (list === undefined) return null;
  return list === "none" ? [] : list.split(", ");
}

/** True for a sentence with which the loop refuses a call before any tool is asked. */
export function isLoopRefusal(content: string, { name }: ToolCall): boolean {
  return [
    "It did not run: ",
    "The plan was not run. ",
    "_outputPath must be ",
    "_outputMethod must be ",
    `The arguments of ${name} are not valid JSON: `,
    `The arguments of ${name} must be one JSON object.`,
  ].some((start) => content.startsWith(start));
}
