// Servers that a folder brings along: nothing of them starts before a person has allowed exactly what the file says.
import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ServerQuestion } from "../../../src/composeMcp.ts";
import { createServerAllowances } from "../../../src/host/serverAllowances.ts";
import { createSandbox, type Sandbox } from "../../../src/scope/sandbox.ts";
import { callTool, listening, raw, serveThings, things, withServers, type Rig } from "../../support/mcp.ts";

async function writeServers({ root }: Pick<Rig, "root">, mcpServers: object): Promise<void> {
  await mkdir(path.join(root, ".brain"), { recursive: true });
  await writeFile(path.join(root, ".brain", "mcp.json"), JSON.stringify({ mcpServers }));
}

describe("servers of a folder's file", () => {
  it("are asked about with the exact command line, what it is given and which variables it reads", async () => {
    const asked: ServerQuestion[] = [];
    const confirmServer = (question: ServerQuestion) => Promise.resolve(asked.push(question) < 0);
    await withServers(
      {},
      async (rig) => {
        const env = { NODE_OPTIONS: "--require ./evil.js", KEY: "${env:HOME}" };
        await writeServers(rig, { tools: { command: "npx", args: ["-y", "some server"], env, cwd: "sub" } });
        const { tools, notices } = await rig.servers.tools();
        assert.deepEqual(tools, []);
        assert.match(notices.join(), /^The MCP server tools of \.brain\/mcp\.json was not allowed, and is not used\./);
      },
      { confirmServer },
    );
    const [question] = asked;
    assert.equal(asked.length, 1);
    assert.equal(question?.what, "npx -y 'some server'");
    assert.deepEqual(question.details, ["NODE_OPTIONS=--require ./evil.js", "KEY=${env:HOME}", "in sub"]);
    assert.deepEqual(question.variables, ["HOME"]);
  });

  it("cannot write the question: what nobody sees or reads is shown in words, and what is too long is not asked about", async () => {
    const asked: ServerQuestion[] = [];
    const confirmServer = (question: ServerQuestion) => Promise.resolve(asked.push(question) < 0);
    await withServers(
      {},
      async (rig) => {
        const env = { A: "1\n\nIt runs in the sandbox.\u2028", B: "\u202Ecod.exe\u00a0\u3164\u200b" };
        await writeServers(rig, {
          tools: { command: "npx", args: ["a\r\nb", " ".repeat(3)], env },
          long: { command: "npx", args: ["x".repeat(4_000)] },
        });
        assert.match(
          (await rig.servers.tools()).notices.join(),
          /server long is described with more than 4,000 characters/,
        );
      },
      { confirmServer },
    );
    assert.equal(asked.length, 1);
    assert.equal(asked[0]?.what, String.raw`npx 'a\u{d}\u{a}b' '   '`);
    assert.deepEqual(asked[0].details, [
      String.raw`A=1\u{a}\u{a}It runs in the sandbox.\u{2028}`,
      String.raw`B=\u{202e}cod.exe\u{a0}\u{3164}\u{200b}`,
    ]);
  });

  it("that were allowed inside the sandbox are asked about again before they start without it", async () => {
    let on = true;
    const asked: boolean[] = [];
    const confirmServer = ({ confined }: ServerQuestion) => Promise.resolve(asked.push(confined) > 0 && confined);
    const held = { kind: "on" } as const;
    const off = { kind: "off", why: "", advice: "" } as const;
    const walls: Partial<Sandbox> = {
      state: () => Promise.resolve(on ? held : off),
      wrap: (launch) => Promise.resolve({ launch, close: () => undefined }),
    };
    await withServers(
      {},
      async (rig) => {
        await writeServers(rig, { things });
        assert.notDeepEqual(await rig.tools(), []);
        on = false;
        const server = await rig.servers.find("things");
        await server?.restart();
        assert.deepEqual(server?.state(), {
          kind: "failed",
          why: "there is no sandbox any more, and it was not allowed without one",
        });
      },
      { confirmServer, walls },
    );
    assert.deepEqual(asked, [true, false]);
  });

  it("are none where the file is a link to what never ends", async function () {
    if (process.platform === "win32") this.skip();
    await withServers({}, async (rig) => {
      await mkdir(path.join(rig.root, ".brain"));
      await symlink("/dev/zero", path.join(rig.root, ".brain", "mcp.json"));
      assert.match(
        (await rig.servers.tools()).notices.join(),
        /^\.brain\/mcp\.json: MCP servers are written as a group/,
      );
    });
  });

  it("run once they are allowed, and a person's own of the same name counts before them", async () => {
    const asked: string[] = [];
    const confirmServer = ({ name }: ServerQuestion) => Promise.resolve(asked.push(name) > 0);
    await withServers(
      { mine: { ...things, disabled: true } },
      async (rig) => {
        await writeServers(rig, { things, mine: raw({}) });
        const tools = await rig.tools();
        assert.equal((await callTool(tools, "mcp__things__echo", { text: "a" })).content, "You said a.");
        assert.ok(tools.every(({ name }) => name.startsWith("mcp__things__")));
        await rig.tools();
        assert.deepEqual(asked, ["things"]);
        await rig.servers.forget();
        await rig.tools();
        assert.deepEqual(asked, ["things", "things"]);
      },
      { confirmServer },
    );
  });

  it("are asked about anew when the file says something else", async () => {
    const asked: string[] = [];
    const confirmServer = ({ content }: ServerQuestion) => Promise.resolve(asked.push(content) > 0);
    await withServers(
      {},
      async (rig) => {
        await writeServers(rig, { things });
        await rig.tools();
        await writeServers(rig, { things: { ...things, env: { A: "1" } } });
        await rig.tools();
        assert.equal(asked.length, 2);
      },
      { confirmServer },
    );
  });

  it("are not even read while the folder is not trusted; nor are a person's own started", () =>
    withServers(
      { things },
      async (rig) => {
        await writeServers(rig, { things });
        assert.deepEqual(await rig.servers.tools(), { tools: [], notices: [] });
        assert.deepEqual(await rig.servers.list(), []);
      },
      { trusted: false, confirmServer: () => assert.fail("nobody is asked") },
    ));

  it("are not used where nobody is there to confirm them; a file that is no JSON is told", () =>
    withServers({}, async (rig) => {
      await writeServers(rig, { things });
      assert.match((await rig.servers.tools()).notices.join(), /was not allowed/);
      await writeFile(path.join(rig.root, ".brain", "mcp.json"), "{");
      assert.match(
        (await rig.servers.tools()).notices.join(),
        /^\.brain\/mcp\.json: MCP servers are written as a group/,
      );
    }));

  it("at an address get no variable that holds the key of somebody else", async () => {
    const served = await serveThings();
    process.env["OPENAI_API_KEY"] = "sk-test";
    try {
      const headers = { authorization: "Bearer ${env:OPENAI_API_KEY}" };
      await withServers(
        {},
        async (rig) => {
          await writeServers(rig, { far: { url: served.url, headers } });
          assert.match(
            (await rig.servers.tools()).notices.join(),
            /would send OPENAI_API_KEY to 127\.0\.0\.1:\d+, whose key it is not/,
          );
        },
        { confirmServer: () => Promise.resolve(true) },
      );
      assert.equal(served.seen.length, 0);
    } finally {
      delete process.env["OPENAI_API_KEY"];
      await served.close();
    }
  });

  it("run in the sandbox where there is one: they write in the workspace only", async function () {
    const walls = createSandbox({ mode: () => "auto" });
    const { kind } = await walls.state();
    await walls.dispose();
    if (kind === "off") this.skip();
    await withServers(
      {},
      async (rig) => {
        const script = `try { require("fs").writeFileSync(require("os").homedir() + "/brain-mcp-out", "x"); console.error("wrote"); } catch { console.error("held"); } process.exit(5);`;
        await writeServers(rig, { held: { command: process.execPath, args: ["-e", script] } });
        assert.match((await rig.servers.tools()).notices.join(), /it ended with code 5 \(it said last: held\)/);
      },
      { sandbox: () => "auto", confirmServer: () => Promise.resolve(true) },
    );
  });
});

describe("servers at an address", () => {
  it("that send requests on to another are not followed: headers stay", async () => {
    const other = await serveThings();
    const first = await listening((_request, response) => response.writeHead(307, { location: other.url }).end());
    try {
      await withServers({ moved: { url: first.url, headers: { authorization: "secret" } } }, async ({ servers }) => {
        const { notices } = await servers.tools();
        assert.match(notices.join(), /moved cannot be used: it sends requests on to http:\/\/127\.0\.0\.1:\d+/);
      });
      assert.equal(other.seen.length, 0);
    } finally {
      await Promise.all([first.close(), other.close()]);
    }
  });

  it("that refuse, are something else or are not there say so", async () => {
    const refusing = await listening((_request, response) => response.writeHead(401).end());
    const page = await listening((_request, response) => response.writeHead(404).end("<html>"));
    const gone = await listening(() => undefined);
    await gone.close();
    try {
      const servers = { refusing: { url: refusing.url }, page: { url: page.url }, gone: { url: gone.url } };
      await withServers(servers, async ({ servers }) => {
        const { notices } = await servers.tools();
        assert.match(notices[0] ?? "", /refusing cannot be used: it refuses the request \(401\): check its headers/);
        assert.match(notices[1] ?? "", /page cannot be used: its address does not speak Streamable HTTP \(404\)/);
        assert.match(notices[2] ?? "", /gone cannot be used: it cannot be reached/);
      });
    } finally {
      await Promise.all([refusing.close(), page.close()]);
    }
  });

  it("that send more than anybody can read are a failed call", async () => {
    const served = await serveThings();
    try {
      await withServers({ things: { url: served.url } }, async ({ tools }) => {
        const all = await tools();
        assert.match((await callTool(all, "mcp__things__flood")).content, /it sent more than 10 MB at once/);
        assert.equal((await callTool(all, "mcp__things__echo", { text: "a" })).status, "succeeded");
      });
    } finally {
      await served.close();
    }
  });
});

describe("what was allowed", () => {
  it("counts for exactly that content, over windows, until it is taken back; a refusal is not kept", async () => {
    let stored: unknown;
    let answer = false;
    let asked = 0;
    const memory = { get: () => stored, set: (digests: readonly string[]) => void (stored = digests) };
    const ask = () => Promise.resolve(asked++ >= 0 && answer);
    const about = { name: "a", file: "f", kind: "program", what: "x", details: [], variables: [] } as const;
    const question: ServerQuestion = { ...about, confined: true, content: "c" };
    const first = createServerAllowances(ask, memory);
    assert.equal(await first.confirm(question), false);
    answer = true;
    assert.equal(await first.confirm(question), true);
    const other = createServerAllowances(ask, memory);
    assert.equal(await other.confirm(question), true);
    assert.equal(asked, 2);
    assert.ok(!JSON.stringify(stored).includes('"c"'));
    await other.confirm({ ...question, content: "d" });
    assert.equal(asked, 3);
    await other.confirm({ ...question, confined: false });
    assert.equal(asked, 4);
    other.forget();
    await other.confirm(question);
    assert.equal(asked, 5);
  });
});
