// Undo of what calls have changed: byte for byte, for edits and commands, never over the work of others, and back again.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { appendFile, chmod, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isMessage } from "../../../src/protocol/messages.ts";
import { sessionId } from "./disk.ts";
import { inWorkspace, runId, type Rig } from "./undoRig.ts";

const at = (rig: Rig, path: string): string => join(rig.root, path);

describe("undo of a call", () => {
  it("that removed a folder brings back all that was in it, with bytes, modes, links and empty folders", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("src/a.txt", "eins\r\nzwei\r\n");
      await rig.put("src/deep/run.sh", "#!/bin/sh\n", 0o755);
      await rig.put("src/deep/ü 🌱.bin", Uint8Array.from([0, 255, 0, 10]));
      await rig.put("src/empty.txt", "", 0o600);
      await mkdir(at(rig, "src/nothing"));
      await symlink("a.txt", at(rig, "src/link"));
      await symlink("nowhere/at/all", at(rig, "src/dangling"));
      const before = await rig.tree();
      const { changes } = await rig.call("c1", () => rm(at(rig, "src"), { recursive: true }));
      assert.equal(changes?.files.length, 6);
      assert.ok(changes.files.every(({ kind }) => kind === "deleted"));
      const entry = await rig.undone({ toolCallId: "c1" });
      assert.deepEqual(await rig.tree(), before);
      assert.deepEqual(entry.left, []);
      assert.deepEqual(entry.calls, ["c1"]);
    });
  });

  it("that deleted or moved a folder brings all of it back, files of any kind too", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("src/a.txt", "a");
      await rig.put("src/deep/b.bin", Buffer.from([0, 255]), 0o755);
      const before = await rig.tree();
      const deleted = await rig.call("c1", () => rm(join(rig.root, "src"), { recursive: true }), { writes: ["src"] });
      assert.deepEqual(
        deleted.changes?.files.map(({ path, kind }) => [path, kind]),
        [
          ["src/a.txt", "deleted"],
          ["src/deep/b.bin", "deleted"],
        ],
      );
      await rig.undone({ toolCallId: "c1" });
      assert.deepEqual(await rig.tree(), before);
      const move = async (): Promise<void> => {
        await mkdir(join(rig.root, "lib"));
        await rename(join(rig.root, "src"), join(rig.root, "lib/src"));
      };
      const moved = await rig.call("c2", move, { writes: ["src", "lib/src"] });
      assert.equal(moved.changes?.files.length, 4);
      await rig.undone({ toolCallId: "c2" });
      assert.deepEqual(await rig.tree(), before);
    });
  });

  it("that wrote a file in new folders takes away the file and the folders", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("a.txt", "a");
      const before = await rig.tree();
      const { changes } = await rig.call("c1", () => rig.put("new/deep/b.txt", "b"), { writes: ["new/deep/b.txt"] });
      assert.deepEqual(changes, { files: [{ path: "new/deep/b.txt", kind: "added" }], more: 0 });
      await rig.undone();
      assert.deepEqual(await rig.tree(), before);
    });
  });

  it("restores a file whose size and times a command has kept as they were", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("a.txt", "one");
      const before = await rig.tree();
      await rig.call("c0", () => Promise.resolve());
      const { changes } = await rig.call("c1", () => rig.put("a.txt", "two"));
      assert.equal(changes?.files[0]?.kind, "changed");
      await rig.undone();
      assert.deepEqual(await rig.tree(), before);
    });
  });

  it("restores a mode alone, and those of folders that were closed", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("bin/tool", "x", 0o644);
      await rig.put("shut/in.txt", "x");
      await chmod(at(rig, "shut"), 0o555);
      const before = await rig.tree();
      await rig.call("c1", async () => {
        await chmod(at(rig, "bin/tool"), 0o755);
        await chmod(at(rig, "bin"), 0o700);
        await chmod(at(rig, "shut"), 0o755);
        await rm(at(rig, "shut"), { recursive: true });
      });
      const after = await rig.tree();
      const { id } = await rig.undone();
      assert.deepEqual(await rig.tree(), before);
      await rig.undone({ undoId: id });
      assert.deepEqual(await rig.tree(), after);
    });
  });

  it("does nothing to a file that somebody has changed since, unless told to; and that can be taken back", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("a.txt", "before");
      await rig.put("b.txt", "before");
      await rig.call("c1", async () => {
        await rig.put("a.txt", "after");
        await rig.put("b.txt", "after");
      });
      await rig.put("a.txt", "mine");
      const { steps } = await rig.undo.plan(sessionId, { runId, toolCallId: "c1" });
      assert.deepEqual(
        steps.map(({ path, conflict }) => [path, conflict]),
        [
          ["a.txt", "it was changed since"],
          ["b.txt", null],
        ],
      );
      const first = await rig.undone();
      assert.deepEqual(first.left, ["a.txt"]);
      assert.equal(await readFile(at(rig, "a.txt"), "utf8"), "mine");
      assert.equal(await readFile(at(rig, "b.txt"), "utf8"), "before");
      const second = await rig.undone({}, true);
      assert.equal(await readFile(at(rig, "a.txt"), "utf8"), "before");
      await rig.undone({ undoId: second.id });
      assert.equal(await readFile(at(rig, "a.txt"), "utf8"), "mine");
    });
  });

  it("leaves alone what changes between the plan and its doing, and unsaved work whatever is said", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("a.txt", "before");
      await rig.put("b.txt", "before");
      await rig.call("c1", async () => {
        await rig.put("a.txt", "after");
        await rig.put("b.txt", "after");
      });
      const plan = await rig.undo.plan(sessionId, { runId }, new Set([at(rig, "b.txt")]));
      await rig.put("a.txt", "just now");
      const entry = await rig.undo.apply(sessionId, plan, { over: true });
      assert.deepEqual(entry.left.toSorted(), ["a.txt", "b.txt"]);
      assert.equal(await readFile(at(rig, "a.txt"), "utf8"), "just now");
      assert.equal(await readFile(at(rig, "b.txt"), "utf8"), "after");
    });
  });

  it("says that a later call has the file now, and undoes both together in the right order", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("a.txt", "0");
      const before = await rig.tree();
      await rig.call("c1", () => rig.put("a.txt", "1"), { writes: ["a.txt"] });
      await rig.call("c2", () => rig.put("a.txt", "2"));
      const { steps } = await rig.undo.plan(sessionId, { runId, toolCallId: "c1" });
      assert.equal(steps[0]?.conflict, "it was changed since");
      await rig.undone();
      assert.deepEqual(await rig.tree(), before);
      await assert.rejects(rig.undone(), { code: "nothing_to_undo" });
    });
  });

  it("takes no work of a person in between for the calls' own", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("a.txt", "0");
      await rig.call("c1", () => rig.put("a.txt", "1"));
      await rig.put("a.txt", "mine");
      await rig.call("c2", () => appendFile(at(rig, "a.txt"), "2"));
      const { steps } = await rig.undo.plan(sessionId, { runId });
      assert.equal(steps[0]?.conflict, "somebody else changed it in between");
      await rig.undone({ toolCallId: "c2" });
      assert.equal(await readFile(at(rig, "a.txt"), "utf8"), "mine");
    });
  });

  it("keeps a folder in which somebody has put something since", async () => {
    await inWorkspace(async (rig) => {
      await rig.call("c1", () => rig.put("out/made.txt", "x"));
      await rig.put("out/mine.txt", "mine");
      const { left } = await rig.undone();
      assert.deepEqual(left, ["out"]);
      assert.deepEqual(await readdir(at(rig, "out")), ["mine.txt"]);
    });
  });

  it("turns a folder back into the file that it was, and a link into its file", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("a", "file");
      await rig.put("b", "file");
      await rig.put("target", "t");
      const before = await rig.tree();
      await rig.call("c1", async () => {
        await rm(at(rig, "a"));
        await rig.put("a/inside.txt", "x");
        await rm(at(rig, "b"));
        await symlink("target", at(rig, "b"));
      });
      const after = await rig.tree();
      const { id } = await rig.undone();
      assert.deepEqual(await rig.tree(), before);
      await rig.undone({ undoId: id });
      assert.deepEqual(await rig.tree(), after);
    });
  });

  it("is written down with what it was, and can be redone and undone again", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("a.txt", "0");
      await rig.call("b", () => rig.put("a.txt", "1"));
      const first = await rig.undone({ toolCallId: "b" });
      const second = await rig.undone({ undoId: first.id });
      assert.equal(await readFile(at(rig, "a.txt"), "utf8"), "1");
      assert.equal(second.undoes, first.id);
      assert.deepEqual(second.calls, ["b"]);
      await rig.undone({ toolCallId: "b" });
      assert.equal(await readFile(at(rig, "a.txt"), "utf8"), "0");
      const written = (await rig.sessions.read(sessionId)).filter(
        (entry) => !isMessage(entry) && entry.type === "undo",
      );
      assert.equal(written.length, 3);
      assert.ok("what" in first && first.what === "what was changed in answer to “Make the tests pass 🌱”");
    });
  });
});

describe("what a command may change is watched", () => {
  it("without what is ignored, and names what has no copy", async () => {
    await inWorkspace(async (rig) => {
      await rig.put(".gitignore", "out/\n");
      await rig.put(".env", "SECRET=1");
      await rig.put("big.bin", new Uint8Array(6 * 1024 * 1024));
      await rig.call("c1", async () => {
        await rig.put(".env", "SECRET=2");
        await rig.put("big.bin", new Uint8Array(1));
        await rig.put("out/x", "x");
        await rig.put("node_modules/x/y.js", "y");
        await rig.put(".git/config", "z");
        await rig.put("a.txt", "a");
      });
      const { steps, lost } = await rig.undo.plan(sessionId, { runId });
      assert.deepEqual(
        steps.map(({ path }) => path),
        ["a.txt"],
      );
      assert.deepEqual(lost.map(({ path }) => path).toSorted(), [".env", "big.bin"]);
      const { left } = await rig.undone();
      assert.deepEqual(left.toSorted(), [".env", "big.bin"]);
      assert.equal(await readFile(at(rig, ".env"), "utf8"), "SECRET=2");
      assert.equal(await holds(rig, "SECRET"), false, "a denied file is never copied");
    });
  });

  it("and two at the same time do not take each other's work", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("a.txt", "0");
      const before = await rig.tree();
      await rig.call("c1", async () => {
        await rig.put("b.txt", "1");
        await rig.call("c2", () => rig.put("a.txt", "2"));
        await rig.call("c3", () => rig.put("c.txt", "3"), { writes: ["c.txt"] });
        await rig.put("d.txt", "4");
      });
      const pathsOf = async (toolCallId: string): Promise<readonly string[]> =>
        (await rig.undo.plan(sessionId, { runId, toolCallId })).steps.map(({ path }) => path).toSorted();
      assert.deepEqual(await pathsOf("c1"), ["b.txt", "d.txt"]);
      assert.deepEqual(await pathsOf("c2"), ["a.txt"]);
      assert.deepEqual(await pathsOf("c3"), ["c.txt"]);
      await rig.undone();
      assert.deepEqual(await rig.tree(), before);
    });
  });

  it("by another process too, which reads only what has changed", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("a.txt", "0");
      await rig.call("c1", () => Promise.resolve());
      const other = await rig.again();
      await other.call("c2", () => rig.put("a.txt", "1"));
      await (await rig.again()).undone();
      assert.equal(await readFile(at(rig, "a.txt"), "utf8"), "0");
    });
  });
});

describe("when something goes wrong, undo", () => {
  it("restores nothing from a copy that is damaged or lost, and says which file", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("a.txt", "a before");
      await rig.put("b.txt", "b before");
      await rig.put("c.txt", "c before");
      await rig.call("c1", async () => {
        for (const name of ["a.txt", "b.txt", "c.txt"]) await rig.put(name, "after");
      });
      const [record] = await rig.store.recordsOf(sessionId).all();
      const blobOf = (path: string): string => {
        const state = record?.changes.find((change) => change.path === path)?.before;
        return rig.store.recordsOf(sessionId).blobs.pathOf(state && "hash" in state ? state.hash : "");
      };
      await writeFile(blobOf("a.txt"), "rubbish");
      await rename(blobOf("b.txt"), `${blobOf("b.txt")}.away`);
      const { left } = await rig.undone();
      assert.deepEqual(left.toSorted(), ["a.txt", "b.txt"]);
      assert.equal(await readFile(at(rig, "a.txt"), "utf8"), "after");
      assert.equal(await readFile(at(rig, "c.txt"), "utf8"), "c before");
    });
  });

  it("asks about each file of a call in whose middle the process died", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("a.txt", "0");
      const signal = new AbortController().signal;
      await rig.store.before({ sessionId, runId, toolCallId: "c1", effect: "run", writes: [] }, signal);
      await rig.put("a.txt", "half");
      const begun = await readFile(rig.layout.shadow.begun, "utf8");
      await writeFile(rig.layout.shadow.begun, begun.replace(`"pid":${process.pid}`, '"pid":999999999'));
      const other = await rig.again();
      await other.call("c2", () => Promise.resolve(), { run: "run-2" });
      const { steps } = await other.undo.plan(sessionId, { runId });
      assert.equal(steps[0]?.conflict, "the call was interrupted, so others may have changed it");
      await other.undone({}, true);
      assert.equal(await readFile(at(rig, "a.txt"), "utf8"), "0");
    });
  });

  it("lets a call run where there is no room for copies, and says so", async () => {
    await inWorkspace(
      async (rig) => {
        await rig.put("a.txt", "0123456789");
        const { changes, problems } = await rig.call("c1", () => rig.put("a.txt", "1"));
        assert.match(problems.join(), /cannot be undone|can be undone: there is no more room/);
        assert.equal(changes?.files.length, 1);
        const { steps, lost } = await rig.undo.plan(sessionId, { runId });
        assert.deepEqual([steps.length, lost.length], [0, 1]);
      },
      { room: () => 5 },
    );
  });

  it("lets a call run where nothing can be written, and says so", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("a.txt", "0");
      await writeFile(rig.layout.shadow.folder, "a file in its place");
      const { changes, problems } = await rig.call("c1", () => rig.put("a.txt", "1"));
      assert.equal(changes, null);
      assert.match(problems.join(), /^What this call changes cannot be undone\. Could not write \.brain\/shadow: /);
      assert.equal(rig.logged.length, 1);
    });
  });

  it("lets a command run where there are too many files to look at, and says what to do", async () => {
    await inWorkspace(async (rig) => {
      for (let file = 0; file < 50; file++) await rig.put(`many/${file}`, "");
      const { changes, problems } = await rig.call("c1", () => rig.put("a.txt", "1"));
      assert.equal(changes, null);
      assert.match(problems.join(), /cannot be undone\. More than 40 files .*\.brainignore/);
      await rig.put(".brainignore", "many/\n");
      assert.equal((await rig.call("c2", () => rig.put("a.txt", "2"))).changes?.files.length, 1);
    });
  });

  it("touches nothing outside, behind a link or denied, whatever its records say", async () => {
    await inWorkspace(async (rig) => {
      await rig.put("inside/x.txt", "x");
      await symlink("inside", at(rig, "link"));
      const { blobs } = rig.store.recordsOf(sessionId);
      const file = { kind: "file", mode: 0o644, hash: await blobs.put(Buffer.from("evil")) } as const;
      const paths = [
        "../evil.txt",
        "/tmp/evil-undo.txt",
        "link/evil.txt",
        ".git/hooks/pre-commit",
        ".env",
        "a/../../evil",
      ];
      await rig.store.recordsOf(sessionId).add({
        id: "r1",
        runId,
        toolCallId: "c1",
        timestamp: "",
        changes: paths.map((path) => ({ path, before: file, after: null })),
      });
      const before = await rig.tree();
      const { left, changes } = await rig.undone({}, true);
      assert.deepEqual([left.length, changes.files], [paths.length, []]);
      assert.deepEqual(await rig.tree(), before);
    });
  });

  it("forgets the oldest calls when there is too much, and no copy that another still needs", async () => {
    await inWorkspace(
      async (rig) => {
        const seeds = new Map<number, Uint8Array>();
        const noise = (seed: number): Uint8Array => {
          const bytes = seeds.get(seed) ?? randomBytes(3_000);
          seeds.set(seed, bytes);
          return bytes;
        };
        await rig.put("a", noise(1));
        await rig.put("b", noise(1));
        for (const [id, path, seed] of [
          ["c1", "a", 2],
          ["c2", "b", 3],
          ["c3", "a", 4],
          ["c4", "a", 5],
        ] as const)
          await rig.call(id, () => rig.put(path, noise(seed)), { writes: [path] });
        const kept = (await rig.store.recordsOf(sessionId).all()).map(({ toolCallId }) => toolCallId);
        assert.deepEqual(kept, ["c3", "c4"]);
        await rig.undone();
        assert.deepEqual(await readFile(at(rig, "a")), Buffer.from(noise(2)));
        assert.ok([...(await rig.store.recordsOf(sessionId).blobs.sizes()).values()].length <= 4);
      },
      { room: () => 10_000 },
    );
  });

  it("is switched off with no room at all", async () => {
    await inWorkspace(
      async (rig) => {
        const call = { sessionId, runId, toolCallId: "c", effect: "run", writes: [] } as const;
        assert.equal(await rig.store.before(call, new AbortController().signal), null);
      },
      { room: () => 0 },
    );
  });
});

async function holds(rig: Rig, text: string): Promise<boolean> {
  for (const folder of [rig.layout.shadow.blobs, rig.layout.session(sessionId).snapshots.blobs])
    for (const name of await readdir(folder).catch(() => []))
      if ((await rig.store.recordsOf(sessionId).blobs.get(name))?.includes(text)) return true;
  return false;
}
