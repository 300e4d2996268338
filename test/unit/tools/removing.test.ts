// delete_file and move_file: only what was seen, never over another file, and not out of the workspace.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
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
    assert.match(refusal(await place.prepare("delete_file", { path: "folder" })), /is a folder/);
    for (const path of [".env", "../x", "folder/../../x"])
      assert.match(refusal(await place.prepare("delete_file", { path })), /cannot be|outside/);
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
