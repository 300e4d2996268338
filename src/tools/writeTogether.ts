// Changes of several files as one: all are written or none, and a process that is killed meanwhile leaves word of what it was doing.
import * as z from "zod";
import { toFailure } from "../protocol/errors.ts";
import { failed } from "./tool.ts";
import type { FileContent, FilesInScope } from "./workspace.ts";
import { carryOut, misfit, type Change } from "./writing.ts";

/** Where it is noted what is being written, for as long as that takes. */
export interface Journal {
  /** Resolves when it would outlive the process. @throws when it cannot be kept */
  keep(noted: string): Promise<void>;
  /** Null: nothing is. */
  read(): Promise<string | null>;
  clear(): Promise<void>;
}

/** A change that is in its file, as the change that takes it back. */
export interface Written {
  readonly back: Change;
  /** Only the editor has it: it could not be saved. */
  readonly unsaved: boolean;
}

export type Together =
  | { readonly kind: "written"; readonly written: readonly Written[] }
  /** One does not fit its file any more; nothing was written. */
  | { readonly kind: "stale"; readonly change: Change }
  /** `left`: what was written before, and could not be put back. */
  | {
      readonly kind: "failed";
      readonly change: Change;
      readonly message: string;
      readonly left: readonly Left[];
    };

/**
 * @param opened called before a file is written
 * @returns what has become of them; never rejects
 */
export async function writeTogether(
  files: FilesInScope,
  changes: readonly Change[],
  { journal, opened }: { readonly journal: Journal; readonly opened?: (change: Change) => Promise<unknown> },
): Promise<Together> {
  for (const change of changes) {
    const unread = await files.files.read(change.path).then(() => null, messageOf);
    if (unread !== null) return { kind: "failed", change, message: unread, left: [] };
    if ((await misfit(files, change)) !== null) return { kind: "stale", change };
  }
  const [first] = changes;
  const notes = changes.map(noteOf);
  // One file is replaced in one step.
  const note = async (): Promise<void> => (changes.length > 1 ? journal.keep(JSON.stringify(notes)) : undefined);
  try {
    await note();
  } catch (error) {
    return first
      ? { kind: "failed", change: first, message: messageOf(error), left: [] }
      : { kind: "written", written: [] };
  }
  const wrote = async (at: number, now: Noted): Promise<void> => {
    if (notes[at]?.before === now.before && notes[at].after === now.after) return;
    notes[at] = now;
    await note().catch(() => undefined);
  };
  const together = await writeEach(files, changes, { opened, wrote });
  // One that stays tells at the next start what is the case then.
  await journal.clear().catch(() => undefined);
  return together;
}

interface Steps {
  readonly opened: ((change: Change) => Promise<unknown>) | undefined;
  /** A formatter, or somebody else's change beside it, may have made another text of it than was noted. */
  readonly wrote: (at: number, now: Noted) => Promise<void>;
}

async function writeEach(files: FilesInScope, changes: readonly Change[], { opened, wrote }: Steps): Promise<Together> {
  const written: Written[] = [];
  for (const [at, change] of changes.entries()) {
    await opened?.(change);
    // What somebody has written beside it since it was proposed is not taken back with it.
    const was = await files.files.read(change.path).catch(() => change.before);
    const message = await carriedOut(files, change);
    if (message !== null) return { kind: "failed", change, message, left: await putBack(files, written) };
    const one = await writtenBy(files, change, was);
    written.push(one);
    await wrote(at, { file: change.path.real, before: one.back.after, after: textOf(one.back.before) });
  }
  return { kind: "written", written };
}

/**
 * How what stands there now is taken back. Never rejects.
 * @param was what stood there when the change was made
 */
export async function writtenBy(
  { files }: FilesInScope,
  { path, to, after }: Change,
  was: FileContent | null,
): Promise<Written> {
  const now: FileContent | null = await files.read(to ?? path).catch(() => null);
  const known = now ?? { text: after ?? "", hash: "", source: "disk", unsaved: false };
  const there = to ? { path: to, to: path } : { path };
  return {
    back: { ...there, before: after === null ? null : known, after: was?.text ?? null },
    unsaved: known.unsaved && was?.unsaved !== true,
  };
}

/** A change that could not be taken back, and why. */
export interface Left extends Written {
  readonly message: string;
}

/** @returns those that could not be put back. Never rejects. */
export async function putBack(files: FilesInScope, written: readonly Written[]): Promise<readonly Left[]> {
  const left: Left[] = [];
  for (const one of written.toReversed()) {
    const message = await carriedOut(files, one.back);
    if (message !== null) left.unshift({ ...one, message });
  }
  return left;
}

/** Null: it was. */
async function carriedOut(files: FilesInScope, change: Change): Promise<string | null> {
  const result = await carryOut(files, change).catch((error: unknown) => failed(messageOf(error)));
  return result.status === "failed" ? result.content : null;
}

function messageOf(error: unknown): string {
  return toFailure(error).message;
}

const Note = z.object({ file: z.string(), before: z.string().nullable(), after: z.string().nullable() });

type Noted = z.infer<typeof Note>;

function noteOf({ path, before, after }: Change): Noted {
  return { file: path.real, before: textOf(before), after };
}

/** What a process that was killed has written of changes that belong together, and what it has not. */
export interface Torn {
  readonly written: readonly Written[];
  readonly missing: readonly Change[];
}

/** @returns null when nothing is torn: all of it is written, or none, or nobody can say. Never rejects. */
export async function tornIn(files: FilesInScope, journal: Journal): Promise<Torn | null> {
  const noted = await journal.read().catch(() => null);
  const { data = [] } = z.array(Note).safeParse(noted === null ? [] : parsed(noted));
  const written: Written[] = [];
  const missing: Change[] = [];
  for (const { file, before, after } of data) {
    const path = await files.scope.at(file, "write");
    const now = "denied" in path ? undefined : await files.files.read(path).catch(() => undefined);
    if ("denied" in path || now === undefined) continue;
    const text = textOf(now);
    // What somebody has made of it since is theirs.
    if (text === after) written.push({ back: { path, before: now, after: before }, unsaved: false });
    else if (text === before) missing.push({ path, before: now, after });
  }
  return written.length > 0 && missing.length > 0 ? { written, missing } : null;
}

function textOf(content: FileContent | null): string | null {
  return content?.text ?? null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return [];
  }
}
