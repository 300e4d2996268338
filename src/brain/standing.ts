// What calls of a session have changed and nobody has decided about yet, path by path. Pure.
import type { CallRecord } from "./callRecords.ts";
import { sameState, type FileState } from "./fileState.ts";
import type { Decided } from "./keptChanges.ts";
import type { Delta } from "./shadow.ts";
import type { Wanted } from "./undoPlan.ts";

/** `before`: ahead of all of it, with what of it was kept; `after`: as the last call has left it. */
export interface Standing extends Delta {
  /** The run that changed it last. */
  readonly runId: string;
  /** Ids of the records that changed it. */
  readonly records: readonly string[];
  /** What others made of it between two calls. */
  readonly between: readonly { readonly from: FileState; readonly to: FileState }[];
  readonly interrupted: boolean;
  /** A part of it was kept. */
  readonly kept: boolean;
}

/**
 * By path.
 * @param records all of a session, oldest first
 * @param decisions what a person has kept of each path
 */
export function standingIn(
  records: readonly CallRecord[],
  decisions: ReadonlyMap<string, Decided>,
): ReadonlyMap<string, Standing> {
  const standing = new Map<string, Standing>();
  const put = (path: string, next: Standing | null): void => {
    if (next) standing.set(path, next);
    else standing.delete(path);
  };
  for (const record of records) {
    for (const change of record.changes) put(change.path, withChange(standing.get(change.path), change, record));
    for (const [path, { upTo, state, left }] of decisions) {
      const was = standing.get(path);
      if (upTo !== record.id || !was) continue;
      put(
        path,
        state === undefined ? null : { ...was, before: state, after: left ?? was.after, between: [], kept: true },
      );
    }
  }
  return standing;
}

function withChange(was: Standing | undefined, { path, before, after }: Delta, record: CallRecord): Standing | null {
  const { id, runId, undo, interrupted = false } = record;
  // What a person has taken back is no call's doing; what they brought back is.
  if (undo && !undo.redo) return !was || sameState(after, was.before) ? null : { ...was, after };
  if (!was) return { path, before, after, runId, records: [id], between: [], interrupted, kept: false };
  if (sameState(after, was.before)) return null;
  const same = sameState(was.after, before);
  return {
    ...was,
    after,
    runId,
    records: [...was.records, id],
    between: same ? was.between : [...was.between, { from: was.after, to: before }],
    interrupted: was.interrupted || interrupted,
  };
}

/** What undoing some of it would have to bring about, with the folders that come and go with these paths. */
export function wantedOf(standing: ReadonlyMap<string, Standing>, paths: readonly string[]): readonly Wanted[] {
  const chosen = new Set(paths);
  const all = [...standing.values()];
  const below = (folder: string) => all.filter(({ path }) => path.startsWith(`${folder}/`));
  const goesAlong = ({ path, before }: Standing): boolean => {
    const inside = below(path).filter((one) => !isFolder(one));
    if (!inside.some((one) => chosen.has(one.path))) return false;
    return before !== null || inside.every((one) => chosen.has(one.path));
  };
  return all
    .filter((one) => (isFolder(one) ? goesAlong(one) || chosen.has(one.path) : chosen.has(one.path)))
    .map(({ path, before, after, between, interrupted }) => ({
      path,
      before,
      after,
      broken: between.length > 0,
      interrupted,
    }));
}

export function isFolder({ before, after }: Delta): boolean {
  return (after ?? before)?.kind === "folder";
}
