// What a message brings with it: fetched when it is said, kept with it, and read by the model behind its words.
import type { Attachment } from "../protocol/attachments.ts";
import type { AgentDefinition } from "../protocol/agents.ts";
import type { UserEntry } from "../protocol/messages.ts";
import { attached } from "../protocol/replay.ts";
import type { Attached, Emit, Ports } from "./ports.ts";
import { onAbort } from "./timers.ts";

/**
 * The message with what its words name, as it is now. What cannot be attached is told to the person and keeps no message back.
 * @param emit hears what was attached, and what was not
 */
export async function withAttachments(
  message: UserEntry,
  { attach }: Pick<Ports, "attach">,
  { agent, signal, emit }: { readonly agent: AgentDefinition; readonly signal: AbortSignal; readonly emit: Emit },
): Promise<UserEntry> {
  const { attachments, notices } = attach
    ? await fetched(() => attach(message.content, agent, signal), signal)
    : { attachments: [], notices: [] };
  const { runId } = message;
  for (const notice of notices) emit({ type: "loop:notice", runId, level: "warning", message: notice });
  const whole = attachments.length === 0 ? message : { ...message, attachments: [...attachments] };
  for (const event of attached(whole)) emit(event);
  return whole;
}

/** Nothing of what is named may hold a message back: who stops the run does not wait for it. */
async function fetched(fetch: () => Promise<Attached>, signal: AbortSignal): Promise<Attached> {
  const { aborted, forget } = onAbort(signal);
  try {
    const found = await Promise.race([fetch(), aborted]);
    return found === "aborted" ? { attachments: [], notices: [] } : found;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { attachments: [], notices: [`Nothing that the message names by @ was attached: ${why}`] };
  } finally {
    forget();
  }
}

/** The message as the model reads it. */
export function withContents(message: UserEntry): UserEntry {
  const { attachments = [] } = message;
  if (attachments.length === 0) return message;
  return { ...message, content: [message.content, ...attachments.map(contentOf)].join("\n\n") };
}

function contentOf({ kind, label, text }: Attachment): string {
  const fence = fenceFor(text);
  return `[Attached by the person: ${nouns[kind]} ${label}]\n${fence}\n${text}\n${fence}`;
}

/** Longer than any in the text, so that nothing in it ends it. */
function fenceFor(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  return "`".repeat(longest + 1);
}

const nouns = {
  file: "the file",
  folder: "the folder",
  problems: "what the editor finds wrong, as",
  changes: "the changes since the last commit, as",
  terminal: "the last output of the terminal, as",
  commit: "the commit",
  page: "the page of the web, written by others,",
} as const satisfies Record<Attachment["kind"], string>;
