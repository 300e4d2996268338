import assert from "node:assert/strict";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { appendLines, readIfThere, writeAtomic } from "../../../src/brain/files.ts";
import { inFolder } from "./disk.ts";

const sync = { sync: true };

describe("files of the .brain folder", () => {
  it("replaces a file and leaves nothing beside it", () =>
    inFolder(async (dir) => {
      const path = join(dir, "session.json");
      await writeAtomic(path, "one");
      await writeAtomic(path, "two");
      assert.equal(await readFile(path, "utf8"), "two");
      assert.deepEqual(await readdir(dir), ["session.json"]);
    }));

  it("never glues a line to one that has no end", () =>
    inFolder(async (dir) => {
      const path = join(dir, "transcript.jsonl");
      await writeFile(path, '{"torn":');
      await appendLines(path, ["1", "2"], sync);
      await appendLines(path, ["3"], { sync: false });
      assert.equal(await readFile(path, "utf8"), '{"torn":\n1\n2\n3\n');
    }));

  it("BRAIN-PERS-11 lines of several writers at once are whole", () =>
    inFolder(async (dir) => {
      const path = join(dir, "transcript.jsonl");
      const lines = Array.from({ length: 40 }, (_, n) => String(n).repeat(5_000));
      await writeFile(path, "");
      await Promise.all(lines.map((line) => appendLines(path, [line], { sync: false })));
      const text = await readFile(path, "utf8");
      assert.deepEqual(new Set(text.split("\n")), new Set([...lines, ""]));
    }));

  it("says that the disk is full", async function () {
    if (process.platform !== "linux") return this.skip();
    await assert.rejects(appendLines("/dev/full", ["x"], sync), {
      code: "disk_write",
      message: "Could not write full: the disk is full.",
    });
  });

  it("BRAIN-PERS-4 names the file and the reason, after three tries", () =>
    inFolder(async (dir) => {
      const path = join(dir, ".brain", "sessions", "s", "transcript.jsonl");
      const name = ".brain/sessions/s/transcript.jsonl";
      const fails = (why: string): Promise<void> =>
        assert.rejects(appendLines(path, ["x"], sync), {
          code: "disk_write",
          message: `Could not write ${name}: ${why}.`,
        });
      await fails("its folder is gone");
      await mkdir(path, { recursive: true });
      await fails("a folder is in its place");
      await assert.rejects(writeAtomic(path, "x"), { code: "disk_write" });
      await writeFile(join(dir, "file"), "");
      await assert.rejects(writeAtomic(join(dir, "file", "session.json"), "x"), /a file is in the place of its folder/);
    }));

  it("does not write through a symbolic link", async function () {
    if (process.platform === "win32") return this.skip();
    await inFolder(async (dir) => {
      const outside = join(dir, "outside");
      const path = join(dir, "transcript.jsonl");
      await writeFile(outside, "mine");
      await symlink(outside, path);
      await assert.rejects(appendLines(path, ["x"], sync), /it is a symbolic link/);
      await writeAtomic(path, "new");
      assert.deepEqual([await readFile(outside, "utf8"), await readFile(path, "utf8")], ["mine", "new"]);
    });
  });

  it("tells a missing file from one that cannot be read", () =>
    inFolder(async (dir) => {
      assert.equal(await readIfThere(join(dir, "none")), null);
      await assert.rejects(readIfThere(dir), { code: "EISDIR" });
    }));
});
