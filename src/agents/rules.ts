// The rules of a project: AGENTS.md at the root of the workspace, and what stands in `.brain/rules`.
import { open, readdir, stat } from "node:fs/promises";
import type { Rules } from "../engine/ports.ts";

/** The longest form of a character in UTF-8. */
const bytesPerCharacter = 4;

/** The real path of a name in a folder; null when it leads out of it, or may not be read. */
type Resolve = (name: string) => Promise<string | null>;

/** Where rules are read. */
interface RulePlaces {
  readonly workspace: Resolve;
  /** The `.brain` folder. */
  readonly brain: Resolve;
}

/** A file of rules, as people call it. */
interface Source {
  readonly name: string;
  readonly real: string | null;
}

/**
 * Reads the rules: AGENTS.md, then the files of `.brain/rules` in the order of their names. Never throws: what cannot be read
 * is no rule, and a notice says so.
 * @param maxLength characters in all; what is longer is cut behind a whole line, and the text says so
 */
export async function readRules(places: RulePlaces, maxLength: number): Promise<Rules> {
  const texts: string[] = [];
  const notices: string[] = [];
  let room = maxLength;
  for (const source of await sourcesIn(places)) {
    const { name } = source;
    const read = await readStart(source, room);
    if (read.kind === "none") continue;
    if (read.kind === "unreadable") {
      notices.push(`The rules in ${name} are not used: ${read.why}.`);
      continue;
    }
    room -= read.text.length;
    if (read.text.trim() !== "" || read.cut) texts.push(sectionOf(name, read));
    if (read.cut) notices.push(cutNotice(name, maxLength));
  }
  return { text: texts.join("\n\n"), notices };
}

type Read =
  | { readonly kind: "none" }
  | { readonly kind: "unreadable"; readonly why: string }
  | { readonly kind: "text"; readonly text: string; readonly cut: boolean };

function sectionOf(name: string, { text, cut }: { text: string; cut: boolean }): string {
  const end = cut ? [`(${name} is longer and is cut here: you are not shown what comes after.)`] : [];
  return [`## ${name}`, ...(text.trim() === "" ? [] : [text.trim()]), ...end].join("\n");
}

function cutNotice(name: string, maxLength: number): string {
  const most = maxLength.toLocaleString("en");
  return `The model is not shown all of ${name}: rules may have ${most} characters in all. Shorten them, so that all of them hold.`;
}

async function sourcesIn({ workspace, brain }: RulePlaces): Promise<readonly Source[]> {
  const folder = await brain("rules");
  const names = folder === null ? [] : await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith(".md")).toSorted();
  const root = { name: "AGENTS.md", real: await workspace("AGENTS.md") };
  const own = files.map(async (name) => ({ name: `.brain/rules/${name}`, real: await brain(`rules/${name}`) }));
  return [root, ...(await Promise.all(own))];
}

async function readStart({ real }: Source, room: number): Promise<Read> {
  if (real === null)
    return { kind: "unreadable", why: "it is a link that leads out of the folder, or a name that may not be read" };
  try {
    // Only a plain file: opening a pipe would wait for ever.
    if (!(await stat(real)).isFile()) return { kind: "unreadable", why: "it is not a file" };
    const start = await textFrom(real, (room + 1) * bytesPerCharacter);
    return { kind: "text", ...cutTo(start, room) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "it cannot be read";
    return code === "ENOENT" ? { kind: "none" } : { kind: "unreadable", why: `the disk said ${code}` };
  }
}

async function textFrom(path: string, bytes: number): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(bytes), 0, bytes, 0);
    return new TextDecoder().decode(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

function cutTo(text: string, room: number): { readonly text: string; readonly cut: boolean } {
  if (text.length <= room) return { text, cut: false };
  const start = text.slice(0, room);
  const end = start.lastIndexOf("\n");
  return { text: end === -1 ? start : start.slice(0, end), cut: true };
}
