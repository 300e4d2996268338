// apply_patch: several files in one call, all or none, each reviewed by itself.
import assert from "node:assert/strict";
import { chmod, readFile, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { LeftTexts, ToolResult } from "../../../src/engine/ports.ts";
import { nodeFiles } from "../../../src/tools/nodeFiles.ts";
import { hashText } from "../../../src/tools/workspace.ts";
import { failAt } from "../brain/nthFault.ts";
import { callContext } from "../../support/kit.ts";
import { distinct, enveloped, unified } from "./patches.ts";
import { openPlace, ready, refusal, type Place } from "./place.ts";

const context = callContext(new AbortController().signal);
const patch = [
  "*** Begin Patch",
  "*** Update File: a.txt",
  "@@",
  "-a",
  "+A",
  "*** Update File: b.txt",
  "*** Move to: sub/c.txt",
  "@@",
  " b",
  "+bb",
  "*** Add File: new/d.txt",
  "+d",
  "*** Delete File: e.txt",
  "*** Update File: f.txt",
  "*** Move to: g.txt",
  "*** End Patch",
].join("\n");

async function filled(place: Place): Promise<void> {
  for (const name of ["a", "b", "e", "f"]) await place.put(`${name}.txt`, `${name}\n`);
}

/** Each file's text, null where there is none. */
async function texts(place: Place): Promise<Record<string, string | null>> {
  const names = ["a.txt", "b.txt", "sub/c.txt", "new/d.txt", "e.txt", "f.txt", "g.txt"];
  const found = await Promise.all(names.map(async (name) => [name, await place.get(name).catch(() => null)] as const));
  return Object.fromEntries(found.filter(([, text]) => text !== null));
}

const untouched = { "a.txt": "a\n", "b.txt": "b\n", "e.txt": "e\n", "f.txt": "f\n" };
const patched = { "a.txt": "A\n", "sub/c.txt": "b\nbb\n", "new/d.txt": "d\n", "g.txt": "f\n" };

const sources: Readonly<Record<string, string>> = { "sub/c.txt": "b.txt", "g.txt": "f.txt" };

/** What the files must hold, by what was said; `isTorn`: not all of the patch, and not nothing. */
function promised({ status, content }: ToolResult): { texts: Readonly<Record<string, string>>; isTorn: boolean } {
  if (status === "succeeded") return { texts: patched, isTorn: false };
  const all = new Map<string, string>(Object.entries(untouched));
  const changed = [...content.matchAll(/“(.*?)” has its change/g)].map(([, name = ""]) => name);
  for (const name of changed) {
    all.delete(sources[name] ?? name);
    for (const [one, text] of Object.entries(patched)) if (one === name) all.set(name, text);
  }
  const second = [...content.matchAll(/second name, “(.*?)”/g)].map(([, name = ""]) => name);
  const moved = [...content.matchAll(/Moved .*? to (.*?)\.$/gm)].map(([, name = ""]) => name);
  for (const name of [...second, ...moved]) all.set(name, sources[name] === "b.txt" ? "b\n" : "f\n");
  for (const name of moved) all.delete(sources[name] ?? "");
  return { texts: Object.fromEntries(all), isTorn: [...changed, ...second, ...moved].length > 0 };
}

describe("apply_patch", () => {
  it("shows what becomes of each file, then changes, moves, adds and deletes", async () => {
    await using place = await openPlace();
    await filled(place);
    const prepared = ready(await place.prepare("apply_patch", { patch }));
    assert.deepEqual(prepared.label, { verb: "Patch", subject: "a.txt, b.txt → sub/c.txt, new/d.txt and 2 more" });
    assert.ok(prepared.preview?.kind === "diffs");
    assert.deepEqual(
      prepared.preview.files.map(({ path, to, added, removed, created, deleted }) => [
        [path, to].filter(Boolean).join(" → "),
        `+${added} -${removed}`,
        created ? "created" : deleted ? "deleted" : "changed",
      ]),
      [
        ["a.txt", "+1 -1", "changed"],
        ["b.txt → sub/c.txt", "+1 -0", "changed"],
        ["new/d.txt", "+1 -0", "created"],
        ["e.txt", "+0 -1", "deleted"],
        ["f.txt → g.txt", "+0 -0", "changed"],
      ],
    );
    assert.deepEqual(
      prepared.proposals?.map(({ path, before, after }) => [path, before, after]),
      [
        ["a.txt", "a\n", "A\n"],
        ["b.txt", "b\n", "b\nbb\n"],
        ["new/d.txt", null, "d\n"],
        ["e.txt", "e\n", null],
      ],
    );
    assert.deepEqual(await texts(place), untouched);
    const result = await prepared.run(context);
    assert.equal(result.status, "succeeded", result.content);
    assert.deepEqual(await texts(place), patched);
    assert.match(result.content, /^Changed a\.txt · hash .*Moved b\.txt to sub\/c\.txt\..*Created new\/d\.txt/s);
    assert.match(result.content, /Moved f\.txt to g\.txt\.\n\nDeleted e\.txt\.$/);
  });

  it("names all that it touches, so that calls on these files keep their order", async () => {
    await using place = await openPlace();
    assert.deepEqual(place.tool("apply_patch").touches({ patch }), {
      reads: ["a.txt", "b.txt", "e.txt", "f.txt"],
      writes: ["a.txt", "b.txt", "sub/c.txt", "new/d.txt", "e.txt", "f.txt", "g.txt"],
      runs: false,
    });
    assert.deepEqual(place.tool("apply_patch").touches({ patch: "no patch" }).writes, []);
  });

  it("changes nothing when one part does not fit, and says everything that is wrong", async () => {
    await using place = await openPlace();
    await filled(place);
    await place.put("g.txt", "in the way\n");
    const wrong = patch.replace("-a\n", "-z\n").replace("new/d.txt", "a.txt").replace("e.txt", "eh.txt");
    const said = refusal(await place.prepare("apply_patch", { patch: wrong }));
    assert.match(said, /^Nothing was changed in any file\.\n\n“a\.txt”: The hunk is not in the file/);
    assert.match(said, /“a\.txt” exists already/);
    assert.match(said, /“eh\.txt” does not exist\. Near it: .*“e\.txt”/);
    assert.match(said, /There is “g\.txt” already/);
    assert.deepEqual(await texts(place), { ...untouched, "g.txt": "in the way\n" });
  });

  it("stays inside the workspace with every path, those that files go to included", async () => {
    await using place = await openPlace();
    await filled(place);
    await symlink(tmpdir(), join(place.root, "out"));
    for (const path of ["../x.txt", ".git/config", "out/x.txt", ".env"])
      for (const wrong of [
        `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch`,
        `*** Begin Patch\n*** Update File: a.txt\n*** Move to: ${path}\n-a\n+b\n*** End Patch`,
        `--- a/a.txt\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`,
      ]) {
        const prepared = await place.prepare("apply_patch", { patch: wrong });
        assert.ok(prepared.kind === "refused" && prepared.status === "denied", `${path}: ${wrong}`);
      }
    assert.deepEqual(await texts(place), untouched);
  });

  it("lets several parts change one file, each standing on the ones before, and no other doubles", async () => {
    await using place = await openPlace();
    await place.put("a.txt", "1\n2\n3\n");
    const part = (from: string, to: string): string => `*** Update File: a.txt\n@@\n-${from}\n+${to}\n`;
    const twice = `*** Begin Patch\n${part("1", "one")}${part("one", "uno")}${part("3", "three")}*** End Patch`;
    await place.call("apply_patch", { patch: twice });
    assert.equal(await place.get("a.txt"), "uno\n2\nthree\n");
    const both = `*** Begin Patch\n${part("2", "two")}*** Delete File: ./a.txt\n*** End Patch`;
    assert.match(refusal(await place.prepare("apply_patch", { patch: both })), /more than once/);
    const taken = `*** Begin Patch\n*** Add File: b.txt\n+b\n*** Update File: a.txt\n*** Move to: b.txt\n*** End Patch`;
    assert.match(refusal(await place.prepare("apply_patch", { patch: taken })), /There is “b\.txt” already/);
  });

  it("writes nothing at all when one file has changed where the patch does, and makes its change beside others", async () => {
    await using place = await openPlace();
    await filled(place);
    const stale = ready(await place.prepare("apply_patch", { patch }));
    await place.put("a.txt", "changed\n");
    const result = await stale.run(context);
    assert.equal(result.status, "failed");
    assert.match(result.content, /^Nothing was written\. “a\.txt” changed after this was proposed/);
    assert.deepEqual(await texts(place), { ...untouched, "a.txt": "changed\n" });
    await place.put("a.txt", "a\n1\n2\n3\n4\n");
    await place.put("b.txt", "1\n2\n3\nb\n");
    const fine = ready(await place.prepare("apply_patch", { patch }));
    await place.put("a.txt", "a\n1\n2\n3\nfour\n");
    await place.put("b.txt", "one\n2\n3\nb\n");
    const both = await fine.run(context);
    assert.equal(both.status, "succeeded", both.content);
    assert.deepEqual(await texts(place), {
      ...patched,
      "a.txt": "A\n1\n2\n3\nfour\n",
      "sub/c.txt": "one\n2\n3\nb\nbb\n",
    });
  });

  for (const stays of [false, true])
    it(`is all there or nothing of it, and says so, wherever the disk refuses ${stays ? "from then on" : "once"}`, async () => {
      const seen = new Set<string>();
      for (let at = 0, refused = [""]; refused.length > 0; at++) {
        await using place = await openPlace();
        await filled(place);
        const prepared = ready(await place.prepare("apply_patch", { patch }));
        const faults = failAt(place.root, { at, stays, code: "ENOSPC" });
        const result = await prepared.run(context).finally(faults.stop);
        refused = [faults.refused()].filter(Boolean);
        const said = promised(result);
        seen.add(said.isTorn ? "torn" : result.status);
        assert.deepEqual(await texts(place), said.texts, `${faults.refused()} (${at}): ${result.content}`);
        if (!stays) assert.equal(said.isTorn, false, `${faults.refused()} (${at})`);
      }
      assert.deepEqual([...seen].toSorted(), ["failed", "succeeded", ...(stays ? ["torn"] : [])]);
    });

  it("writes of each file what a person has left of it, and says what they refused", async () => {
    await using place = await openPlace();
    await filled(place);
    const prepared = ready(await place.prepare("apply_patch", { patch }));
    const left: LeftTexts = ["A\nby hand\n", null, "d\n", null];
    const result = await ready(prepared.revised?.(left) ?? (await place.prepare("apply_patch", {}))).run(context);
    assert.equal(result.status, "succeeded", result.content);
    assert.deepEqual(await texts(place), {
      "a.txt": "A\nby hand\n",
      "b.txt": "b\n",
      "new/d.txt": "d\n",
      "e.txt": "e\n",
      "g.txt": "f\n",
    });
    assert.match(result.content, /The person decided what is written, .*-by hand/s);
    assert.match(result.content, /The person refused the change of b\.txt: it was left as it is\./);
    assert.match(result.content, /The person refused the change of e\.txt/);
  });

  it("deletes last: a file that is put back by its text alone would not be what it was", async () => {
    const disk = nodeFiles();
    const write: typeof disk.write = (path, ...rest) =>
      path.relative === "a.txt"
        ? Promise.resolve({ kind: "failed", message: "The disk is full." })
        : disk.write(path, ...rest);
    await using place = await openPlace({ ...disk, write });
    await place.put("a.txt", "a\n");
    await place.put("e.txt", Buffer.from("\uFEFFe\n", "utf16le"));
    await chmod(join(place.root, "e.txt"), 0o755);
    const both = "*** Begin Patch\n*** Delete File: e.txt\n*** Update File: a.txt\n-a\n+b\n*** End Patch";
    assert.match((await place.call("apply_patch", { patch: both })).content, /^Nothing was changed in any file/);
    assert.equal((await stat(join(place.root, "e.txt"))).mode & 0o777, 0o755);
    assert.deepEqual(await readFile(join(place.root, "e.txt")), Buffer.from("\uFEFFe\n", "utf16le"));
  });

  it("deletes a file first where a folder is to be in its place", async () => {
    await using place = await openPlace();
    await place.put("e", "e\n");
    const both = "*** Begin Patch\n*** Delete File: e\n*** Add File: e/f.txt\n+f\n*** End Patch";
    assert.equal((await place.call("apply_patch", { patch: both })).status, "succeeded");
    assert.equal(await place.get("e/f.txt"), "f\n");
  });

  it("that moves a file keeps what is not its text", async () => {
    await using place = await openPlace();
    await place.put("b.txt", "b\n");
    await chmod(join(place.root, "b.txt"), 0o755);
    const move = "*** Begin Patch\n*** Update File: b.txt\n*** Move to: c.txt\n-b\n+c\n*** End Patch";
    assert.match((await place.call("apply_patch", { patch: move })).content, new RegExp(hashText("c\n")));
    assert.equal((await stat(join(place.root, "c.txt"))).mode & 0o777, 0o755);
  });

  it("leads from any texts to any others, in both forms", async () => {
    await using place = await openPlace();
    const inner = (part: string): string => part.split("\n").slice(1, -2).join("\n");
    const forms = {
      unified: (parts: readonly string[]) => parts.join(""),
      enveloped: (parts: readonly string[]) => ["*** Begin Patch", ...parts.map(inner), "*** End Patch"].join("\n"),
    };
    const pairs = fc.array(fc.tuple(distinct, distinct), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(pairs, fc.constantFrom("unified", "enveloped"), async (files, form) => {
        const changed = files.filter(([before, after]) => before !== after);
        fc.pre(changed.length > 0);
        for (const [index, [before]] of changed.entries()) await place.put(`${index}.txt`, before);
        const write = { unified, enveloped }[form];
        const parts = changed.map(([before, after], index) => write(`${index}.txt`, before, after, { context: 3 }));
        const result = await place.call("apply_patch", { patch: forms[form](parts) });
        assert.equal(result.status, "succeeded", result.content);
        for (const [index, [, after]] of changed.entries()) assert.equal(await place.get(`${index}.txt`), after);
      }),
      { numRuns: 60 },
    );
  });
});
