// A workspace with a session, for tests of undo: what a call does is a function, what is there is told whole.
import assert from "node:assert/strict";
import { chmod, lstat, mkdir, readdir, readFile, readlink, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { layoutOf } from "../../../src/brain/layout.ts";
import { createSessions } from "../../../src/brain/sessions.ts";
import { createSnapshots, type SnapshotOptions } from "../../../src/brain/snapshots.ts";
import { createUndo } from "../../../src/brain/undo.ts";
import type { UndoTarget } from "../../../src/brain/undoPlan.ts";
import type { Changes } from "../../../src/protocol/changes.ts";
import type { UndoEntry } from "../../../src/protocol/messages.ts";
import type { Watched } from "../../../src/brain/watched.ts";
import { watchedIn } from "../../../src/composeScope.ts";
import { countedIds } from "../../support/kit.ts";
import { conversation, inFolder, sessionId, stillClock } from "./disk.ts";

export const runId = "run-1";

/** Path to what is there: `file 644 …`, `link …`, `folder 755`. */
export type Tree = Readonly<Record<string, string>>;

export interface Rig {
  readonly root: string;
  readonly layout: ReturnType<typeof layoutOf>;
  readonly store: ReturnType<typeof createSnapshots>;
  readonly undo: ReturnType<typeof createUndo>;
  readonly sessions: ReturnType<typeof createSessions>;
  readonly logged: readonly string[];
  readonly put: (path: string, content: string | Uint8Array, mode?: number) => Promise<void>;
  readonly tree: () => Promise<Tree>;
  /** A command, or a call that names the files it writes. */
  readonly call: (
    toolCallId: string,
    work: () => Promise<unknown>,
    options?: { readonly writes?: readonly string[]; readonly run?: string },
  ) => Promise<Called>;
  readonly undone: (target?: Partial<UndoTarget>, over?: boolean) => Promise<UndoEntry>;
  /** The same folder, as another process finds it. */
  readonly again: () => Promise<Rig>;
}

interface Called {
  readonly changes: Changes | null;
  readonly problems: readonly string[];
}

interface RigOptions extends Partial<SnapshotOptions> {
  /** Further folders of the workspace. */
  readonly others?: () => readonly string[];
}

export async function inWorkspace(test: (rig: Rig) => Promise<void>, options: RigOptions = {}): Promise<void> {
  await inFolder(async (folder) => {
    const root = await realpath(folder);
    try {
      const rig = await rigIn(root, options);
      const session = await rig.sessions.open(sessionId, { create: true, runId });
      await session.append(conversation(runId));
      await session.release();
      await test(rig);
    } finally {
      await open(root);
    }
  });
}

async function rigIn(root: string, { others = () => [], ...options }: RigOptions): Promise<Rig> {
  const dir = join(root, ".brain");
  const clock = stillClock();
  const logged: string[] = [];
  const layout = layoutOf(dir);
  const sessions = createSessions({ dir, clock });
  const watched = async (): Promise<Watched> => ({ ...(await watchedIn({ root, others })), mostFiles: 40 });
  const log = (message: string): void => void logged.push(message);
  const base = { layout, watched, room: () => 1e9, clock, log };
  const store = createSnapshots({ ...base, ...options });
  const undo = createUndo(store, { sessions, clock, ids: countedIds(`undo-${Math.random()}`) });
  return {
    root,
    layout,
    store,
    undo,
    sessions,
    logged,
    put: (path, content, mode) => put(join(root, path), content, mode),
    tree: () => treeOf(root),
    async call(toolCallId, work, { writes, run = runId } = {}) {
      const effect = writes ? "write" : "run";
      const about = { sessionId, runId: run, toolCallId, effect, writes: writes ?? [] } as const;
      const taken = await store.before(about, new AbortController().signal);
      assert.ok(taken);
      await work();
      const { changes, problem } = await taken.after();
      return { changes, problems: [taken.problem, problem].filter((one) => one !== undefined) };
    },
    async undone(target = {}, over = false) {
      const plan = await undo.plan(sessionId, { runId, ...target });
      return undo.apply(sessionId, plan, { over });
    },
    again: () => rigIn(root, { others, ...options }),
  };
}

async function put(path: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  await chmod(path, mode);
}

/** Everything but Brain's own folder. */
async function treeOf(root: string): Promise<Tree> {
  const tree: Record<string, string> = {};
  const enter = async (folder: string): Promise<void> => {
    for (const name of (await readdir(join(root, folder))).toSorted()) {
      const path = folder === "" ? name : `${folder}/${name}`;
      if (path === ".brain") continue;
      const stats = await lstat(join(root, path));
      const mode = (stats.mode & 0o7777).toString(8);
      if (stats.isSymbolicLink()) tree[path] = `link ${await readlink(join(root, path))}`;
      else if (stats.isFile()) tree[path] = `file ${mode} ${(await readFile(join(root, path))).toString("base64")}`;
      else {
        tree[path] = `folder ${mode}`;
        await enter(path);
      }
    }
  };
  await enter("");
  return tree;
}

/** So that the folder can be removed. */
async function open(root: string): Promise<void> {
  for (const [path, what] of Object.entries(await treeOf(root).catch(() => ({}))))
    if (what.startsWith("folder")) await chmod(join(root, path), 0o755);
  await rm(join(root, ".brain"), { recursive: true, force: true });
}
