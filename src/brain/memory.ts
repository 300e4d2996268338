// MEMORY.md: what an agent knows from one session to the next. Anybody may edit it at any time, so it is only added to.
import { mkdir, realpath } from "node:fs/promises";
import { basename, dirname, relative, isAbsolute, sep } from "node:path";
import type { Memory } from "../engine/ports.ts";
import { maxMemoryLength } from "../protocol/config.ts";
import { LoopError } from "../protocol/errors.ts";
import { appendLines, codeOf, diskError, readIfThere } from "./files.ts";
import { layoutOf } from "./layout.ts";

const heading = "## Notes";

export interface MemoryFile extends Memory {
  readonly path: string;
  /** Adds a note. Never throws; `content` says what happened, for the model. */
  append(note: string): Promise<{ status: "succeeded" | "failed"; content: string }>;
}

/**
 * The memory of one folder. A MEMORY.md that is a link out of the `.brain` folder is neither read nor written.
 * @param options `dir`: the `.brain` folder; `now`: milliseconds since 1970, for the date of a note
 */
export function createMemory(options: { dir: string; now?: () => number }): MemoryFile {
  const { dir, now = Date.now } = options;
  const path = layoutOf(dir).memory;
  let appends: Promise<unknown> = Promise.resolve();

  const append = async (note: string): Promise<{ status: "succeeded" | "failed"; content: string }> => {
    const text = note.replaceAll(/\s+/g, " ").trim();
    if (text === "") return { status: "failed", content: "The note is empty." };
    try {
      await mkdir(dir, { recursive: true }).catch((error: unknown) => {
        throw diskError(dir, error);
      });
      const target = await inside(dir, path);
      const before = (await readIfThere(target)) ?? "";
      const bullet = `- ${text} (${new Date(now()).toISOString().slice(0, 10)})`;
      const lines = [...(endsUnderHeading(before) ? [] : [...(before === "" ? [] : [""]), heading, ""]), bullet];
      if (before.length + lines.join("\n").length + 1 > maxMemoryLength) return { status: "failed", content: full };
      await appendLines(target, lines, { sync: true });
      return { status: "succeeded", content: `Noted in MEMORY.md: ${text}` };
    } catch (error) {
      const known = error instanceof LoopError ? error : diskError(path, error, "read");
      return { status: "failed", content: known.message };
    }
  };

  return {
    path,
    async read() {
      // A memory that cannot be read must not stop a run.
      return inside(dir, path)
        .then(readIfThere)
        .then((text) => text ?? "")
        .catch(() => "");
    },
    append(note) {
      const appended = appends.then(() => append(note));
      appends = appended;
      return appended;
    },
  };
}

const full = `MEMORY.md would become longer than ${maxMemoryLength.toLocaleString("en")} characters, so nothing was noted. Ask for it to be shortened first.`;

/** A person may have written sections below the notes: then the notes go on in a new section at the end. */
function endsUnderHeading(text: string): boolean {
  return (
    text
      .split(/\r?\n/)
      .findLast((line) => /^#{1,6}\s/.test(line))
      ?.trimEnd() === heading
  );
}

/** The file that `path` leads to. Throws LoopError when that is not in `dir`. */
async function inside(dir: string, path: string): Promise<string> {
  const [folder, file] = await Promise.all([dir, path].map(realPath));
  if (folder === undefined || file === undefined) return path;
  const way = relative(folder, file);
  if (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way)) return file;
  throw new LoopError(
    "disk_write",
    `${basename(path)} is a link out of ${basename(dirname(path))}, so it is left alone.`,
  );
}

async function realPath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
