// The last look at the workspace, on the disk: a line for each path, and for each that has changed since; the last one counts.
import { appendFile } from "node:fs/promises";
import * as z from "zod";
import { FileState } from "./fileState.ts";
import { readIfThere, writeAtomic } from "./files.ts";
import { pauses } from "./pauses.ts";
import type { Index, Seen } from "./watched.ts";

/** Path, stamp, and what is there; null: it is gone. */
const Row = z.tuple([z.string(), z.string(), FileState]);

export interface IndexFile {
  /** What can be read of it. Never throws. */
  read(): Promise<Index>;
  /** Throws what Node throws. @param changed since the last time; null: gone */
  write(index: Index, changed: ReadonlyMap<string, Seen | null>): Promise<void>;
}

export function createIndexFile(path: string): IndexFile {
  let lines = 0;
  return {
    async read() {
      const index = new Map<string, Seen>();
      const pause = pauses();
      for (const line of ((await readIfThere(path).catch(() => null)) ?? "").split("\n")) {
        const row = rowIn(line);
        if (row?.[2]) index.set(row[0], { stamp: row[1], state: row[2] });
        else if (row) index.delete(row[0]);
        await pause();
      }
      return index;
    },
    async write(index, changed) {
      const whole = lines === 0 || lines + changed.size > 2 * index.size + 100;
      const pause = pauses();
      let text = "";
      for (const [name, seen] of whole ? index : changed) {
        text += `${JSON.stringify([name, seen?.stamp ?? "", seen?.state ?? null])}\n`;
        await pause();
      }
      await (whole ? writeAtomic(path, text, { sync: false }) : appendFile(path, text));
      lines = whole ? index.size : lines + changed.size;
    },
  };
}

function rowIn(line: string): z.infer<typeof Row> | null {
  if (line === "") return null;
  try {
    return Row.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
