// The file that an answer names for its code.
import assert from "node:assert/strict";
import { namedFiles, withoutName, type ShownCode } from "../../../src/host/codeNames.ts";

const code = (given: Partial<ShownCode>): ShownCode => ({ text: "", language: "", info: "", above: "", ...given });

describe("the file of code", () => {
  it("is named behind the fence", () => {
    for (const info of [
      "ts src/a.ts",
      'ts title="src/a.ts"',
      "ts {title: 'src/a.ts'}",
      "ts file=src/a.ts",
      "src/a.ts",
      "ts:src/a.ts",
      "12:15:src/a.ts",
      "ts src/a.ts:10-20",
      "ts src/a.ts#L10-L20",
    ])
      assert.deepEqual(namedFiles(code({ info })), ["src/a.ts"], info);
  });

  it("is named in the first line of the code, which then is no part of it", () => {
    for (const line of [
      "// src/a.ts",
      "# src/a.ts",
      "<!-- src/a.ts -->",
      "/* src/a.ts */",
      "// file: src/a.ts",
      "-- src/a.ts",
    ]) {
      assert.deepEqual(namedFiles(code({ text: `${line}\nx` })), ["src/a.ts"], line);
      assert.equal(withoutName(`${line}\n\nx\n`), "x\n");
    }
    for (const text of ["// see the docs\nx", "#!/bin/sh\nx", "# 1.5\nx"]) assert.equal(withoutName(text), text);
  });

  it("is named above, the nearest first and what is surer before it", () => {
    const above = "Both are wrong.\nChange src/b.ts, and then ./src/c.ts:";
    assert.deepEqual(namedFiles(code({ above })), ["./src/c.ts", "src/b.ts"]);
    assert.deepEqual(namedFiles(code({ info: "js x.js", above: "In (x.js):" })), ["x.js"]);
    assert.deepEqual(namedFiles(code({ above: "Into .env:" })), [".env"]);
  });

  it("is not named by other words", () => {
    for (const above of ["Like this:", "Use version 1.5", "See https://example.org/a.ts", "", "a = b.c"])
      assert.deepEqual(
        namedFiles(code({ info: "ts", above, text: "const x = 1;" })),
        above === "a = b.c" ? ["b.c"] : [],
      );
  });
});
