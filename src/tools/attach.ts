// Fetches what a message names by `@`: files as the editor holds them, folders as lists, and what else the host knows.
import { lstat } from "node:fs/promises";
import type { Attached } from "../engine/ports.ts";
import { mostAttached, ownContexts, type Attachment, type OwnContext } from "../protocol/attachments.ts";
import type { Scope, ScopedPath } from "../scope/scope.ts";
import { isAddress, mentionsIn, type Mention } from "./mentions.ts";
import { showFile } from "./readFile.ts";
import { walk } from "./walk.ts";
import type { Files } from "./workspace.ts";

/** What the host may look at for an attachment. */
export interface Looking {
  readonly signal: AbortSignal;
  /** Whether a file of the workspace may be read, by the name it has there. */
  readonly mayRead: (name: string) => Promise<boolean>;
}

/** What the host can attach beside files and folders; null: there is nothing now. */
export type OwnContexts = Partial<Readonly<Record<OwnContext, (looking: Looking) => Promise<string | null>>>> & {
  /** What a commit has changed, by any name that git has for it. */
  readonly commit?: (name: string, looking: Looking) => Promise<string | null>;
};

/** `@commit:HEAD~1`. */
export const commitMark = "commit:";

export interface AttachParts {
  readonly scope: Scope;
  readonly files: Pick<Files, "read">;
  readonly own: OwnContexts;
  /** What a rule keeps back though the scope would not, by its name in the workspace. */
  readonly unread: (relative: string) => boolean;
  /** Takes secrets out of what is read. */
  readonly mask: (text: string) => string;
  readonly signal: AbortSignal;
  /** Reads a page of the web. Rejects with a sentence. */
  readonly page: (address: string, signal: AbortSignal) => Promise<string>;
}

/** Names of a folder that are listed. */
const mostNames = 500;

type Found = Attachment | { readonly notice: string } | null;

/**
 * What a text names, as far as the scope lets it be read; what does not exist is only a word with an `@` before it.
 * Together it has at most `mostAttached` characters. Never rejects.
 */
export async function attach(text: string, parts: AttachParts): Promise<Attached> {
  const attachments: Attachment[] = [];
  const notices: string[] = [];
  let room = mostAttached;
  for (const readings of mentionsIn(text)) {
    const found = await firstOf(readings, parts).catch((error: unknown) => ({ notice: noticeOf(readings, error) }));
    if (!found) continue;
    if ("notice" in found) notices.push(found.notice);
    else {
      const whole = parts.mask(found.text);
      const text = cut(whole, room);
      if (text !== whole)
        notices.push(`Of @${found.label} ${text === "" ? "nothing" : "only the beginning"} was attached: ${tooMuch}`);
      if (text !== "") attachments.push({ ...found, text });
      room = text === whole ? room - whole.length : 0;
    }
  }
  return { attachments, notices };
}

async function firstOf(readings: readonly Mention[], parts: AttachParts): Promise<Found> {
  let notice: Found = null;
  for (const reading of readings) {
    const found = await fetched(reading, parts);
    if (found && !("notice" in found)) return found;
    notice ??= found;
  }
  return notice;
}

async function fetched(reading: Mention, parts: AttachParts): Promise<Found> {
  const { name, lines } = reading;
  if (isAddress(name)) return { kind: "page", label: name, text: await parts.page(name, parts.signal) };
  const own = ownContexts.find((one) => one === name);
  const kind = name.startsWith(commitMark) ? "commit" : own;
  const text = lines ? undefined : await fromHost(name, own, parts);
  if (text === undefined || kind === undefined) return fromDisk(reading, parts);
  return text === null ? { notice: `There is nothing to attach for @${name} now.` } : { kind, label: name, text };
}

/** Undefined: the host knows nothing of such a name. */
async function fromHost(
  name: string,
  own: OwnContext | undefined,
  { scope, unread, signal, own: contexts }: AttachParts,
): Promise<string | null | undefined> {
  const mayRead = async (file: string): Promise<boolean> => {
    const scoped = await scope.resolve(file, "read");
    return !("denied" in scoped) && !unread(scoped.relative);
  };
  const looking = { signal, mayRead };
  if (own) return contexts[own]?.(looking);
  return name.startsWith(commitMark) ? contexts.commit?.(name.slice(commitMark.length), looking) : undefined;
}

async function fromDisk({ name, lines }: Mention, { scope, files, unread, signal }: AttachParts): Promise<Found> {
  const scoped = await scope.resolve(name, "read");
  if ("denied" in scoped) return /[./\\]/.test(name) ? { notice: `@${name} was not attached. ${scoped.denied}` } : null;
  const there = await lstat(scoped.real).catch(() => null);
  if (!there) return null;
  if (unread(scoped.relative)) return { notice: `@${name} was not attached. A rule denies reading it.` };
  if (there.isDirectory()) return folder(scoped, scope, signal);
  const file = await files.read(scoped);
  if (!file) return null;
  const { from = 1, to } = lines ?? {};
  const shown = showFile(scoped.relative, file, { offset: from, limit: to === undefined ? Infinity : to - from + 1 });
  if (shown.status === "failed") return { notice: `@${name} was not attached. ${shown.content}` };
  const label = lines ? `${scoped.relative}:${from}-${lines.to}` : scoped.relative;
  return { kind: "file", label, text: shown.content };
}

async function folder(scoped: ScopedPath, scope: Scope, signal: AbortSignal): Promise<Attachment> {
  const names: string[] = [];
  for await (const { relative, kind } of walk(scope, scoped, signal)) {
    if (names.push(kind === "folder" ? `${relative}/` : relative) < mostNames) continue;
    names.push(`[only ${mostNames} are listed; list_files shows others]`);
    break;
  }
  return { kind: "folder", label: scoped.relative, text: names.join("\n") };
}

const tooMuch = `what a message names may have ${mostAttached.toLocaleString("en")} characters together.`;
const cutHere = "\n[cut off here: the tools can read the rest]";

/** Behind a whole line, with words for the model; nothing where there is no room for a line. */
function cut(text: string, room: number): string {
  if (text.length <= room) return text;
  const end = text.lastIndexOf("\n", room - cutHere.length);
  return end <= 0 ? "" : text.slice(0, end) + cutHere;
}

function noticeOf([reading]: readonly Mention[], error: unknown): string {
  return `@${reading?.name ?? ""} was not attached. ${error instanceof Error ? error.message : String(error)}`;
}
