// The names in a diff: both of a renamed file, because what is in it is shown under either.
import assert from "node:assert/strict";
import { namesInDiff } from "../../../src/tools/diffNames.ts";

const diff = (...lines: readonly string[]): string => [...lines, ""].join("\n");

describe("the names in a diff", () => {
  it("are both of a renamed file, and none of what its lines say", () => {
    const renamed = diff(
      "diff --git a/config.txt b/.env",
      "similarity index 80%",
      "rename from config.txt",
      "rename to .env",
      "--- a/config.txt",
      "+++ b/.env",
      "@@ -1,2 +1,2 @@",
      "--- a/other",
      "+++ b/another",
    );
    assert.deepEqual(namesInDiff(renamed), ["config.txt", ".env"]);
  });

  it("are one of a file that was changed, made, deleted or is no text", () => {
    const changed = diff("diff --git a/a b.ts b/a b.ts", "--- a/a b.ts", "+++ b/a b.ts", "@@ -1 +1 @@", "-1", "+2");
    assert.deepEqual(namesInDiff(changed), ["a b.ts"]);
    assert.deepEqual(namesInDiff(diff("diff --git a/n.ts b/n.ts", "--- /dev/null", "+++ b/n.ts")), ["n.ts"]);
    assert.deepEqual(namesInDiff(diff("diff --git a/n.ts b/n.ts", "--- a/n.ts", "+++ /dev/null")), ["n.ts"]);
    const binary = diff("diff --git a/p.png b/p.png", "Binary files a/p.png and b/p.png differ");
    assert.deepEqual(namesInDiff(binary), ["p.png"]);
  });

  it("are none where they are not understood", () => {
    assert.deepEqual(namesInDiff(diff('diff --git "a/\\303\\244" "b/\\303\\244"', '--- "a/\\303\\244"')), []);
    assert.deepEqual(namesInDiff(diff("diff --git a/x b/y", "rename from x", "rename to y")), []);
  });
});
