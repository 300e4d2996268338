// Files in any encoding: read, searched and edited alike, and what was not edited is the same to the byte.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import type { SetEncodings } from "../../../src/tools/encodings.ts";
import { nodeFiles } from "../../../src/tools/nodeFiles.ts";
import { openPlace, type Place } from "./place.ts";

type Write = (text: string) => Buffer;
const bom = (...bytes: readonly number[]): ((rest: Buffer) => Buffer) => {
  return (rest) => Buffer.concat([Buffer.from(bytes), rest]);
};
const encodings: Readonly<Record<string, Write>> = {
  utf8: (text) => Buffer.from(text),
  utf8Marked: (text) => bom(0xef, 0xbb, 0xbf)(Buffer.from(text)),
  utf16le: (text) => bom(0xff, 0xfe)(Buffer.from(text, "utf16le")),
  utf16be: (text) => bom(0xfe, 0xff)(Buffer.from(text, "utf16le").swap16()),
  // One character of the upper half makes it no UTF-8.
  windows1252: (text) => Buffer.from(text, "latin1"),
};
const bytesOf = (place: Place, name: string): Promise<Buffer> => readFile(join(place.root, name));

describe("files in other encodings", () => {
  const forAll = fc.record({
    encoding: fc.constantFrom(...Object.keys(encodings)),
    ends: fc.array(fc.constantFrom("\n", "\r\n"), { minLength: 3, maxLength: 3 }),
    head: fc.string({ unit: fc.constantFrom("a", "é", " ", "ÿ"), maxLength: 8 }),
    tail: fc.string({ unit: fc.constantFrom("b", "ü", "\t", "\u00a0"), maxLength: 8 }),
    fresh: fc.string({ unit: fc.constantFrom("x", "ß", "-"), maxLength: 8 }),
    closed: fc.boolean(),
  });

  for (const tool of ["edit_file", "apply_patch"] as const)
    it(`are the same to the byte around what ${tool} changes`, async () => {
      await using place = await openPlace();
      await fc.assert(
        fc.asyncProperty(forAll, async ({ encoding, ends: [one, two, three], head, tail, fresh, closed }) => {
          const write = encodings[encoding];
          assert.ok(write);
          const file = (middle: string): Buffer =>
            write(`é${head}${one}#${middle}${two}${tail}\u00e4${closed ? three : ""}`);
          await writeFile(join(place.root, "f.txt"), file("old"));
          const params =
            tool === "edit_file"
              ? { path: "f.txt", edits: [{ old_text: "#old", new_text: `#${fresh}` }] }
              : { patch: `*** Begin Patch\n*** Update File: f.txt\n-#old\n+#${fresh}\n*** End Patch` };
          const result = await place.call(tool, params);
          assert.equal(result.status, "succeeded", result.content);
          assert.deepEqual(await bytesOf(place, "f.txt"), file(fresh));
        }),
        { numRuns: 150 },
      );
    });

  it("are read and searched as what they say, and the model is told which", async () => {
    await using place = await openPlace();
    const text = "Grüße\nfür alle\n";
    for (const [name, write] of Object.entries(encodings)) await place.put(`${name}.txt`, write(text));
    for (const name of Object.keys(encodings)) {
      const read = await place.call("read_file", { path: `${name}.txt` });
      assert.ok(read.content.endsWith("\n\nGrüße\nfür alle"), read.content);
      const told = name.startsWith("utf8") ? "" : ` · ${name}`;
      assert.match(read.content, new RegExp(`hash \\w{16}${told}\n`));
    }
    const { content } = await place.call("search_text", { pattern: "für" });
    assert.equal(content.split("\n").length, Object.keys(encodings).length, content);
  });

  it("keep every byte of the 256 that Windows-1252 has a character for", async () => {
    await using place = await openPlace();
    const bytes = Buffer.from([...Array.from({ length: 224 }, (_, index) => index + 32), 10]);
    await place.put("all.txt", bytes);
    assert.match((await place.call("read_file", { path: "all.txt" })).content, /€.‚ƒ„…†‡ˆ‰Š‹Œ/);
    await place.call("edit_file", { path: "all.txt", edits: [{ old_text: "ABC", new_text: "A€C" }] });
    const wanted = Buffer.from(bytes);
    wanted[bytes.indexOf("B")] = 0x80;
    assert.deepEqual(await bytesOf(place, "all.txt"), wanted);
  });

  it("are not written where a character is not in the encoding", async () => {
    await using place = await openPlace();
    await place.put("old.txt", Buffer.from("Gr\xfc\xdfe\n", "latin1"));
    const edits = [{ old_text: "Grüße", new_text: "Grüße → 你" }];
    const result = await place.call("edit_file", { path: "old.txt", edits });
    assert.equal(result.status, "failed");
    assert.match(result.content, /“old\.txt” is written in windows1252, which has no “→”\./);
    assert.deepEqual(await bytesOf(place, "old.txt"), Buffer.from("Gr\xfc\xdfe\n", "latin1"));
  });

  it("are what a person has set for them, where that leads back to the same bytes", async () => {
    // Each letter is the next one.
    const shift = (bytes: Uint8Array, by: number): Buffer => Buffer.from(bytes.map((byte) => (byte + by) % 256));
    const set: SetEncodings = {
      nameFor: (real) => (real.endsWith(".set") ? "next" : null),
      decode: (_, bytes) => Promise.resolve(shift(bytes, -1).toString("latin1")),
      encode: (_, text) => Promise.resolve(shift(Buffer.from(text, "latin1"), 1)),
    };
    await using place = await openPlace(nodeFiles(set));
    await place.put("a.set", "bcd");
    await place.put("marked.set", "\uFEFFabc");
    assert.match((await place.call("read_file", { path: "a.set" })).content, / · next\n\nabc$/);
    assert.match((await place.call("read_file", { path: "marked.set" })).content, /\n\nabc$/);
    await place.call("edit_file", { path: "a.set", edits: [{ old_text: "b", new_text: "x" }] });
    assert.equal(await place.get("a.set"), "byd");
    await place.call("write_file", { path: "new.set", content: "abc" });
    assert.equal(await place.get("new.set"), "bcd");
    const edits = [{ old_text: "a", new_text: "→" }];
    assert.match(
      (await place.call("edit_file", { path: "a.set", edits })).content,
      /written in next, which has no “→”/,
    );
  });
});
