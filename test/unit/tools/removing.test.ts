// delete_file and move_file: only what was seen, never over another file, and not out of the workspace.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, readFile, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { nodeFiles } from "../../../src/tools/nodeFiles.ts";
import { callContext } from "../../support/kit.ts";
import { openPlace, ready, refusal } from "./place.ts";

const context = callContext(new AbortController().signal);

describe("delete_file", () => {
  it("shows what goes, then deletes it", async () => {
    await using place = await openPlace();
    await place.put("src/a.txt", "one\ntwo\n");
    const prepared = ready(await place.prepare("delete_file", { path: "src/a.txt" }));
    assert.ok(prepared.preview?.kind === "diff");
    assert.deepEqual([prepared.preview.added, prepared.preview.removed], [0, 2]);
    assert.equal((await prepared.run(context)).content, "Deleted src/a.txt.");
    assert.ok(!existsSync(join(place.root, "src/a.txt")));
  });

  it("leaves a file that changed after it was proposed", async () => {
    await using place = await openPlace();
    await place.put("a.txt", "one\n");
    const prepared = ready(await place.prepare("delete_file", { path: "a.txt" }));
    await place.put("a.txt", "mine\n");
    const result = await prepared.run(context);
    assert.equal(result.status, "failed");
    assert.match(result.content, /changed after this was proposed, so it was not deleted/);
    assert.equal(await place.get("a.txt"), "mine\n");
  });

  it("says what it cannot delete", async () => {
    await using place = await openPlace();
    await place.put("folder/a.txt", "x");
    await place.put(".env", "SECRET=1");
    assert.match(refusal(await place.prepare("delete_file", { path: "none.txt" })), /does not exist/);
    assert.match(refusal(await place.prepare("delete_file", { path: "." })), /folder of the workspace itself/);
    for (const path of [".env", "../x", "folder/../../x"])
      assert.match(refusal(await place.prepare("delete_file", { path })), /cannot be|outside/);
  });
});

describe("delete_file and move_file of a folder", () => {
  const filled = async (place: Awaited<ReturnType<typeof openPlace>>): Promise<void> => {
    await place.put("old/a.txt", "a\n");
    await place.put("old/deep/logo.bin", Buffer.from([0, 255, 1]));
  };

  for (const part of ["a.txt", null])
    it(`says that ${part ? "a part" : "nothing"} of it is gone where the disk refuses ${part ? "the rest" : "all"}`, async () => {
      const disk = nodeFiles();
      const removeWhole: typeof disk.removeWhole = async ({ real }) => {
        if (part) await rm(join(real, part));
        return { kind: "failed", message: "It is in use." };
      };
      await using place = await openPlace({ ...disk, removeWhole });
      await filled(place);
      const { status, content } = await place.call("delete_file", { path: "old" });
      assert.equal(status, "failed");
      const said = part ? "Not all of it was deleted: look at what is left of it." : "Nothing was deleted.";
      assert.equal(content, `${said} It is in use.`);
    });

  it("lists what goes, for the person and for rules, then deletes it", async () => {
    await using place = await openPlace();
    await filled(place);
    await place.put("elsewhere.txt", "stays");
    await symlink(join(place.root, "elsewhere.txt"), join(place.root, "old/link"));
    const prepared = ready(await place.prepare("delete_file", { path: "old" }));
    assert.deepEqual(prepared.preview, {
      kind: "text",
      text: `old/ · 3 files and 1 folder · ${5 + join(place.root, "elsewhere.txt").length} bytes\n  a.txt\n  link\n  deep/logo.bin`,
      paths: ["old", "old/a.txt", "old/link", "old/deep/logo.bin"],
    });
    assert.equal((await prepared.run(context)).content, "Deleted old with 3 files.");
    assert.ok(!existsSync(join(place.root, "old")));
    assert.equal(await place.get("elsewhere.txt"), "stays");
  });

  it("leaves it when anything in it has changed since", async () => {
    for (const change of ["old/a.txt", "old/new.txt"]) {
      await using place = await openPlace();
      await filled(place);
      const prepared = ready(await place.prepare("delete_file", { path: "old" }));
      await place.put(change, "mine\n");
      assert.match((await prepared.run(context)).content, /changed after this was proposed/);
      assert.equal(await place.get(change), "mine\n");
    }
  });

  it("deletes a file that is no text, and names what undo could not bring back", async () => {
    await using place = await openPlace();
    await place.put("logo.bin", Buffer.from([0, 1]));
    await place.put("big.bin", Buffer.alloc(6_000_000));
    const small = ready(await place.prepare("delete_file", { path: "logo.bin" }));
    assert.deepEqual(small.preview, { kind: "text", text: "logo.bin · 2 bytes, no text", paths: ["logo.bin"] });
    assert.equal((await small.run(context)).content, "Deleted logo.bin.");
    const big = ready(await place.prepare("delete_file", { path: "big.bin" }));
    assert.ok(big.preview?.kind === "text");
    assert.match(big.preview.text, /6 MB, no text\nUndo cannot bring back what is larger than 5 MB: big\.bin/);
  });

  it("refuses one that holds what nobody may write, the workspace itself, and one that is too large", async () => {
    await using place = await openPlace();
    for (const [folder, file] of [
      ["keys", ".env"],
      ["nested", ".git/HEAD"],
      ["mine", ".brain/x"],
    ] as const) {
      await place.put(`${folder}/${file}`, "x");
      for (const [tool, more] of [
        ["delete_file", {}],
        ["move_file", { to: "new" }],
      ] as const)
        assert.match(
          refusal(await place.prepare(tool, { path: folder, ...more })),
          /cannot be deleted or moved as a whole: “.*” cannot be written/,
        );
    }
    for (const path of [".git", ".brain", "..", "."])
      assert.equal((await place.prepare("delete_file", { path })).kind, "refused", path);
    for (let index = 0; index <= 1_000; index++) await place.put(`many/${index}`, "");
    assert.match(refusal(await place.prepare("delete_file", { path: "many" })), /more than 1000 files and folders/);
  });

  it("moves it as it is, over nothing and not into itself", async () => {
    await using place = await openPlace();
    await filled(place);
    await place.put("taken/x", "x");
    const prepared = ready(await place.prepare("move_file", { path: "old", to: "new/place" }));
    assert.ok(prepared.preview?.kind === "text");
    assert.match(prepared.preview.text, /^→ new\/place\nold\/ · 2 files and 1 folder/);
    assert.ok(prepared.preview.paths?.includes("new/place/deep/logo.bin"));
    assert.equal((await prepared.run(context)).content, "Moved old to new/place.");
    assert.deepEqual([...(await readFile(join(place.root, "new/place/deep/logo.bin")))], [0, 255, 1]);
    assert.ok(!existsSync(join(place.root, "old")));
    assert.match(refusal(await place.prepare("move_file", { path: "new", to: "taken" })), /nothing is written over/);
    assert.match(refusal(await place.prepare("move_file", { path: "new", to: "new/place/x" })), /into itself/);
  });
});

describe("move_file", () => {
  it("moves any file as it is, and makes folders on the way", async () => {
    await using place = await openPlace();
    await place.put("run.bin", Buffer.from([0, 255, 1]));
    await chmod(join(place.root, "run.bin"), 0o755);
    const result = await place.call("move_file", { path: "run.bin", to: "tools/deep/run" });
    assert.equal(result.content, "Moved run.bin to tools/deep/run.");
    assert.deepEqual([...(await readFile(join(place.root, "tools/deep/run")))], [0, 255, 1]);
    assert.equal((await stat(join(place.root, "tools/deep/run"))).mode & 0o777, 0o755);
    assert.ok(!existsSync(join(place.root, "run.bin")));
  });

  it("writes over nothing, also when it comes after it was proposed", async () => {
    await using place = await openPlace();
    await place.put("a.txt", "a");
    await place.put("b.txt", "b");
    assert.match(refusal(await place.prepare("move_file", { path: "a.txt", to: "b.txt" })), /nothing is written over/);
    const prepared = ready(await place.prepare("move_file", { path: "a.txt", to: "c.txt" }));
    await place.put("c.txt", "c");
    assert.equal((await prepared.run(context)).status, "failed");
    assert.deepEqual([await place.get("a.txt"), await place.get("c.txt")], ["a", "c"]);
  });

  it("leads neither out of the workspace nor to what is denied", async () => {
    await using place = await openPlace();
    await place.put("a.txt", "a");
    await symlink("/tmp", join(place.root, "out"));
    for (const to of ["../a.txt", "out/a.txt", ".env", ".git/hooks/pre-commit", ".brain/x", "/tmp/a.txt"])
      assert.equal((await place.prepare("move_file", { path: "a.txt", to })).kind, "refused", to);
    assert.match(refusal(await place.prepare("move_file", { path: ".env", to: "a" })), /cannot be/);
    assert.match(refusal(await place.prepare("move_file", { path: "none", to: "b" })), /does not exist/);
    assert.equal(await place.get("a.txt"), "a");
  });
});
