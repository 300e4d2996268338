// What undoing some calls would do, file by file, before anything is done; and what speaks against it. Pure.
import type { CallRecord } from "./callRecords.ts";
import { sameState, type FileState } from "./fileState.ts";
import { merged, type Delta } from "./shadow.ts";

/** What is to be undone: a whole run, one call of it, or an undo, which brings back what that took away. */
export interface UndoTarget {
  readonly runId: string;
  readonly toolCallId?: string | undefined;
  /** Id of the undo's entry. */
  readonly undoId?: string | undefined;
  /** Only these, whichever runs of the session have changed them since somebody decided about them. */
  readonly paths?: readonly string[] | undefined;
}

export interface UndoStep {
  readonly path: string;
  readonly act: "restore" | "recreate" | "delete";
  readonly wanted: FileState;
  readonly now: FileState;
  /** Why somebody else's work could be lost with it; null: nothing but the calls' own work goes. */
  readonly conflict: string | null;
  /** Nobody's word is enough: it has unsaved changes. */
  readonly held: boolean;
}

export interface UndoPlan {
  readonly target: UndoTarget;
  /** Records that it takes back. */
  readonly records: readonly CallRecord[];
  /** Ids of the calls that it is about. */
  readonly calls: readonly string[];
  /** Prefixes of its paths in other folders than the first. */
  readonly folders: readonly string[];
  readonly steps: readonly UndoStep[];
  /** What cannot be put back, with the reason. */
  readonly lost: readonly { readonly path: string; readonly why: string }[];
}

/** The records that are meant, without those that were undone already. Oldest first. */
export function recordsFor(
  all: readonly CallRecord[],
  { runId, toolCallId, undoId }: UndoTarget,
): readonly CallRecord[] {
  const undone = undoneBy(all);
  const standing = all.filter((record) => record.runId === runId && !undone.has(record.id));
  if (undoId !== undefined) return standing.filter((record) => record.toolCallId === undoId);
  const calls = standing.filter(({ undo }) => undo === undefined);
  if (toolCallId === undefined) return calls;
  return calls.filter((record) => record.toolCallId === toolCallId || record.toolCallId.startsWith(`${toolCallId}/`));
}

/** Ids of records that do not count at present. */
export function undoneBy(all: readonly CallRecord[]): ReadonlySet<string> {
  const undone = new Set<string>();
  const byId = new Map(all.map((record) => [record.id, record]));
  for (const { undo } of all)
    for (const id of undo?.undoes ?? []) {
      undone.add(id);
      // An undo that is taken back itself: what it had undone counts again.
      for (const again of byId.get(id)?.undo?.undoes ?? []) undone.delete(again);
    }
  return undone;
}

/** What becomes of a path when it is put back to `before`. */
export interface Wanted extends Delta {
  /** Between two of the calls somebody else has changed it. */
  readonly broken: boolean;
  readonly interrupted: boolean;
}

/** What the files were before the records and after them. */
export function wantedBy(records: readonly CallRecord[]): readonly Wanted[] {
  const broken = new Set<string>();
  const last = new Map<string, FileState>();
  const unsure = new Set<string>();
  for (const { changes, interrupted } of records)
    for (const { path, before, after } of changes) {
      if (last.has(path) && !sameState(last.get(path) ?? null, before)) broken.add(path);
      if (interrupted) unsure.add(path);
      last.set(path, after);
    }
  const changes = merged(records.flatMap((record) => record.changes));
  return changes.map((change) => ({
    ...change,
    broken: broken.has(change.path),
    interrupted: unsure.has(change.path),
  }));
}

/** The workspace as an undo finds it. */
interface Found {
  /** What is at each of the paths. */
  readonly now: ReadonlyMap<string, FileState>;
  /** Whether it has unsaved work in an editor. */
  readonly held: (path: string) => boolean;
  /** Whether its folder is not open. */
  readonly closed: (path: string) => boolean;
}

/** What an undo is about. */
export interface Meant {
  readonly records: readonly CallRecord[];
  readonly wanted: readonly Wanted[];
}

/** The plan for what is wanted. */
export function planUndo(target: UndoTarget, { records, wanted: all }: Meant, { now, held, closed }: Found): UndoPlan {
  const steps: UndoStep[] = [];
  const lost: { path: string; why: string }[] = [];
  for (const wanted of all) {
    const { path, before } = wanted;
    const is = now.get(path) ?? null;
    if (closed(path)) lost.push({ path, why: "its folder is not open in this workspace" });
    else if (before?.kind === "unkept") lost.push({ path, why: before.why });
    else if (!sameState(is, before)) {
      const conflict = held(path) ? "it has unsaved changes in an editor" : conflictOf(wanted, is);
      steps.push({ path, act: actOf(before, is), wanted: before, now: is, conflict, held: held(path) });
    }
  }
  // A call of which only a part goes is not undone.
  const paths = new Set(all.map(({ path }) => path));
  const whole = records.filter(({ changes }) => changes.every(({ path }) => paths.has(path)));
  const calls = [...new Set(whole.flatMap(({ toolCallId, undo }) => undo?.calls ?? [toolCallId]))];
  const folders = [...new Set(records.flatMap((record) => record.folders ?? []))];
  return { target, records: whole, calls, folders, steps, lost };
}

function actOf(wanted: FileState, now: FileState): UndoStep["act"] {
  if (wanted === null) return "delete";
  return now === null ? "recreate" : "restore";
}

function conflictOf({ after, broken, interrupted }: Wanted, now: FileState): string | null {
  if (!sameState(now, after)) return now === null ? "it was deleted since" : "it was changed since";
  if (broken) return "somebody else changed it in between";
  return interrupted ? "the call was interrupted, so others may have changed it" : null;
}
