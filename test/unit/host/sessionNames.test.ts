// What sessions are called as files.
import assert from "node:assert/strict";
import { fileNameOf } from "../../../src/host/sessionNames.ts";

describe("the name of an exported file", () => {
  it("is the title without what file systems do not take", () => {
    const names = ["Fix a/b: “prices”?", "..", "", "/etc/passwd", "x".repeat(100), "Größe (fork 2)", "a\nb"].map(
      fileNameOf,
    );
    const expected = ["Fix a b prices", "session", "session", "etc passwd", "x".repeat(60), "Größe (fork 2)", "a b"];
    assert.deepEqual(names, expected);
  });
});
