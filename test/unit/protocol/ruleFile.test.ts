// Rules as a file: what is written is read again, and what is no list of rules is said.
import assert from "node:assert/strict";
import { newAmong, ruleFileOf, rulesInFile } from "../../../src/protocol/ruleFile.ts";
import type { Rule } from "../../../src/protocol/rules.ts";

const npm: Rule = { decision: "allow", tool: "run_command", command: "npm run *" };
const secret: Rule = { decision: "deny", path: "secret/**" };

describe("a file of rules", () => {
  it("holds each rule once, one on a line, and is read as it was written", () => {
    const text = ruleFileOf([npm, secret, npm]);
    assert.equal(
      text,
      '[\n  {"decision":"allow","tool":"run_command","command":"npm run *"},\n  {"decision":"deny","path":"secret/**"}\n]\n',
    );
    assert.deepEqual(rulesInFile(text), [npm, secret]);
    assert.deepEqual(rulesInFile(ruleFileOf([])), []);
  });

  it("is refused as a whole when something in it is no rule", () => {
    for (const [text, why] of [
      ["", /JSON/],
      ["{}", /holds no rules/],
      ['[{"decision":"perhaps"}]', /0\.decision/],
      ['[{"decision":"allow"},{"decision":"allow","command":"a; b"}]', /1\.command/],
      ['[{"decision":"allow","more":1}]', /Unrecognized/],
    ] as const)
      assert.throws(() => rulesInFile(text), why, text);
  });

  it("brings only what is not there yet", () => {
    assert.deepEqual(newAmong([npm, secret, secret], [npm]), [secret]);
    assert.deepEqual(newAmong([npm], [npm, secret]), []);
  });
});
