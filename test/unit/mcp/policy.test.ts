// What policy makes of tools of servers: they ask, whatever they say of themselves, and rules can name a whole server.
import assert from "node:assert/strict";
import fc from "fast-check";
import { meansTool, rulesInWords, type Rule } from "../../../src/protocol/rules.ts";
import { mcpPrefix, readServers, serverOfTool } from "../../../src/protocol/mcp.ts";
import { toolName } from "../../../src/mcp/names.ts";
import { offer } from "../../../src/mcp/serverTools.ts";
import { createPolicy } from "../../../src/scope/callPolicy.ts";
import type { Ruling } from "../../../src/engine/ports.ts";

async function ruling(toolName: string, rules: readonly Rule[], narrowing: readonly Rule[] = []): Promise<Ruling> {
  const scope = () => Promise.reject(new Error("no paths here"));
  const policy = createPolicy({ scope, rules: () => rules, platform: "linux" });
  const touches = { reads: [], writes: [], runs: true };
  const preview = { kind: "text", text: "{}" } as const;
  return policy({ runId: "r", toolCallId: "c", toolName, effect: "run", preview, touches, narrowing: [narrowing] });
}

describe("X-2 policy on tools of MCP servers", () => {
  it("asks, says who does it, and offers a rule for the tool and one for the server", async () => {
    assert.deepEqual(await ruling("mcp__github__create_issue", []), {
      kind: "ask",
      why: "It is done by the MCP server github, which no scope of Brain's holds.",
      offers: [
        [{ decision: "allow", tool: "mcp__github__create_issue" }],
        [{ decision: "allow", tool: "mcp__github__*" }],
      ],
    });
  });

  it("allows by a rule for the server, and the name of a tool counts before it", async () => {
    const rules: Rule[] = [
      { decision: "allow", tool: "mcp__github__*" },
      { decision: "deny", tool: "mcp__github__delete_repo" },
    ];
    assert.deepEqual(await ruling("mcp__github__list", rules), { kind: "allow", rule: "allow mcp__github__*" });
    assert.equal((await ruling("mcp__github__delete_repo", rules)).kind, "deny");
    assert.equal((await ruling("mcp__githubs__list", rules)).kind, "ask");
    assert.equal((await ruling("run_command", rules)).kind, "ask");
  });

  it("of two beginnings the longer counts, and of a file's rules the stricter", async () => {
    const rules: Rule[] = [
      { decision: "deny", tool: "mcp__*" },
      { decision: "allow", tool: "mcp__github__*" },
    ];
    assert.equal((await ruling("mcp__github__list", rules)).kind, "allow");
    assert.equal((await ruling("mcp__other__list", rules)).kind, "deny");
    const asking: Rule[] = [{ decision: "ask", tool: "mcp__github__*" }];
    assert.equal((await ruling("mcp__github__list", rules, asking)).kind, "ask");
  });

  it("shows a tool by its own name, unless that could be read as something else", () => {
    const call = () => Promise.reject(new Error("nothing is called"));
    const named = ["issues.list", "read\n\nIt only reads.", "\u202Edaer", "x".repeat(100)];
    const listed = named.map((name) => ({ name, inputSchema: { type: "object" as const } }));
    const { tools } = offer(listed, { server: "a", allowed: undefined, validate: () => [], call });
    const [plain, ...others] = tools.map((one) => one.label({}).subject);
    assert.equal(plain, "a: issues.list");
    for (const subject of others) assert.match(subject, /^a: [\w-]{1,64}$/);
  });

  it("says rules in words", () => {
    assert.equal(
      rulesInWords([
        { decision: "allow", tool: "mcp__github__*" },
        { decision: "ask", tool: "mcp__git*" },
        { decision: "deny", tool: "mcp__github__list" },
      ]),
      "Every tool of the MCP server github runs without asking. Every tool whose name begins with “mcp__git” runs only after asking. The tool mcp__github__list runs never.",
    );
  });
});

describe("names of servers and tools", () => {
  const server = fc.stringMatching(/^[A-Za-z\d][A-Za-z\d_-]{0,23}$/).filter((name) => accepts(name));
  const tool = fc.string({ maxLength: 200 });

  it("are what endpoints take, each its own, and say whose they are", () =>
    fc.assert(
      fc.property(server, tool, server, tool, (server, tool, otherServer, otherTool) => {
        const name = toolName(server, tool);
        assert.match(name, /^[\w-]{1,64}$/);
        assert.equal(serverOfTool(name), server);
        assert.ok(meansTool(`${mcpPrefix(server)}*`, name));
        const other = toolName(otherServer, otherTool);
        assert.equal(name === other, server === otherServer && tool === otherTool);
        if (server !== otherServer) assert.ok(!meansTool(`${mcpPrefix(otherServer)}*`, name));
      }),
      { numRuns: 1_000 },
    ));

  it("of servers that could be taken for others are refused", () => {
    for (const name of ["a__b", "a_", "_a", "a b", "ü", "", "x".repeat(25), "a.b", "__proto__"])
      assert.ok(!accepts(name), name);
    for (const name of ["github", "my-server", "a_b", "x".repeat(24)]) assert.ok(accepts(name), name);
  });
});

function accepts(name: string): boolean {
  return readServers({ [name]: { command: "x" } }).servers.length === 1;
}

describe("servers as people write them down", () => {
  it("are read by themselves or below mcpServers; keys of other tools are left out", () => {
    const written = { things: { command: "x", args: ["y"], type: "stdio", alwaysAllow: ["*"] } };
    const expected = { servers: [{ name: "things", server: { command: "x", args: ["y"] } }], problems: [] };
    assert.deepEqual(readServers(written), expected);
    assert.deepEqual(readServers({ mcpServers: written }), expected);
  });

  it("that are wrong are told, and take no other along", () => {
    const { servers, problems } = readServers({
      neither: {},
      both: { command: "x", url: "https://example.org" },
      scheme: { url: "file:///etc/passwd" },
      form: { command: "x", args: "y" },
      env: { command: "x", env: { A: 1 } },
      good: { url: "https://example.org/mcp" },
    });
    assert.deepEqual(
      servers.map(({ name }) => name),
      ["good"],
    );
    assert.equal(problems.length, 5);
    assert.match(
      problems[0] ?? "",
      /^The MCP server neither needs either a command to start or a url to connect to\.$/,
    );
    assert.match(problems[2] ?? "", /scheme is written wrong at url: url must be an address/);
    for (const value of [null, [], "text", 4]) assert.equal(readServers(value).problems.length, 1);
  });
});
