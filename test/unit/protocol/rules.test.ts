// The form of rules: what is one, and how it is said.
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  exactPattern,
  NarrowingRule,
  parsePattern,
  Rule,
  rulesInWords,
  ruleText,
} from "../../../src/protocol/rules.ts";

describe("rules", () => {
  const right = [
    { decision: "allow" },
    { decision: "deny", tool: "edit_file" },
    { decision: "ask", path: "src/**" },
    { decision: "allow", command: "npm run *" },
    { decision: "allow", command: "npm run 'a b' *" },
    { decision: "allow", host: "registry.example.org" },
    { decision: "deny", host: "*.Example.org:443" },
    { decision: "ask", host: "*" },
    { decision: "allow", host: "10.1.2.3:5432" },
    { decision: "allow", host: "[fd00::1]:8080" },
  ];
  const wrong = [
    {},
    { decision: "maybe" },
    { decision: "allow", command: "" },
    { decision: "allow", command: "npm test && rm x" },
    { decision: "allow", command: "a; b" },
    { decision: "allow", command: "a > b" },
    { decision: "allow", command: "a `b`" },
    { decision: "allow", command: "a 'b" },
    { decision: "allow", command: "a", path: "b" },
    { decision: "allow", commands: "a" },
    { decision: "allow", path: "" },
    { decision: "allow", host: "" },
    { decision: "allow", host: "https://example.org" },
    { decision: "allow", host: "example.org/path" },
    { decision: "allow", host: "example.org:0" },
    { decision: "allow", host: "example.org:65536" },
    { decision: "allow", host: "a.*.org" },
    { decision: "allow", host: "*example.org" },
    { decision: "allow", host: "fd00::1" },
    { decision: "allow", host: "a b" },
    { decision: "allow", host: "example.org", tool: "run_command" },
    { decision: "allow", host: "example.org", command: "curl *" },
  ];
  for (const rule of right) it(`takes ${JSON.stringify(rule)}`, () => assert.ok(Rule.safeParse(rule).success));
  for (const rule of wrong) it(`refuses ${JSON.stringify(rule)}`, () => assert.ok(!Rule.safeParse(rule).success));

  it("a folder's rules give no rights", () => {
    assert.ok(NarrowingRule.safeParse({ decision: "deny", path: "a" }).success);
    assert.ok(!NarrowingRule.safeParse({ decision: "allow", path: "a" }).success);
  });

  it("a pattern for some words is read as these words", () =>
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (words) => {
        const pattern = parsePattern(exactPattern(words));
        assert.deepEqual(pattern, { words: words.map((word) => [word]), open: false });
      }),
    ));

  it("are said in words and as text", () => {
    const rules: Rule[] = [
      { decision: "allow", tool: "run_command", command: "npm run *" },
      { decision: "allow", tool: "run_command", command: "npm test" },
      { decision: "deny", path: "secret/**" },
      { decision: "ask", tool: "run_agent" },
    ];
    assert.deepEqual(rules.map(ruleText), [
      "allow run_command: npm run *",
      "allow run_command: npm test",
      "deny: secret/**",
      "ask run_agent",
    ]);
    assert.equal(
      rulesInWords(rules),
      "Runs “npm run” with any arguments without asking. Runs exactly “npm test” without asking. Every tool works on secret/** never. The tool run_agent runs only after asking.",
    );
    const hosts: Rule[] = [
      { decision: "allow", host: "*.example.org:443" },
      { decision: "deny", host: "*" },
      { decision: "ask", host: "[fd00::1]" },
    ];
    assert.deepEqual(hosts.map(ruleText), ["allow: host *.example.org:443", "deny: host *", "ask: host [fd00::1]"]);
    assert.equal(
      rulesInWords(hosts),
      "Commands in the sandbox and tools reach every host below example.org on port 443 without asking. Commands in the sandbox and tools reach every host never. Commands in the sandbox and tools reach [fd00::1] only after asking.",
    );
  });
});
