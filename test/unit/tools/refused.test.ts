// What the disk refuses of one file tool: whichever operation it is, what is said is what is on the disk.
import assert from "node:assert/strict";
import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Params } from "../../../src/protocol/messages.ts";
import { callContext } from "../../support/kit.ts";
import { failAt } from "../brain/nthFault.ts";
import { openPlace, ready, type Place } from "./place.ts";

const context = callContext(new AbortController().signal);

const cell = { cell_type: "raw", id: "x", metadata: {}, source: ["a"] };
const notebook = (source: string): string =>
  `${JSON.stringify({ cells: [{ ...cell, source: [source] }], metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`;
const before = {
  "a.txt": "a\n",
  "b.bin": "\u0000\u0001",
  "dir/one.txt": "1\n",
  "dir/deep/two.txt": "2\n",
  "n.ipynb": notebook("a"),
};
type Found = Readonly<Record<string, string>>;

interface Case {
  readonly name: string;
  readonly params: Params;
  /** What is there when it has been done; `""`: no such file. */
  readonly makes: Found;
  /** The same where a part of it was done, by the words that say so. */
  readonly parts?: readonly (readonly [words: RegExp, makes: Found])[];
}

const patched = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: sub/c.txt\n@@\n-a\n+b\n*** End Patch";
const cases: readonly Case[] = [
  { name: "write_file", params: { path: "new/x.txt", content: "x\n" }, makes: { "new/x.txt": "x\n" } },
  { name: "write_file", params: { path: "a.txt", content: "x\n" }, makes: { "a.txt": "x\n" } },
  {
    name: "edit_file",
    params: { path: "a.txt", edits: [{ old_text: "a", new_text: "b" }] },
    makes: { "a.txt": "b\n" },
  },
  {
    name: "edit_notebook",
    params: { path: "n.ipynb", action: "replace", cell: "0", source: "b" },
    makes: { "n.ipynb": notebook("b") },
  },
  { name: "delete_file", params: { path: "a.txt" }, makes: { "a.txt": "" } },
  { name: "delete_file", params: { path: "b.bin" }, makes: { "b.bin": "" } },
  { name: "delete_file", params: { path: "dir" }, makes: { "dir/one.txt": "", "dir/deep/two.txt": "" } },
  {
    name: "move_file",
    params: { path: "a.txt", to: "sub/b.txt" },
    makes: { "a.txt": "", "sub/b.txt": "a\n" },
    parts: [[/could only be given a second name, “sub\/b\.txt”/, { "sub/b.txt": "a\n" }]],
  },
  {
    name: "move_file",
    params: { path: "dir", to: "sub/dir" },
    makes: { "dir/one.txt": "", "dir/deep/two.txt": "", "sub/dir/one.txt": "1\n", "sub/dir/deep/two.txt": "2\n" },
  },
  {
    name: "apply_patch",
    params: { patch: patched },
    makes: { "a.txt": "", "sub/c.txt": "b\n" },
    parts: [
      [/^Moved a\.txt to sub\/c\.txt\.\n\nNothing was written\./, { "a.txt": "", "sub/c.txt": "a\n" }],
      [/could only be given a second name, “sub\/c\.txt”/, { "sub/c.txt": "a\n" }],
    ],
  },
];

function withThese(found: Found): Found {
  return Object.fromEntries(Object.entries({ ...before, ...found }).filter(([, text]) => text !== ""));
}

async function filesIn({ root }: Place): Promise<Found> {
  const found: Record<string, string> = {};
  for (const name of await readdir(root, { recursive: true })) {
    const path = join(root, name);
    // What could not be cleared away is nobody's file.
    if (name.includes(".brain-") || (await lstat(path)).isDirectory()) continue;
    found[name] = await readFile(path, "latin1");
  }
  return found;
}

describe("what the disk refuses of a file tool", () => {
  for (const { name, params, makes, parts = [] } of cases)
    for (const stays of [false, true])
      it(`is told as it is: ${name} with ${Object.keys(makes).join(", ")}, ${stays ? "from then on" : "once"}`, async () => {
        const seen = new Set<string>();
        for (let at = 0, refused = [""]; refused.length > 0; at++) {
          await using place = await openPlace();
          for (const [path, text] of Object.entries(before)) await place.put(path, Buffer.from(text, "latin1"));
          const prepared = ready(await place.prepare(name, params));
          const faults = failAt(place.root, { at, stays, code: "EIO" });
          const { status, content } = await prepared.run(context).finally(faults.stop);
          refused = [faults.refused()].filter(Boolean);
          const part = parts.find(([words]) => words.test(content));
          const said = status === "succeeded" ? makes : (part?.[1] ?? {});
          seen.add(status);
          assert.deepEqual(await filesIn(place), withThese(said), `${faults.refused()} (${at}): ${content}`);
          if (!stays) assert.equal(part, undefined, `${faults.refused()} (${at}): ${content}`);
        }
        assert.deepEqual([...seen].toSorted(), ["failed", "succeeded"]);
      });
});
