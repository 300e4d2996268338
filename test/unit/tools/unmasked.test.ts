// Results as they were before they were masked: for this call of this session, and only so much.
import assert from "node:assert/strict";
import { createUnmasked } from "../../../src/tools/unmasked.ts";

describe("What was masked", () => {
  it("is known by its session and its call, also a delegate's", () => {
    const unmasked = createUnmasked();
    unmasked.keep({ sessionId: "s1", toolCallId: "c1" }, "one");
    unmasked.keep({ sessionId: "s2", toolCallId: "c1" }, "two");
    assert.equal(unmasked.textOf("s1", "c1"), "one");
    assert.equal(unmasked.textOf("s2", "outer/c1"), "two");
    assert.equal(unmasked.textOf("s3", "c1"), null);
    assert.equal(unmasked.textOf("s1", "xc1"), null);
    unmasked.keep({ sessionId: "s1", toolCallId: "c1" }, "again");
    assert.equal(unmasked.textOf("s1", "c1"), "again");
  });

  it("is not shown where two delegates have called their calls the same", () => {
    const unmasked = createUnmasked();
    for (const text of ["one", "two"]) unmasked.keep({ sessionId: "s", toolCallId: "c1" }, text);
    assert.equal(unmasked.textOf("s", "outer/c1"), null);
  });

  it("goes, oldest first, when it is too much", () => {
    const unmasked = createUnmasked();
    const ids = Array.from({ length: 50 }, (_, index) => `c${index}`);
    for (const toolCallId of ids) unmasked.keep({ sessionId: "s", toolCallId }, toolCallId.padEnd(100_000));
    const there = ids.filter((id) => unmasked.textOf("s", id) !== null);
    assert.deepEqual(there, ids.slice(10));
    unmasked.keep({ sessionId: "s", toolCallId: "huge" }, "x".repeat(5_000_000));
    assert.deepEqual(
      [...ids, "huge"].filter((id) => unmasked.textOf("s", id) !== null),
      [],
    );
  });
});
