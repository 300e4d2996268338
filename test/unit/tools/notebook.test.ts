// Notebooks: read cell by cell, and changed so that all else in the file stays to the letter.
import assert from "node:assert/strict";
import fc from "fast-check";
import { editNotebook, parseNotebook, type CellEdit } from "../../../src/tools/notebook.ts";
import { callContext } from "../../support/kit.ts";
import { openPlace, ready, refusal } from "./place.ts";

const context = callContext(new AbortController().signal);
const fresh = { id: "fresh" };

/** What Jupyter writes: one space a step, and numbers and escapes that no program would write again in this way. */
const notebook = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Sales\\n",
    "of the year"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "7",
   "metadata": {"scale": 1.0, "source": [1e5]},
   "outputs": [
    {"name": "stdout", "output_type": "stream", "text": ["42\\n"]},
    {"data": {"image/png": "iVBORw0K", "text/plain": ["<Figure>"]}, "output_type": "display_data"},
    {"ename": "KeyError", "evalue": "'x'", "output_type": "error", "traceback": []}
   ],
   "source": [
    "total = \\"\\u00e9\\""
   ]
  }
 ],
 "metadata": {"kernelspec": {"name": "python3"}, "big": 1.50},
 "nbformat": 4,
 "nbformat_minor": 5
}
`;

function edited(text: string, edit: CellEdit): string {
  const result = editNotebook(text, edit, fresh);
  assert.ok("text" in result, JSON.stringify(result));
  return result.text;
}

describe("a notebook", () => {
  it("is read as its cells, with the beginnings of their outputs, pictures named", async () => {
    await using place = await openPlace();
    await place.put("a.ipynb", notebook);
    const { content } = await place.call("read_file", { path: "a.ipynb" });
    const [head = "", ...rest] = content.split("\n\n");
    assert.match(head, /^a\.ipynb · lines 1–11 of 11 · hash \w{16} · the cells of a notebook, which edit_notebook/);
    assert.equal(
      rest.join("\n\n"),
      [
        "── cell 0 · markdown · id intro",
        "# Sales",
        "of the year",
        "",
        "── cell 1 · code · id 7 · run 3",
        'total = "é"',
        "→ stream",
        "42",
        "→ image/png, not shown",
        "<Figure>",
        "→ KeyError: 'x'",
      ].join("\n"),
    );
    await place.put("b.ipynb", "not JSON");
    assert.match((await place.call("read_file", { path: "b.ipynb" })).content, /\n\nnot JSON$/);
  });

  it("keeps everything but the source that is replaced", () => {
    const now = edited(notebook, { action: "replace", cell: "7", source: "total = 1\nprint(total)\n" });
    assert.equal(
      now,
      notebook.replace('    "total = \\"\\u00e9\\""\n', '    "total = 1\\n",\n    "print(total)\\n"\n'),
    );
    const long = notebook.replaceAll("\n", "\r\n");
    const same = edited(long, { action: "replace", cell: "7", source: "total = 1\nprint(total)\n" });
    assert.equal(same, now.replaceAll("\n", "\r\n"));
    const text = notebook.replace(/\[\s*"# Sales.*?\]/s, '"# Sales"');
    assert.match(edited(text, { action: "replace", cell: "0", source: "a\nb" }), /"source": "a\\nb"\n/);
  });

  it("takes a new cell anywhere, as Jupyter writes it", () => {
    const cell = (...lines: readonly string[]): string => lines.map((line) => `  ${line}\n`).join("");
    const code =
      cell("{", ' "cell_type": "code",', ' "execution_count": null,', ' "id": "fresh",', ' "metadata": {},') +
      cell(' "outputs": [],', ' "source": [', '  "x"', " ]", "}");
    const last = edited(notebook, { action: "insert", source: "x", type: "code" });
    assert.equal(last, notebook.replace("\n  }\n ],", `\n  },\n${code.trimEnd()}\n ],`));
    const first = edited(notebook, { action: "insert", cell: "intro", source: "x", type: "code" });
    assert.equal(first, notebook.replace("[\n  {", `[\n${code.trimEnd()},\n  {`));
    const empty = '{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":2}';
    assert.equal(
      edited(empty, { action: "insert", source: "", type: "markdown" }),
      '{"cells":[{"cell_type":"markdown","metadata":{},"source":[]}],"metadata":{},"nbformat":4,"nbformat_minor":2}',
    );
  });

  it("is as before when a new cell is deleted again, whatever the notebook", () => {
    const cells = fc.array(fc.record({ source: fc.string(), extra: fc.jsonValue({ depthSize: "small" }) }), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(
        cells,
        fc.constantFrom(undefined, 1, 2, "\t"),
        fc.nat(4),
        fc.string(),
        (given, indent, at, source) => {
          const all = given.map(({ source: own, extra }, index) => ({
            cell_type: "code",
            id: `c${index}`,
            metadata: { extra },
            outputs: [],
            source: own.split("\n"),
          }));
          const text = JSON.stringify(
            { metadata: { cells: [1] }, cells: all, nbformat: 4, nbformat_minor: 5 },
            null,
            indent,
          );
          const before = at < all.length ? `c${at}` : undefined;
          const more = edited(text, { action: "insert", cell: before, source, type: "raw" });
          const parsed = parseNotebook(more)?.cells ?? [];
          assert.deepEqual([parsed.length, parsed[Math.min(at, all.length)]?.source], [all.length + 1, source]);
          assert.equal(edited(more, { action: "delete", cell: "fresh" }), text);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("gives back a cell's source as it was set, and every other cell as it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.constantFrom("intro", "7", "0", "1"), (source, cell) => {
        const now = parseNotebook(edited(notebook, { action: "replace", cell, source }));
        const index = cell === "intro" || cell === "0" ? 0 : 1;
        assert.equal(now?.cells[index]?.source, source);
        assert.deepEqual(now.cells[1 - index], parseNotebook(notebook)?.cells[1 - index]);
      }),
    );
  });
});

describe("edit_notebook", () => {
  it("is reviewed like any change, and what is left of it must be a notebook", async () => {
    await using place = await openPlace();
    await place.put("a.ipynb", notebook);
    const params = { path: "a.ipynb", action: "replace", cell: "intro", source: "# Costs" };
    const prepared = ready(await place.prepare("edit_notebook", params));
    assert.deepEqual(prepared.label, { verb: "Edit", subject: "a.ipynb · cell intro" });
    assert.ok(prepared.preview?.kind === "diff");
    assert.match(prepared.preview.patch, /\+ {4}"# Costs"/);
    const broken = prepared.revised?.([notebook.replace('"# Sales', "# Sales")]);
    assert.match(refusal(broken ?? prepared), /would not be a notebook any more/);
    assert.equal((await prepared.run(context)).status, "succeeded");
    assert.equal(parseNotebook(await place.get("a.ipynb"))?.cells[0]?.source, "# Costs");
  });

  it("says what it cannot do", async () => {
    await using place = await openPlace();
    await place.put("a.ipynb", notebook);
    await place.put("old.ipynb", '{"worksheets": []}');
    await place.put("a.txt", "x");
    const said = async (params: Record<string, unknown>) => refusal(await place.prepare("edit_notebook", params));
    assert.match(await said({ path: "a.txt", action: "delete", cell: "0" }), /is not a notebook; use edit_file/);
    assert.match(await said({ path: "a.ipynb", action: "delete" }), /`cell` is missing/);
    assert.match(await said({ path: "a.ipynb", action: "insert" }), /`source` is missing/);
    assert.match(await said({ path: "a.ipynb", action: "delete", cell: "2" }), /no cell “2”\. It has 2 cells/);
    assert.match(await said({ path: "old.ipynb", action: "delete", cell: "0" }), /not a notebook of format 4/);
    assert.match(await said({ path: "none.ipynb", action: "delete", cell: "0" }), /does not exist/);
  });
});
