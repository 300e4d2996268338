// What calls have changed and nobody has decided about: found from what is stored, whatever was kept, undone and written in between.
import assert from "node:assert/strict";
import { readdir, readFile, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createChangedFiles } from "../../../src/brain/changes.ts";
import { sessionId } from "./disk.ts";
import { inWorkspace, runId, type Rig } from "./undoRig.ts";

const at = (rig: Rig, path: string): string => join(rig.root, path);
const changesOf = (rig: Rig) => createChangedFiles(rig.store);

/** Path to what it was and what calls have left of it. */
async function listed(rig: Rig): Promise<Record<string, readonly [string | null, string | null]>> {
  const changes = changesOf(rig);
  const text = async (state: Parameters<typeof changes.bytes>[1]): Promise<string | null> =>
    (await changes.bytes(sessionId, state))?.toString() ?? null;
  const rows: Record<string, readonly [string | null, string | null]> = {};
  for (const { path, before, after } of await changes.list(sessionId))
    rows[path] = [await text(before), await text(after)];
  return rows;
}

const keepAll = (rig: Rig, ...paths: readonly string[]): Promise<void> =>
  changesOf(rig).keep(sessionId, new Map(paths.map((path) => [path, "all"] as const)));

describe("the changes of a session", () => {
  it("are those of edits and commands together, each file against what it was before the first", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("a.txt", "0");
      await rig.put("gone.txt", "was here");
      await rig.call("c1", () => rig.put("a.txt", "1"), { writes: ["a.txt"] });
      await rig.call("c2", async () => {
        await rig.put("a.txt", "2");
        await rig.put("new/b.txt", "b");
        await rm(at(rig, "gone.txt"));
      });
      assert.deepEqual(await listed(rig), {
        "a.txt": ["0", "2"],
        "gone.txt": ["was here", null],
        "new/b.txt": [null, "b"],
      });
    });
  });

  it("end for a file with its being kept, and begin anew with the next call", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("a.txt", "0");
      await rig.put("b.txt", "0");
      await rig.call("c1", () => Promise.all([rig.put("a.txt", "1"), rig.put("b.txt", "1")]));
      await keepAll(rig, "a.txt");
      assert.deepEqual(await listed(rig), { "b.txt": ["0", "1"] });
      await rig.put("a.txt", "a person’s");
      assert.deepEqual(await listed(rig), { "b.txt": ["0", "1"] });
      await rig.call("c2", () => rig.put("a.txt", "2"), { writes: ["a.txt"] });
      assert.deepEqual(await listed(await rig.again()), { "a.txt": ["a person’s", "2"], "b.txt": ["0", "1"] });
    });
  });

  it("are measured against what was kept of a file, also by the next window", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("a.txt", "1\n2\n");
      await rig.call("c1", () => rig.put("a.txt", "one\ntwo\n"), { writes: ["a.txt"] });
      await changesOf(rig).keep(sessionId, new Map([["a.txt", { baseline: Buffer.from("one\n2\n") }]]));
      const other = await rig.again();
      assert.deepEqual(await listed(other), { "a.txt": ["one\n2\n", "one\ntwo\n"] });
      const plan = await other.undo.plan(sessionId, { runId, paths: ["a.txt"] });
      await other.undo.apply(sessionId, plan, { over: false });
      assert.equal(await readFile(at(rig, "a.txt"), "utf8"), "one\n2\n");
      assert.deepEqual(await listed(other), {});
    });
  });

  it("are what a person has left open, where the rest of a file was undone before a part was kept", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("a.txt", "1\n2\n3\n");
      await rig.call("c1", () => rig.put("a.txt", "one\ntwo\nthree\n"), { writes: ["a.txt"] });
      await rig.put("a.txt", "one\n2\nthree\n");
      const part = { baseline: Buffer.from("one\n2\n3\n"), left: Buffer.from("one\n2\nthree\n") };
      await changesOf(rig).keep(sessionId, new Map([["a.txt", part]]));
      assert.deepEqual(await listed(await rig.again()), { "a.txt": ["one\n2\n3\n", "one\n2\nthree\n"] });
    });
  });

  it("go when they are undone, and come back when that is taken back", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("a.txt", "0");
      await rig.call("c1", () => rig.put("a.txt", "1"));
      const { id } = await rig.undone();
      assert.deepEqual(await listed(rig), {});
      await rig.put("a.txt", "a person’s");
      assert.deepEqual(await listed(rig), {}, "a person’s own edit was taken for a call’s");
      await rig.put("a.txt", "0");
      await rig.undone({ undoId: id });
      assert.deepEqual(await listed(rig), { "a.txt": ["0", "1"] });
    });
  });

  it("can be undone for some files of several runs, with the folders that were made for them, and are told as such", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("a.txt", "0");
      await rig.call("c1", () => rig.put("a.txt", "1"));
      await rig.call("c2", () => Promise.all([rig.put("a.txt", "2"), rig.put("made/b.txt", "b")]), { run: "run-2" });
      const plan = await rig.undo.plan(sessionId, { runId: "run-2", paths: ["made/b.txt"] });
      const entry = await rig.undo.apply(sessionId, plan, { over: false });
      assert.equal(entry.what, "what was changed in made/b.txt");
      assert.deepEqual(entry.calls, [], "a call of which a part stands was called undone");
      assert.deepEqual((await readdir(rig.root)).toSorted(), [".brain", "a.txt"]);
      const rest = await rig.undo.plan(sessionId, { runId: "run-2", paths: ["a.txt"] });
      assert.deepEqual((await rig.undo.apply(sessionId, rest, { over: false })).calls, ["c1"]);
      assert.equal(await readFile(at(rig, "a.txt"), "utf8"), "0");
    });
  });

  it("are there again when what was kept can no longer be read, and other decisions stand", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("a.txt", "0");
      await rig.put("b.txt", "0");
      await rig.call("c1", () => Promise.all(["a.txt", "b.txt"].map((name) => rig.put(name, "1"))));
      await keepAll(rig, "b.txt");
      await keepAll(rig, "a.txt");
      const { kept } = rig.layout.session(sessionId).snapshots;
      await truncate(kept, (await readFile(kept)).length - 20);
      assert.deepEqual(await listed(rig), { "a.txt": ["0", "1"] });
      await keepAll(rig, "a.txt");
      assert.deepEqual(await listed(rig), {});
    });
  });

  it("are kept by two windows at once, and both count", async () => {
    await inWorkspace(async (rig) => {
      const paths = Array.from({ length: 20 }, (_, n) => `${n}.txt`);
      for (const path of paths) await rig.put(path, "0");
      await rig.call("c1", () => Promise.all(paths.map((path) => rig.put(path, "1"))));
      const windows = [rig, await rig.again()];
      await Promise.all(paths.map((path, n) => keepAll(windows[n % 2] ?? rig, path)));
      assert.deepEqual(await listed(rig), {});
    });
  });

  it("keep what was decided before when that cannot be read just now: it is not written over", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("a.txt", "0");
      await rig.put("b.txt", "0");
      await rig.call("c1", () => Promise.all(["a.txt", "b.txt"].map((name) => rig.put(name, "1"))));
      await keepAll(rig, "a.txt");
      const { kept } = rig.layout.session(sessionId).snapshots;
      await rename(kept, `${kept}.aside`);
      await symlink(kept, kept);
      await assert.rejects(keepAll(rig, "b.txt"), { code: "disk_write" });
      await rename(`${kept}.aside`, kept);
      assert.deepEqual(await listed(rig), { "b.txt": ["0", "1"] });
    });
  });

  it("of a command in whose middle the process died are found when the session is opened again, before any other command", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("a.txt", "0");
      await rig.put("b.txt", "0");
      const signal = new AbortController().signal;
      await rig.store.before({ sessionId, runId, toolCallId: "c1", effect: "run", writes: [] }, signal);
      await rig.put("a.txt", "half");
      await rm(at(rig, "b.txt"));
      const begun = await readFile(rig.layout.shadow.begun, "utf8");
      await writeFile(rig.layout.shadow.begun, begun.replace(`"pid":${process.pid}`, '"pid":999999999'));
      const other = await rig.again();
      const files = [
        { path: "a.txt", kind: "changed" },
        { path: "b.txt", kind: "deleted" },
      ];
      const expected = [{ runId, toolCallId: "c1", changes: { files, more: 0, interrupted: true } }];
      assert.deepEqual(await changesOf(other).interrupted(sessionId), expected);
      assert.deepEqual(await changesOf(await rig.again()).interrupted(sessionId), expected);
      assert.deepEqual(await listed(other), { "a.txt": ["0", "half"], "b.txt": ["0", null] });
      await other.undone({ toolCallId: "c1" }, true);
      assert.deepEqual(await changesOf(other).interrupted(sessionId), []);
      assert.equal(await readFile(at(rig, "b.txt"), "utf8"), "0");
    });
  });

  it("are none where nothing was kept, or of a session that there is not", async () => {
    await inWorkspace(async (rig) => {
      assert.deepEqual(await changesOf(rig).list(sessionId), []);
      assert.deepEqual(await changesOf(rig).list("../../etc"), []);
      assert.deepEqual(await changesOf(rig).interrupted(sessionId), []);
    });
  });
});
