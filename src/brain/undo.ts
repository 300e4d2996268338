// Puts back what calls have changed: never over the work of others unasked, and so that it can be taken back itself.
import type { Ports } from "../engine/ports.ts";
import { LoopError } from "../protocol/errors.ts";
import { isMessage } from "../protocol/messages.ts";
import type { Entry, Message, ToolEntry, UndoEntry, UserEntry } from "../protocol/messages.ts";
import { nestedId } from "../protocol/replay.ts";
import { titleOf } from "../protocol/view.ts";
import type { FileState } from "./fileState.ts";
import { isSessionId } from "./layout.ts";
import type { CallRecords } from "./callRecords.ts";
import { putBack, stateNow, type Doing } from "./putBack.ts";
import { merged, type Delta } from "./shadow.ts";
import { told, type SnapshotStore } from "./snapshots.ts";
import { standingIn, wantedOf } from "./standing.ts";
import {
  planUndo,
  recordsFor,
  wantedBy,
  type Meant,
  type UndoPlan,
  type UndoStep,
  type UndoTarget,
} from "./undoPlan.ts";
import { openStill } from "./watched.ts";

export interface Undo {
  /**
   * What undoing would do. Touches nothing.
   * @param held real paths with unsaved work
   * @throws LoopError `nothing_to_undo`
   */
  plan(sessionId: string, target: UndoTarget, held?: ReadonlySet<string>): Promise<UndoPlan>;
  /**
   * Does what the plan says, under the session's lock, and writes it into the transcript. What has changed since the plan
   * was made is left as it is.
   * @param options `over`: conflicts too
   * @throws LoopError `session_busy`, `session_not_found`, `disk_write`
   */
  apply(sessionId: string, plan: UndoPlan, options: { readonly over: boolean }): Promise<UndoEntry>;
  /**
   * Writes down that a person has taken some places of a file out of it in an editor, so that the model is told.
   * @throws LoopError `session_busy`, `session_not_found`, `disk_write`
   */
  note(sessionId: string, undone: UndonePlaces): Promise<UndoEntry>;
}

/** Places of a file that calls of a run had changed. */
export interface UndonePlaces {
  readonly runId: string;
  readonly path: string;
  readonly count: number;
}

export function createUndo(store: SnapshotStore, ports: Pick<Ports, "sessions" | "clock" | "ids">): Undo {
  return {
    async plan(sessionId, target, held = new Set()) {
      if (!isSessionId(sessionId))
        throw new LoopError("session_not_found", `“${sessionId}” is not the id of a session.`);
      const meant = await meantBy(store.recordsOf(sessionId), target);
      const { records, wanted } = meant;
      if (wanted.length === 0) throw new LoopError("nothing_to_undo", "Nothing is kept here that could be put back.");
      const place = await store.watched();
      const now = new Map<string, FileState>();
      for (const { path } of wanted) now.set(path, await stateNow(place, path));
      const isHeld = (path: string): boolean => held.has(place.locate(path));
      const isOpen = openStill(
        place,
        records.flatMap(({ folders = [] }) => folders),
      );
      return planUndo(target, meant, { now, held: isHeld, closed: (path) => !isOpen(path) });
    },
    async apply(sessionId, plan, { over }) {
      const session = await ports.sessions.open(sessionId, { create: false, runId: ports.ids() });
      try {
        const records = store.recordsOf(sessionId);
        const { calls, target } = plan;
        const folders = [...plan.folders];
        const redo = target.undoId === undefined ? {} : { redo: true as const };
        const about = { id: ports.ids(), runId: target.runId, timestamp: timeOf(ports) };
        const record = { ...about, toolCallId: about.id, folders, undo: { calls: [...calls], undoes: [], ...redo } };
        const ahead = plan.steps.map(({ path, now, wanted }) => ({ path, before: now, after: wanted }));
        // Should the process end now, what was done can still be taken back.
        await records.add({ ...record, changes: ahead });
        const done = await doAll(plan, { place: await store.watched(), blobs: records.blobs, over });
        const undoes = done.left.length === 0 ? plan.records.map(({ id }) => id) : [];
        await records.add({ ...record, undo: { ...record.undo, undoes }, changes: [...done.changes] });
        await store.answered(done.changes);
        const entry = entryOf(about, plan, done, session.history);
        await session.append([entry], { durable: true });
        return entry;
      } finally {
        await session.release();
      }
    },
    async note(sessionId, { runId, path, count }) {
      const session = await ports.sessions.open(sessionId, { create: false, runId: ports.ids() });
      try {
        const about = { type: "undo", id: ports.ids(), runId, timestamp: timeOf(ports) } as const;
        const changes = { files: [{ path, kind: "changed" as const }], more: 0 };
        const what = `what was changed in ${count === 1 ? "a place" : `${count} places`} of ${path}`;
        const entry: UndoEntry = { ...about, calls: [], what, changes, left: [], places: count };
        await session.append([entry], { durable: true });
        return entry;
      } finally {
        await session.release();
      }
    },
  };
}

async function meantBy(records: CallRecords, target: UndoTarget): Promise<Meant> {
  const every = await records.all();
  if (!target.paths) {
    const meant = recordsFor(every, target);
    return { records: meant, wanted: wantedBy(meant) };
  }
  const standing = standingIn(every, await records.kept.read());
  const wanted = wantedOf(standing, target.paths);
  const ids = new Set(wanted.flatMap(({ path }) => standing.get(path)?.records ?? []));
  return { records: every.filter(({ id }) => ids.has(id)), wanted };
}

function timeOf({ clock }: Pick<Ports, "clock">): string {
  return new Date(clock.now()).toISOString();
}

function entryOf(
  about: Pick<UndoEntry, "id" | "runId" | "timestamp">,
  { target, calls }: UndoPlan,
  done: Done,
  history: readonly Entry[],
): UndoEntry {
  const { undoId } = target;
  const undoes = undoId === undefined ? {} : { undoes: undoId };
  const what = inWords(target, calls, history);
  return {
    type: "undo",
    ...about,
    calls: [...calls],
    what,
    ...undoes,
    changes: told(done.changes),
    left: [...done.left],
  };
}

/** Paths that are named in a sentence. */
const named = 5;

/** What was undone, as the model is told. */
function inWords(
  { runId, toolCallId, paths }: UndoTarget,
  calls: readonly string[],
  history: readonly Entry[],
): string {
  if (paths) return `what was changed in ${paths.slice(0, named).join(", ")}${paths.length > named ? ", …" : ""}`;
  const own = history.filter((entry): entry is Message => entry.runId === runId && isMessage(entry));
  const id = toolCallId ?? (calls.length === 1 ? calls[0] : undefined);
  const call = own.find((entry): entry is ToolEntry => entry.role === "tool" && idOf(entry) === id);
  if (call?.label) return `what “${call.label.verb} ${call.label.subject}” changed`;
  const asked = own.find((entry): entry is UserEntry => entry.role === "user");
  return asked ? `what was changed in answer to “${titleOf(asked.content)}”` : "what an earlier run changed";
}

function idOf({ within, tool_call_id: id }: ToolEntry): string {
  return within === undefined ? id : nestedId(within, id);
}

interface Done {
  readonly changes: readonly Delta[];
  readonly left: readonly string[];
}

/** Files go before the folders they are in, and come after them; a folder is opened first and closed last. */
async function doAll(plan: UndoPlan, doing: Doing): Promise<Done> {
  const changes: Delta[] = [];
  const left = new Set(plan.lost.map(({ path }) => path));
  const attempt = async (step: UndoStep): Promise<void> => {
    if (left.has(step.path)) return;
    const change = await putBack(step, doing);
    if (change) changes.push(change);
    else left.add(step.path);
  };
  for (const step of inOrder(plan.steps)) await attempt(step);
  const done: Delta[] = [];
  for (const change of merged(changes)) done.push({ ...change, after: await stateNow(doing.place, change.path) });
  return { changes: done, left: [...left] };
}

function inOrder(steps: readonly UndoStep[]): readonly UndoStep[] {
  const down = steps.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const isMode = ({ wanted, now }: UndoStep): boolean => wanted?.kind === "folder" && now?.kind === "folder";
  const isOpen = ({ wanted }: UndoStep): boolean => wanted?.kind === "folder" && (wanted.mode & 0o200) !== 0;
  const other = down.filter((step) => !isMode(step));
  const goes = other.filter(({ wanted, now }) => now !== null && now.kind !== wanted?.kind);
  const comes = other.filter(({ wanted }) => wanted !== null);
  const made = comes.filter(({ wanted }) => wanted?.kind === "folder");
  const closed = made.filter((step) => !isOpen(step)).map((step) => ({ ...step, now: writable(step.wanted) }));
  return [
    ...down.filter((step) => isMode(step) && isOpen(step)),
    ...goes.toReversed().map((step) => ({ ...step, wanted: null })),
    ...comes.map((step) => ({
      ...step,
      now: goes.includes(step) ? null : step.now,
      wanted: closed.some(({ path }) => path === step.path) ? writable(step.wanted) : step.wanted,
    })),
    ...closed.toReversed(),
    ...down.filter((step) => isMode(step) && !isOpen(step)).toReversed(),
  ];
}

function writable(state: FileState): FileState {
  return state?.kind === "folder" ? { ...state, mode: state.mode | 0o700 } : state;
}
