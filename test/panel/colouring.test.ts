// Colours of code: every character is kept, what is told apart, and that no text holds up the panel.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { type Kind, piecesOf } from "../../webview/colouring.ts";
import { languages } from "../../webview/languages.ts";

const names = [...Object.keys(languages), "markup"];

/** What a text is made of, without what has no colour. */
function coloured(language: string, text: string): readonly (readonly [Kind, string])[] {
  return (piecesOf(text, language) ?? []).flatMap(({ kind, text }) => (kind ? [[kind, text] as const] : []));
}

describe("the colours of code", () => {
  const fragments = [
    "`",
    "${",
    "}",
    "{",
    "/",
    "<",
    "</",
    ">",
    '"',
    "'",
    '"""',
    "/*",
    "*/",
    "--",
    "#",
    "\\",
    "\n",
    " ",
    "a",
    "É",
    "9",
    "😀",
  ];
  const code = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(fc.constantFrom(...fragments), { maxLength: 60 }).map((all) => all.join("")),
  );

  it("keep every character, in every language", () => {
    fc.assert(
      fc.property(code, fc.constantFrom(...names), (text, name) => {
        const pieces = piecesOf(text, name) ?? [];
        assert.equal(pieces.map((piece) => piece.text).join(""), text);
        assert.ok(pieces.every((piece) => piece.text !== ""));
      }),
      { numRuns: 2_000 },
    );
  });

  it("read what is made to be slow once only", function () {
    // Read anew from each of its places, one of these takes minutes.
    this.timeout(120_000);
    const length = 30_000;
    for (const unit of [
      "a",
      " ",
      "__",
      "1e",
      "'\\",
      "a/[",
      "=/[",
      "`${",
      "<a ",
      "<!--",
      "/*",
      '"""',
      "${",
      "a-",
      "</",
      "[a",
      "```",
    ])
      for (const name of names) {
        const text = unit.repeat(length / unit.length);
        assert.equal(
          piecesOf(text, name)?.reduce((sum, piece) => sum + piece.text.length, 0),
          text.length,
        );
      }
  });

  it("tell words, names, texts and numbers of a language apart", () => {
    assert.deepEqual(coloured("ts", "const n: Map<string> = f(1_0.5e3, 'it\\'s'); // x.default"), [
      ["keyword", "const"],
      ["constant", "Map"],
      ["constant", "string"],
      ["title", "f"],
      ["number", "1_0.5e3"],
      ["string", "'it\\'s'"],
      ["comment", "// x.default"],
    ]);
    assert.deepEqual(coloured("SQL", "select 'a' from T -- no"), [
      ["keyword", "select"],
      ["string", "'a'"],
      ["keyword", "from"],
      ["comment", "-- no"],
    ]);
    assert.deepEqual(coloured("yml", 'on:\n  build-it: "x" # y\n'), [
      ["constant", "on"],
      ["constant", "build-it"],
      ["string", '"x"'],
      ["comment", "# y"],
    ]);
    assert.deepEqual(
      coloured("json", '{ "a": "b", "c" : null }').map(([kind]) => kind),
      ["constant", "string", "constant", "constant"],
    );
    assert.deepEqual(
      coloured("diff", "@@ -1 +1 @@\n-a\n+b\n c").map(([kind]) => kind),
      ["title", "minus", "plus"],
    );
  });

  it("find the code within a text, and the text within that", () => {
    assert.deepEqual(coloured("js", "`a ${f({ b: `${1}` })} c`"), [
      ["string", "`a ${"],
      ["title", "f"],
      ["string", "`${"],
      ["number", "1"],
      ["string", "}`"],
      ["string", "} c`"],
    ]);
  });

  it("tell a pattern from a division and from the end of a tag", () => {
    assert.deepEqual(coloured("js", 'a / b / 2; x = /[/"]+/g'), [
      ["number", "2"],
      ["string", '/[/"]+/g'],
    ]);
    assert.deepEqual(coloured("tsx", "<Row a={b} /> and/or </Row>"), [
      ["constant", "<Row"],
      ["constant", "</Row"],
    ]);
  });

  it("know scripts and styles within a page", () => {
    assert.deepEqual(
      coloured("html", "<p>Don't</p><script> let a</script><style>b{c:#fff}</style>").filter(([, text]) =>
        /let|#fff|Don/.test(text),
      ),
      [
        ["keyword", "let"],
        ["number", "#fff"],
      ],
    );
  });

  it("are none for a language that nobody knows, whatever it is called", () => {
    for (const name of ["", "brainfuck", "constructor", "__proto__"]) assert.equal(piecesOf("a", name), null);
  });
});
