// Rules in an AGENT.md: they narrow what is allowed, and one that would widen it is a problem with its line.
import assert from "node:assert/strict";
import { parseAgentFile } from "../../../src/agents/agentFile.ts";

const agentWith = (rule: string): ReturnType<typeof parseAgentFile> =>
  parseAgentFile(`---\nid: a\nname: A\napprovals:\n  - ${rule}\n---\nYou work.`, ".brain/agents/a/AGENT.md");

describe("the approvals of an agent", () => {
  it("are rules that ask or deny", () => {
    const parsed = agentWith('{ decision: deny, command: "git push *" }');
    assert.deepEqual("agent" in parsed && parsed.agent.approvals, [{ decision: "deny", command: "git push *" }]);
  });

  for (const [rule, problem] of [
    [
      "{ decision: allow, command: npm test }",
      "AGENT.md:5: approvals.0.decision: an agent can only narrow what is allowed: use ask or deny",
    ],
    ['{ decision: ask, command: "a; b" }', "AGENT.md:5: approvals.0.command: write a program and its arguments"],
    ["{ decision: ask, command: a, path: b }", "AGENT.md:5: approvals.0: name only one of path, command and host"],
  ] as const)
    it(`may not be ${rule}`, () => {
      const parsed = agentWith(rule);
      assert.ok("problems" in parsed);
      assert.equal(parsed.problems.length, 1);
      assert.ok(parsed.problems[0]?.startsWith(problem), parsed.problems[0]);
    });
});
