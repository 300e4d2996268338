// Files on disk: what is read, what is refused, and that a write replaces only what was seen.
import assert from "node:assert/strict";
import { chmod, mkdir, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import type { Access } from "../../../src/scope/deniedNames.ts";
import type { ScopedPath } from "../../../src/scope/scope.ts";
import { hashText } from "../../../src/tools/workspace.ts";
import { openPlace, type Place } from "./place.ts";

async function scoped(place: Place, path: string, access: Access = "write"): Promise<ScopedPath> {
  const result = await place.workspace.scope.resolve(path, access);
  assert.ok("real" in result);
  return result;
}

describe("Files on disk", () => {
  it("reads text as it is, and null for what is not there", async () => {
    await using place = await openPlace();
    await place.put("a.txt", "one\r\ntwo\n€");
    const text = "one\r\ntwo\n€";
    assert.deepEqual(await place.workspace.files.read(await scoped(place, "a.txt")), {
      text,
      hash: hashText(text),
      source: "disk",
      unsaved: false,
    });
    assert.match(hashText(text), /^[0-9a-f]{16}$/);
    assert.equal(await place.workspace.files.read(await scoped(place, "b.txt")), null);
    assert.equal(await place.workspace.files.read(await scoped(place, "a.txt/b")), null);
  });

  it("takes the byte order mark off and puts it back", async () => {
    await using place = await openPlace();
    await place.put("a.txt", "\uFEFFone\n");
    const path = await scoped(place, "a.txt");
    const before = await place.workspace.files.read(path);
    assert.equal(before?.text, "one\n");
    const outcome = await place.workspace.files.write(path, "two\n", before.hash);
    assert.deepEqual(outcome, { kind: "written", hash: hashText("two\n"), saved: true });
    assert.equal(await place.get("a.txt"), "\uFEFFtwo\n");
  });

  for (const [what, content, sentence] of [
    ["a NUL byte", Buffer.from([65, 0, 66]), /binary/],
    ["bytes that are no text in any encoding", Buffer.from([65, 0xff, 1, 66]), /not text in an encoding/],
    ["a byte order mark and half a character", Buffer.from([0xff, 0xfe, 65, 0, 66]), /not text in an encoding/],
    ["the byte order mark of UTF-8 before what is none", Buffer.from([0xef, 0xbb, 0xbf, 0xff]), /not text in an enc/],
    ["UTF-32", Buffer.from([0xff, 0xfe, 0, 0, 65, 0, 0, 0]), /binary/],
    ["more than 10 MB", Buffer.alloc(10 * 1024 * 1024 + 1, "a"), /too large/],
  ] as const)
    it(`refuses a file with ${what}, and does not write over it`, async () => {
      await using place = await openPlace();
      await place.put("x", content);
      const path = await scoped(place, "x");
      await assert.rejects(place.workspace.files.read(path), sentence);
      const outcome = await place.workspace.files.write(path, "new", null);
      assert.equal(outcome.kind, "failed");
      assert.deepEqual(await readFile(path.real), content);
    });

  it("refuses a folder and does not wait for a pipe", async () => {
    await using place = await openPlace();
    await mkdir(join(place.root, "folder"));
    await place.call("run_command", { command: "mkfifo pipe" });
    await assert.rejects(place.workspace.files.read(await scoped(place, "folder")), /is a folder/);
    await assert.rejects(place.workspace.files.read(await scoped(place, "pipe")), /not a regular file/);
  });

  it("creates a file with its folders, and only where none was", async () => {
    await using place = await openPlace();
    const path = await scoped(place, "new/deep/a.txt");
    assert.equal((await place.workspace.files.write(path, "one", null)).kind, "written");
    assert.deepEqual(await place.workspace.files.write(path, "two", null), { kind: "stale" });
    assert.equal(await place.get("new/deep/a.txt"), "one");
  });

  it("writes nothing when the file is not what was seen, or is gone", async () => {
    await using place = await openPlace();
    await place.put("a.txt", "changed");
    const path = await scoped(place, "a.txt");
    assert.deepEqual(await place.workspace.files.write(path, "mine", hashText("seen")), { kind: "stale" });
    const gone = await scoped(place, "gone.txt");
    assert.deepEqual(await place.workspace.files.write(gone, "mine", hashText("seen")), { kind: "stale" });
    assert.equal(await place.get("a.txt"), "changed");
    assert.deepEqual(await readdir(place.root), ["a.txt"]);
  });

  it("lets one of two writers through who saw the same text", async () => {
    await using place = await openPlace();
    await place.put("a.txt", "start");
    const path = await scoped(place, "a.txt");
    await place.workspace.files.write(path, "first", hashText("start"));
    assert.deepEqual(await place.workspace.files.write(path, "second", hashText("start")), { kind: "stale" });
    assert.equal(await place.get("a.txt"), "first");
  });

  it("keeps the mode and leaves nothing beside", async () => {
    await using place = await openPlace();
    await place.put("run.sh", "one");
    await chmod(join(place.root, "run.sh"), 0o755);
    const path = await scoped(place, "run.sh");
    await place.workspace.files.write(path, "two", hashText("one"));
    assert.equal((await stat(path.real)).mode & 0o777, 0o755);
    assert.deepEqual(await readdir(place.root), ["run.sh"]);
  });

  it("says in words why a write failed, without paths of this machine", async () => {
    await using place = await openPlace();
    await place.put("a.txt", "one");
    const outcome = await place.workspace.files.write(await scoped(place, "a.txt/below"), "x", null);
    assert.ok(outcome.kind === "failed");
    assert.match(outcome.message, /“a\.txt\/below” cannot be used: a part of the path is a file/);
  });

  it("gives back every text it is given", async () => {
    await using place = await openPlace();
    const path = await scoped(place, "any.txt");
    let last: string | null = null;
    const text = fc.string({ unit: "grapheme", maxLength: 50 }).map((text) => text.replaceAll(/[\0\uFEFF]/g, ""));
    await fc.assert(
      fc.asyncProperty(text, async (text) => {
        const outcome = await place.workspace.files.write(path, text, last);
        assert.deepEqual(outcome, { kind: "written", hash: hashText(text), saved: true });
        const read = await place.workspace.files.read(path);
        assert.equal(read?.text, text);
        last = read.hash;
      }),
      { numRuns: 50 },
    );
  });
});
