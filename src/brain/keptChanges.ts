// What a person has kept of the changes of a session's calls, on the disk: whole files, or a file as it is with the places they kept.
import { rename } from "node:fs/promises";
import * as z from "zod";
import { FileState } from "./fileState.ts";
import { diskError, readIfThere, writeAtomic } from "./files.ts";

const Decided = z.object({
  /** Id of the last record that it is about. */
  upTo: z.string(),
  /** What everything that is not kept is measured against; absent: all is kept. */
  state: FileState.optional(),
});
export type Decided = z.infer<typeof Decided>;

const KeptFile = z.object({
  version: z.literal(1),
  paths: z.array(Decided.extend({ path: z.string() })),
});

export interface KeptChanges {
  /** By path. What cannot be read is put aside, and then nothing counts as kept. Never throws. */
  read(): Promise<ReadonlyMap<string, Decided>>;
  /** Adds decisions; the last one about a path counts. Throws LoopError `disk_write`. */
  add(decisions: ReadonlyMap<string, Decided>): Promise<void>;
}

/** @param path of the file; its folder is there when something is added */
export function createKeptChanges(path: string): KeptChanges {
  let last: Promise<unknown> = Promise.resolve();
  const stored = async (): Promise<ReadonlyMap<string, Decided>> => {
    const text = await readIfThere(path);
    if (text === null) return new Map();
    try {
      const { paths } = KeptFile.parse(JSON.parse(text));
      return new Map(paths.map(({ path: name, ...decided }) => [name, decided]));
    } catch {
      await rename(path, `${path}.damaged`).catch(() => undefined);
      return new Map();
    }
  };
  const add = async (decisions: ReadonlyMap<string, Decided>): Promise<void> => {
    // What cannot be read now is not lost, and must not be written over.
    const before = await stored().catch((error: unknown) => Promise.reject(diskError(path, error, "read")));
    const all = new Map([...before, ...decisions]);
    const paths = [...all].map(([name, decided]) => ({ path: name, ...decided }));
    await writeAtomic(path, `${JSON.stringify({ version: 1, paths })}\n`);
  };
  return {
    read: () => stored().catch(() => new Map<string, Decided>()),
    add(decisions) {
      const done = last.then(() => add(decisions));
      last = done.catch(() => undefined);
      return done;
    },
  };
}
