// What a person has kept of the changes of a session's calls, one JSON object a line: a whole file, or a file as it is with the places they kept.
import * as z from "zod";
import { FileState } from "./fileState.ts";
import { appendLines, readIfThere } from "./files.ts";

const Decided = z.object({
  /** Id of the last record that it is about. */
  upTo: z.string(),
  /** What everything that is not kept is measured against; absent: all is kept. */
  state: FileState.optional(),
  /** What calls have left beside it; absent: as the last of them left it. */
  left: FileState.optional(),
});
export type Decided = z.infer<typeof Decided>;

const Line = Decided.extend({ path: z.string() });

export interface KeptChanges {
  /** By path. What cannot be read does not count as kept. Never throws. */
  read(): Promise<ReadonlyMap<string, Decided>>;
  /** Adds decisions; the last one about a path counts, whichever window it comes from. Throws LoopError `disk_write`. */
  add(decisions: ReadonlyMap<string, Decided>): Promise<void>;
}

/** @param path of the file; its folder is there when something is added */
export function createKeptChanges(path: string): KeptChanges {
  return {
    async read() {
      const text = await readIfThere(path).catch(() => null);
      return new Map((text ?? "").split("\n").flatMap(parsed));
    },
    add: (decisions) =>
      appendLines(
        path,
        [...decisions].map(([name, decided]) => JSON.stringify({ path: name, ...decided })),
        { sync: true },
      ),
  };
}

/** A line that a crash has cut short says nothing. */
function parsed(line: string): (readonly [string, Decided])[] {
  if (line === "") return [];
  try {
    const { path, ...decided } = Line.parse(JSON.parse(line));
    return [[path, decided]];
  } catch {
    return [];
  }
}
