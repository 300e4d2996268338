// What is said of calls that are no commands, and what a person is offered.
import assert from "node:assert/strict";
import type { PolicyCall, Ruling } from "../../../src/engine/ports.ts";
import { ruleText, type Rule } from "../../../src/protocol/rules.ts";
import { closedToWriters, pathsBy } from "../../../src/scope/callPolicy.ts";
import { policyOf, ruling, rulesOf } from "./ruling.ts";

const diff = (path: string): PolicyCall["preview"] => ({
  kind: "diff",
  path,
  patch: "",
  added: 0,
  removed: 0,
  created: false,
});

const none = { reads: [], writes: [], runs: false } as const;

async function said(call: Partial<PolicyCall>, rules: readonly Rule[]): Promise<Ruling> {
  const about = { runId: "run", toolCallId: "call", toolName: "edit_file", effect: "write" } as const;
  return policyOf(rules)({ ...about, touches: none, narrowing: [], ...call });
}

const edit = (path: string): Partial<PolicyCall> => ({ preview: diff(path) });
const read = (path: string): Partial<PolicyCall> => ({
  toolName: "read_file",
  effect: "read",
  touches: { ...none, reads: [path] },
});

describe("the policy of a workspace", () => {
  const rules: readonly Rule[] = [
    ...rulesOf(
      "allow in src/**",
      "ask in src/secret/**",
      "deny in src/secret/keys.ts",
      "deny in *.lock",
      "ask in notes/**",
    ),
    { decision: "allow", tool: "edit_file", path: "docs/**" },
    { decision: "deny", tool: "run_agent" },
    { decision: "allow", tool: "look_up" },
  ];
  const rows: readonly (readonly [Ruling["kind"], string, Partial<PolicyCall>])[] = [
    ["allow", "a file that a rule allows", edit("src/a.ts")],
    ["allow", "a file that a rule allows for this tool", edit("docs/a.md")],
    ["ask", "another tool at the same place", { ...edit("docs/a.md"), toolName: "write_file" }],
    ["ask", "a place that asks within one that is allowed", edit("src/secret/a.ts")],
    ["deny", "a file that is denied within one that asks", edit("src/secret/keys.ts")],
    ["deny", "a name that is denied, in another case", edit("src/Cargo.LOCK")],
    ["ask", "a file that no rule names", edit("lib/a.ts")],
    ["allow", "reading", read("lib/a.ts")],
    ["deny", "reading what is denied", read("src/secret/keys.ts")],
    ["deny", "reading it by another way", read("./src/secret/keys.ts")],
    ["ask", "reading what asks", read("notes/a.md")],
    ["deny", "a tool that is denied", { toolName: "run_agent", effect: "read" }],
    ["allow", "a tool that is allowed", { toolName: "look_up", effect: "run" }],
    ["ask", "a tool that no rule names", { toolName: "send_mail", effect: "run" }],
    ["deny", "what an agent may not", { ...edit("src/a.ts"), narrowing: [[], rulesOf("deny in src/a.ts")] }],
  ];
  for (const [expected, title, call] of rows)
    it(`${expected}: ${title}`, async () => assert.equal((await said(call, rules)).kind, expected));

  it("without rules reading is free, and everything else asks", async () => {
    assert.deepEqual(await said(read("a"), []), { kind: "allow" });
    assert.equal((await said(edit("a"), [])).kind, "ask");
    assert.equal((await ruling("ls")).kind, "ask");
    assert.equal((await ruling("echo a")).kind, "ask");
  });
});

describe("T6 listing and searching", () => {
  it("pass over what may not be read without asking", () => {
    const { hidden } = pathsBy(
      rulesOf("deny in secret/**", "ask in *.lock", "allow in secret/open/**"),
      rulesOf("deny in drafts/**"),
    );
    const paths = ["secret", "secret/a", "secret/open/a", "a/b.lock", "drafts/x", "src/a.ts", "."];
    assert.deepEqual(paths.filter(hidden), ["secret", "secret/a", "a/b.lock", "drafts/x"]);
  });
});

describe("what a person writes by way of Brain", () => {
  it("is held by their rules that deny a path, and by no others", () => {
    const rules: readonly Rule[] = [
      ...rulesOf("deny in secret/**", "allow in secret/open/**", "ask in notes/**"),
      { decision: "deny", tool: "edit_file" },
      { decision: "deny", tool: "run_command", path: "src/**" },
      { decision: "deny", tool: "edit_file", path: "docs/**" },
    ];
    const paths = ["secret/a", "SECRET/a", "secret/open/a", "notes/a", "src/a", "docs/a", "a"];
    const closed = paths.filter((path) => closedToWriters(rules, path) !== null);
    assert.deepEqual(closed, ["secret/a", "SECRET/a", "docs/a"]);
    assert.match(closedToWriters(rules, "secret/a") ?? "", /^Denied by the rule “deny.*secret\/\*\*.*”\.$/);
  });
});

describe("the rules that a person is offered", () => {
  const offered = (asked: Ruling): readonly string[] =>
    asked.kind === "ask" ? (asked.offers ?? []).map((rules) => rules.map(ruleText).join(", ")) : [asked.kind];
  const lines: readonly (readonly [string, ...string[]])[] = [
    ["npm test", "allow run_command: npm test", "allow run_command: npm test *"],
    ["npm run build -- -w", "allow run_command: npm run build -- -w", "allow run_command: npm run build *"],
    ["git log -3", "allow run_command: git log -3", "allow run_command: git log *"],
    ["ls -la", "allow run_command: ls -la", "allow run_command: ls *"],
    ["git log $X", "allow run_command: git log *"],
    ["foo 'a b'", "allow run_command: foo 'a b'"],
    ["rm -rf dist", "allow run_command: rm -rf dist"],
    ["git push origin", "allow run_command: git push origin"],
    ["python -c 'print(1)'", "allow run_command: python -c 'print(1)'"],
    ["sudo npm test", "allow run_command: sudo npm test"],
    ["timeout 5 npm test", "allow run_command: npm test", "allow run_command: npm test *"],
    ["npm test && npm test | wc -l", "allow run_command: npm test", "allow run_command: npm test *"],
    [
      "npm test; git status",
      "allow run_command: npm test, allow run_command: git status",
      "allow run_command: npm test *, allow run_command: git status *",
    ],
    [
      "npm test > out.txt",
      "allow run_command: npm test, allow run_command: /out.txt",
      "allow run_command: npm test *, allow run_command: /out.txt",
    ],
    ["npm test > /tmp/x"],
    ["PATH=x npm test"],
    ["$X"],
    ["npm test; $X"],
    ["eval $X"],
    ["curl x | sh"],
  ];
  for (const [line, ...offers] of lines)
    it(line, async () => {
      const asked = await ruling(line);
      assert.deepEqual(offered(asked), offers);
      if (asked.kind !== "ask") return;
      for (const rules of asked.offers ?? []) assert.equal((await ruling(line, { rules })).kind, "allow");
    });

  it("only for what no rule allows yet, and never around a rule that asks", async () => {
    const rules = rulesOf("allow npm test", "ask git push *");
    assert.deepEqual(offered(await ruling("npm test; git status", { rules })), [
      "allow run_command: git status",
      "allow run_command: git status *",
    ]);
    assert.deepEqual(offered(await ruling("npm test; git push", { rules })), []);
  });

  it("for a file and its folder, and for a tool", async () => {
    assert.deepEqual(offered(await said(edit("src/[a].ts"), [])), [
      String.raw`allow edit_file: src/\[a\].ts`,
      "allow edit_file: src/**",
    ]);
    assert.deepEqual(offered(await said(edit("a.ts"), [])), ["allow edit_file: /a.ts"]);
    assert.deepEqual(offered(await said({ toolName: "send_mail", effect: "run" }, [])), ["allow send_mail"]);
    const [own] = [await said(edit("a.ts"), [])].flatMap((asked) => (asked.kind === "ask" ? (asked.offers ?? []) : []));
    assert.equal((await said(edit("a.ts"), own ?? [])).kind, "allow");
    assert.equal((await said(edit("b/a.ts"), own ?? [])).kind, "ask");
  });

  it("for several files name each of them, and nothing less allows the call", async () => {
    const file = (path: string, to?: string) => ({
      path,
      patch: "",
      added: 1,
      removed: 0,
      created: false,
      ...(to && { to }),
    });
    const call = (...files: readonly ReturnType<typeof file>[]): Partial<PolicyCall> => ({
      toolName: "apply_patch",
      preview: { kind: "diffs", files: [...files] },
    });
    const two = call(file("src/a.ts"), file("lib/b.ts", "lib/c.ts"));
    assert.deepEqual(offered(await said(two, [])), [
      "allow apply_patch: src/a.ts, allow apply_patch: lib/b.ts, allow apply_patch: lib/c.ts",
      "allow apply_patch: src/**, allow apply_patch: lib/**",
    ]);
    assert.equal((await said(two, rulesOf("allow in src/**"))).kind, "ask");
    assert.equal((await said(two, rulesOf("allow in src/**", "allow in lib/**"))).kind, "allow");
    assert.equal((await said(two, rulesOf("allow in src/**", "allow in lib/**", "deny in lib/c.ts"))).kind, "deny");
  });
});
