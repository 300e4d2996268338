// What each call of a session has changed, one JSON object a line, and the copies of what was there before; oldest first out when it is too much.
import { mkdir } from "node:fs/promises";
import * as z from "zod";
import type { Blobs } from "./blobs.ts";
import { createBlobs } from "./blobs.ts";
import type { FileState } from "./fileState.ts";
import { appendLines, readIfThere } from "./files.ts";
import { createKeptChanges, type KeptChanges } from "./keptChanges.ts";
import type { SnapshotLayout } from "./layout.ts";
import { Delta } from "./shadow.ts";

export const CallRecord = z.object({
  id: z.string(),
  runId: z.string(),
  toolCallId: z.string(),
  timestamp: z.string(),
  changes: z.array(Delta),
  /** What stands before paths in folders of the workspace that are not its first; absent: no such path is in it. */
  folders: z.array(z.string()).optional(),
  /** The process died before the call ended: what differs may be the work of others. */
  interrupted: z.literal(true).optional(),
  /** Set when a person has done it by undoing. */
  undo: z
    .object({
      /** Ids of records that count no longer; none as long as a file was left as it was. */
      undoes: z.array(z.string()),
      /** The calls that it is about. */
      calls: z.array(z.string()),
      /** It brought back what an undo had taken away. */
      redo: z.literal(true).optional(),
    })
    .optional(),
});
export type CallRecord = z.infer<typeof CallRecord>;

const Forgotten = z.object({ forgotten: z.array(z.string()) });

export interface CallRecords {
  readonly blobs: Blobs;
  /** What a person has decided about them. */
  readonly kept: KeptChanges;
  /** Oldest first; what can no longer be read is left out. Throws what Node throws. */
  all(): Promise<readonly CallRecord[]>;
  /** Throws LoopError `disk_write`. */
  add(record: CallRecord): Promise<void>;
}

/** @param room bytes that copies may take on the disk; the newest call's are kept in any case */
export function createCallRecords(layout: SnapshotLayout, room: () => number): CallRecords {
  const blobs = createBlobs(layout.blobs);
  const kept = createKeptChanges(layout.kept);
  const all = async (): Promise<readonly CallRecord[]> => {
    const records = new Map<string, CallRecord>();
    for (const line of ((await readIfThere(layout.calls)) ?? "").split("\n").flatMap(parsed))
      if ("forgotten" in line) for (const id of line.forgotten) records.delete(id);
      // An undo is written before it is done, and again afterwards.
      else records.set(line.id, line);
    return [...records.values()];
  };
  return {
    blobs,
    kept,
    all,
    async add(record) {
      await mkdir(layout.folder, { recursive: true });
      await appendLines(layout.calls, [JSON.stringify(record)], { sync: false });
      const sizes = await blobs.sizes();
      const { drop, unused } = tooMuch(await all(), sizes, room());
      if (drop.length === 0) return;
      const used = new Set(
        [...(await kept.read()).values()].flatMap(({ state = null, left = null }) => [state, left].flatMap(hashIn)),
      );
      await appendLines(layout.calls, [JSON.stringify({ forgotten: drop })], { sync: false });
      await blobs.remove(unused.filter((hash) => !used.has(hash)));
    },
  };
}

function parsed(line: string): (CallRecord | z.infer<typeof Forgotten>)[] {
  if (line.trim() === "") return [];
  try {
    const value: unknown = JSON.parse(line);
    const forgotten = Forgotten.safeParse(value);
    return [forgotten.success ? forgotten.data : CallRecord.parse(value)];
  } catch {
    return [];
  }
}

/** The oldest records that have to go, and the copies that none of the others refers to. Pure. */
export function tooMuch(
  records: readonly CallRecord[],
  sizes: ReadonlyMap<string, number>,
  room: number,
): { readonly drop: readonly string[]; readonly unused: readonly string[] } {
  const kept = new Set<string>();
  let taken = 0;
  let first = records.length;
  while (first > 0) {
    const fresh = new Set(hashesOf(records[first - 1]).filter((hash) => !kept.has(hash)));
    const more = [...fresh].reduce((sum, hash) => sum + (sizes.get(hash) ?? 0), 0);
    if (taken + more > room && first < records.length) break;
    for (const hash of fresh) kept.add(hash);
    taken += more;
    first -= 1;
  }
  const drop = records.slice(0, first).map(({ id }) => id);
  return { drop, unused: [...sizes.keys()].filter((hash) => !kept.has(hash)) };
}

function hashesOf(record: CallRecord | undefined): readonly string[] {
  return (record?.changes ?? []).flatMap(({ before, after }) => [...hashIn(before), ...hashIn(after)]);
}

function hashIn(state: FileState): readonly string[] {
  return state && "hash" in state ? [state.hash] : [];
}
