// Which calls wait for which, as a table.
import assert from "node:assert/strict";
import { blockers } from "../../../src/engine/schedule.ts";

const read = (path: string) => ({ reads: [path], writes: [], runs: false });
const write = (path: string) => ({ reads: [], writes: [path], runs: false });
const run = { reads: [], writes: [], runs: true };

describe("the order of calls", () => {
  const cases = [
    ["two reads of one file", read("a"), read("a"), false],
    ["a read after a write of it", write("a"), read("a"), true],
    ["a write after a read of it", read("a"), write("a"), true],
    ["two writes of one file", write("a"), write("a"), true],
    ["two writes of two files", write("a"), write("b"), false],
    ["one file spelled in two ways", write("./src//x/../a"), write("src/a"), true],
    ["a write of a file after its folder was moved or deleted", write("src"), write("src/a"), true],
    ["a move of a folder after a read of a file in it", read("src/a"), write("./src/"), true],
    ["a file whose name begins like the folder's", write("src"), write("src2/a"), false],
    ["a read of a folder after a write in it", write("src/a"), read("src"), false],
    ["a command after a write", write("a"), run, true],
    ["a command after a read", read("a"), run, false],
    ["a read after a command", run, read("a"), false],
    ["a write after a command", run, write("a"), true],
    ["two commands", run, run, true],
  ] as const;
  for (const [what, first, second, waits] of cases) {
    it(`${what}: ${waits ? "waits" : "is free"}`, () => {
      assert.deepEqual(blockers({ id: "2", touches: second }, [{ id: "1", touches: first }]), waits ? ["1"] : []);
    });
  }
});
