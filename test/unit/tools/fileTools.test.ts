// read_file, write_file and edit_file.
import assert from "node:assert/strict";
import { callContext } from "../../support/kit.ts";
import { mkdir, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { nodeFiles } from "../../../src/tools/nodeFiles.ts";
import { hashText, type Files } from "../../../src/tools/workspace.ts";
import { openPlace, ready, refusal } from "./place.ts";

const context = callContext(new AbortController().signal);

describe("read_file", () => {
  it("shows the lines as they are, under a line that says which", async () => {
    await using place = await openPlace();
    await place.put("src/a.txt", "one\r\n\ttwo\nthree\n");
    const hash = hashText("one\r\n\ttwo\nthree\n");
    assert.equal(
      (await place.call("read_file", { path: "./src/a.txt" })).content,
      `src/a.txt · lines 1–3 of 3 · hash ${hash}\n\none\r\n\ttwo\nthree`,
    );
    assert.equal(
      (await place.call("read_file", { path: "src/a.txt", offset: 2, limit: 1 })).content,
      `src/a.txt · lines 2–2 of 3 · hash ${hash}\n\n\ttwo`,
    );
  });

  it("shows 2000 lines if nothing else is asked, and an empty file", async () => {
    await using place = await openPlace();
    await place.put("long.txt", "x\n".repeat(2_500));
    await place.put("empty.txt", "");
    assert.match((await place.call("read_file", { path: "long.txt" })).content, /lines 1–2000 of 2500/);
    assert.match((await place.call("read_file", { path: "long.txt", offset: 2_400 })).content, /lines 2400–2500 of/);
    assert.match((await place.call("read_file", { path: "empty.txt" })).content, /lines 0–0 of 0/);
  });

  it("fails in words", async () => {
    await using place = await openPlace();
    await place.put("src/price.js", "x\n");
    await place.put("src/unlike.md", "x\n");
    await place.put("logo.png", "x");
    await place.put("data.bin", Buffer.from([0, 1, 2]));
    const said = async (params: Record<string, unknown>) => {
      const result = await place.call("read_file", params);
      assert.equal(result.status, "failed");
      return result.content;
    };
    assert.equal(
      await said({ path: "source/prices.js" }),
      "“source/prices.js” does not exist. Near it: “src/price.js”.",
    );
    assert.equal(await said({ path: "zzz" }), "“zzz” does not exist.");
    assert.equal(await said({ path: "src" }), "“src” is a folder; list_files shows what is in it.");
    assert.equal(
      await said({ path: "logo.png" }),
      "“logo.png” cannot be shown: only PNG, JPEG, GIF and WebP images can.",
    );
    assert.match(await said({ path: "none.png" }), /“none\.png” does not exist/);
    assert.match(await said({ path: "data.bin" }), /“data\.bin” is a binary file/);
    assert.match(await said({ path: "src/price.js", offset: 9 }), /has 1 lines; there is no line 9/);
  });

  it("says when the editor holds unsaved changes", async () => {
    const files: Files = {
      ...nodeFiles(),
      read: () => Promise.resolve({ text: "new\n", hash: hashText("new\n"), source: "buffer", unsaved: true }),
      write: () => Promise.resolve({ kind: "stale" }),
    };
    await using place = await openPlace(files);
    const { content } = await place.call("read_file", { path: "a" });
    assert.match(content, /^a · lines 1–1 of 1 · hash \w{16} · unsaved changes in the editor\n\nnew$/);
  });
});

describe("write_file", () => {
  it("shows the new file as a diff, then creates it", async () => {
    await using place = await openPlace();
    const prepared = ready(await place.prepare("write_file", { path: "src/new.txt", content: "one\ntwo\n" }));
    const patch = "--- /dev/null\n+++ b/src/new.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n";
    assert.deepEqual(prepared.preview, {
      kind: "diff",
      path: "src/new.txt",
      patch,
      added: 2,
      removed: 0,
      created: true,
    });
    await assert.rejects(place.get("src/new.txt"));
    const result = await prepared.run(context);
    assert.deepEqual(result, {
      status: "succeeded",
      content: `Created src/new.txt · hash ${hashText("one\ntwo\n")}\n\n${patch}`,
    });
    assert.equal(await place.get("src/new.txt"), "one\ntwo\n");
  });

  it("replaces a file in its own line endings", async () => {
    await using place = await openPlace();
    await place.put("a.txt", "\uFEFFone\r\ntwo\r\n");
    const prepared = ready(await place.prepare("write_file", { path: "a.txt", content: "one\n2\n" }));
    assert.ok(prepared.preview?.kind === "diff");
    assert.deepEqual([prepared.preview.added, prepared.preview.removed, prepared.preview.created], [1, 1, false]);
    await prepared.run(context);
    assert.equal(await place.get("a.txt"), "\uFEFFone\r\n2\r\n");
  });

  it("is refused when nothing would change", async () => {
    await using place = await openPlace();
    await place.put("a.txt", "one\r\n");
    assert.match(
      refusal(await place.prepare("write_file", { path: "a.txt", content: "one\n" })),
      /Nothing would change/,
    );
  });

  it("is refused on a folder and on a binary file", async () => {
    await using place = await openPlace();
    await place.put("x/data.bin", Buffer.from([0]));
    assert.match(refusal(await place.prepare("write_file", { path: "x", content: "" })), /is a folder/);
    assert.match(refusal(await place.prepare("write_file", { path: "x/data.bin", content: "" })), /binary/);
  });

  it("writes nothing when the file came, changed or went meanwhile", async () => {
    await using place = await openPlace();
    await place.put("changed.txt", "one");
    await place.put("gone.txt", "one");
    const prepared = await Promise.all(
      ["came.txt", "changed.txt", "gone.txt"].map((path) => place.prepare("write_file", { path, content: "mine" })),
    );
    await place.put("came.txt", "theirs");
    await place.put("changed.txt", "theirs");
    await rm(join(place.root, "gone.txt"));
    for (const each of prepared) {
      const result = await ready(each).run(context);
      assert.equal(result.status, "failed");
      assert.match(result.content, /changed after this was proposed, so nothing was written/);
    }
    assert.equal(await place.get("came.txt"), "theirs");
    assert.equal(await place.get("changed.txt"), "theirs");
    await assert.rejects(place.get("gone.txt"));
  });

  it("BRAIN-EXEC-4 does not follow a folder that became a link after the check", async () => {
    await using place = await openPlace();
    await using elsewhere = await openPlace();
    await mkdir(join(place.root, "folder"));
    const prepared = ready(await place.prepare("write_file", { path: "folder/a.txt", content: "x" }));
    await rename(join(place.root, "folder"), join(place.root, "old"));
    await symlink(elsewhere.root, join(place.root, "folder"));
    const result = await prepared.run(context);
    assert.equal(result.status, "failed");
    assert.match(result.content, /outside the workspace/);
    await assert.rejects(elsewhere.get("a.txt"));
  });

  it("says when the text is in the editor only, and when the editor failed", async () => {
    const outcomes: Awaited<ReturnType<Files["write"]>>[] = [
      { kind: "written", hash: "0123456789abcdef", saved: false },
      { kind: "failed", message: "The editor did not take it." },
    ];
    const files: Files = {
      ...nodeFiles(),
      read: () => Promise.resolve(null),
      write: () => Promise.resolve(outcomes.shift() ?? { kind: "stale" }),
    };
    await using place = await openPlace(files);
    const first = await place.call("write_file", { path: "a", content: "x" });
    assert.equal(first.status, "succeeded");
    assert.match(first.content, /hash 0123456789abcdef · in the editor, unsaved/);
    const second = await place.call("write_file", { path: "a", content: "x" });
    assert.deepEqual([second.status, second.content], ["failed", "Nothing was written. The editor did not take it."]);
  });
});

describe("edit_file", () => {
  it("shows the diff, writes it, and gives the patch and the new hash", async () => {
    await using place = await openPlace();
    await place.put("a.txt", "one\r\ntwo\r\nthree\r\n");
    const edits = [
      { old_text: "one\ntwo", new_text: "1\n2" },
      { old_text: "three", new_text: "3" },
    ];
    const prepared = ready(await place.prepare("edit_file", { path: "a.txt", edits }));
    assert.ok(prepared.preview?.kind === "diff");
    assert.deepEqual([prepared.preview.added, prepared.preview.removed], [3, 3]);
    const result = await prepared.run(context);
    const text = "1\r\n2\r\n3\r\n";
    assert.equal(await place.get("a.txt"), text);
    assert.equal(result.content, `Changed a.txt · hash ${hashText(text)}\n\n${prepared.preview.patch}`);
  });

  it("is refused, with the place to look at, when a piece does not fit or nothing would change", async () => {
    await using place = await openPlace();
    await place.put("a.txt", "one\ntwo\none\n");
    const said = async (old_text: string, new_text: string) =>
      refusal(await place.prepare("edit_file", { path: "a.txt", edits: [{ old_text, new_text }] }));
    assert.match(
      await said("twoo", "x"),
      /^Nothing was changed in “a\.txt”: `old_text` is not in the file\. The nearest/,
    );
    assert.match(await said("one", "x"), /at lines 1, 3/);
    assert.match(await said("", "x"), /is empty/);
    assert.match(await said("two", "two"), /Nothing would change/);
    assert.equal(await place.get("a.txt"), "one\ntwo\none\n");
  });

  it("is refused for a file that does not exist", async () => {
    await using place = await openPlace();
    await place.put("src/price.js", "");
    const edits = [{ old_text: "a", new_text: "b" }];
    assert.equal(
      refusal(await place.prepare("edit_file", { path: "price.js", edits })),
      "“price.js” does not exist. Near it: “src/price.js”. To create a file use write_file.",
    );
  });

  it("writes nothing over a change that came after it was proposed", async () => {
    await using place = await openPlace();
    await place.put("a.txt", "one two");
    const prepared = ready(
      await place.prepare("edit_file", { path: "a.txt", edits: [{ old_text: "one", new_text: "1" }] }),
    );
    await place.put("a.txt", "one two three");
    assert.equal((await prepared.run(context)).status, "failed");
    assert.equal(await place.get("a.txt"), "one two three");
  });
});
