// Undo in a workspace of several folders: each by its name, and never one in the place of another.
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inFolder } from "./disk.ts";
import { inWorkspace, type Rig } from "./undoRig.ts";

interface Second {
  readonly rig: Rig;
  /** The second folder, called `lib`. */
  readonly lib: string;
  /** Those that are open beside the first. */
  readonly open: string[];
}

async function withSecond(test: (second: Second) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    const lib = join(await realpath(folder), "lib");
    await mkdir(lib);
    const open = [lib];
    await inWorkspace((rig) => test({ rig, lib, open }), { others: () => open });
  });
}

const read = (...path: readonly string[]): Promise<string> => readFile(join(...path), "utf8");

describe("undo in several folders", () => {
  it("puts back what an edit and a command changed in each of them", async () => {
    await withSecond(async ({ rig, lib }) => {
      await rig.put("a.txt", "one");
      await writeFile(join(lib, "a.txt"), "two");
      await mkdir(join(lib, "deep"));
      await writeFile(join(lib, "deep/b.txt"), "three");
      const edit = await rig.call("c1", () => writeFile(join(lib, "a.txt"), "edited"), { writes: ["lib:a.txt"] });
      assert.deepEqual(edit.changes?.files, [{ path: "lib:a.txt", kind: "changed" }]);
      const command = await rig.call("c2", async () => {
        await rig.put("a.txt", "by a command");
        await rm(join(lib, "deep"), { recursive: true });
      });
      assert.deepEqual(
        command.changes?.files.map(({ path }) => path),
        ["a.txt", "lib:deep/b.txt"],
      );
      const { id } = await rig.undone();
      assert.deepEqual(
        [await read(rig.root, "a.txt"), await read(lib, "a.txt"), await read(lib, "deep/b.txt")],
        ["one", "two", "three"],
      );
      await rig.undone({ undoId: id });
      assert.deepEqual(await readdir(lib), ["a.txt"]);
      assert.equal(await read(lib, "a.txt"), "edited");
    });
  });

  it("passes over what each folder’s own ignore file names", async () => {
    await withSecond(async ({ rig, lib }) => {
      await writeFile(join(lib, ".gitignore"), "out/\n");
      const { changes } = await rig.call("c1", async () => {
        await mkdir(join(lib, "out"));
        await writeFile(join(lib, "out/made.txt"), "x");
        await writeFile(join(lib, "kept.txt"), "x");
      });
      assert.deepEqual(changes?.files, [{ path: "lib:kept.txt", kind: "added" }]);
    });
  });

  it("puts nothing of a folder that is closed now into another one, and says so", async () => {
    await withSecond(async ({ rig, lib, open }) => {
      await writeFile(join(lib, "a.txt"), "two");
      await rig.call("c1", () => rm(join(lib, "a.txt")));
      open.pop();
      const before = await rig.tree();
      const entry = await rig.undone({}, true);
      assert.deepEqual(entry.left, ["lib:a.txt"]);
      assert.deepEqual(await rig.tree(), before);
      assert.deepEqual(await readdir(lib), []);
    });
  });

  it("takes a folder that was opened or closed between two commands for nobody’s doing", async () => {
    await withSecond(async ({ rig, lib, open }) => {
      await writeFile(join(lib, "a.txt"), "two");
      await rig.call("c1", () => Promise.resolve());
      open.pop();
      assert.equal((await rig.call("c2", () => Promise.resolve())).changes, null);
      open.push(lib);
      const third = await rig.call("c3", () => writeFile(join(lib, "b.txt"), "x"));
      assert.deepEqual(third.changes?.files, [{ path: "lib:b.txt", kind: "added" }]);
    });
  });

  it("sees a folder within another one once, by its own name", async () => {
    await withSecond(async ({ rig, open }) => {
      const inner = join(rig.root, "packages/inner");
      await mkdir(inner, { recursive: true });
      open.push(inner);
      const { changes } = await rig.call("c1", () => writeFile(join(inner, "x.txt"), "x"));
      assert.deepEqual(changes?.files, [{ path: "packages/inner/x.txt", kind: "added" }]);
      await rig.undone();
      assert.deepEqual(await readdir(inner), []);
    });
  });

  it("mixes up no file whose name looks like that of another folder", async () => {
    await withSecond(async ({ rig, lib }) => {
      const { changes } = await rig.call("c1", async () => {
        await writeFile(join(rig.root, "lib:x"), "in the first");
        await writeFile(join(lib, "x"), "in the second");
      });
      assert.deepEqual(changes?.files, [{ path: "lib:x", kind: "added" }]);
      await rig.undone();
      assert.equal(await read(rig.root, "lib:x"), "in the first");
      assert.deepEqual(await readdir(lib), []);
    });
  });
});
