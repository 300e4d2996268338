// Real servers, as programs and over HTTP: what their tools give, how they end, and that nothing of them stays.
import assert from "node:assert/strict";
import { callContext } from "../../support/kit.ts";
import { gone } from "../../support/alive.ts";
import { callTool, impatient, raw, serveThings, things, withServers } from "../../support/mcp.ts";

const names = (tools: readonly { readonly name: string }[]): string[] => tools.map(({ name }) => name);

describe("the tools of a server", () => {
  it("are offered under the server's name, told as it tells them, and ask", () =>
    withServers({ things }, async ({ tools }) => {
      const offered = await tools();
      const echo = offered.find(({ name }) => name === "mcp__things__echo");
      assert.equal(echo?.description, "Says it again.");
      assert.deepEqual(echo.parameters["required"], ["text"]);
      assert.ok(offered.every(({ effect }) => effect === "run"));
      assert.ok(!offered.some((tool) => "narrowed" in tool));
    }));

  it("run: text, structure, images, links and resources become what the model reads", () =>
    withServers({ things }, async ({ tools }) => {
      const all = await tools();
      assert.deepEqual(await callTool(all, "mcp__things__echo", { text: "hi" }), {
        status: "succeeded",
        content: "You said hi.",
      });
      assert.deepEqual(await callTool(all, "mcp__things__weigh", { kilos: 2 }), {
        status: "succeeded",
        content: '{"grams":2000}',
        value: { grams: 2000 },
      });
      const picture = await callTool(all, "mcp__things__picture");
      assert.equal(picture.parts?.[0]?.mediaType, "image/png");
      assert.match(picture.content, /Here:\n\[image · image\/png · \d+ bytes, shown\]\n\[plan · file:\/\/\/plan\.md/);
      assert.match(picture.content, /\[file:\/\/\/note\.txt\]\nA note\./);
      assert.deepEqual(await callTool(all, "mcp__things__refuse"), { status: "failed", content: "No such thing." });
    }));

  it("check arguments by the server's own schema, before anything is sent", () =>
    withServers({ things }, async ({ tools }) => {
      const { status, content } = await callTool(await tools(), "mcp__things__echo", { text: 4 });
      assert.equal(status, "failed");
      assert.match(content, /^The arguments of mcp__things__echo are wrong\.\ntext: /);
    }));

  it("show their arguments and, as no more than its word, that a server says that one only reads", () =>
    withServers({ things }, async ({ tools }) => {
      const echo = (await tools()).find(({ name }) => name === "mcp__things__echo");
      const ready = await echo?.prepare({ text: "hi" }, new AbortController().signal, "c1");
      assert.ok(ready?.kind === "prepared" && ready.preview?.kind === "text");
      assert.match(ready.preview.text, /"text": "hi"[^]*The server says that this only reads/);
      assert.deepEqual(ready.label, { verb: "Call", subject: "things: echo" });
    }));

  it("tell their progress, and stop when the call is stopped", () =>
    withServers({ things }, async ({ tools }) => {
      const stop = new AbortController();
      const steps: string[] = [];
      const context = callContext(stop.signal, (chunk) => {
        steps.push(chunk);
        stop.abort("stopped");
      });
      const { status } = await callTool(await tools(), "mcp__things__wait", {}, context);
      assert.equal(status, "failed");
      assert.deepEqual(steps, ["Begun\n"]);
      // The server is still there for the next one.
      assert.equal((await callTool(await tools(), "mcp__things__echo", { text: "a" })).status, "succeeded");
    }));

  it("are those that the settings allow", () =>
    withServers({ things: { ...things, allowedTools: ["echo"] } }, async ({ tools }) => {
      assert.deepEqual(names(await tools()), ["mcp__things__echo"]);
    }));

  it("are listed anew once the server says that they have changed, however often it says so", () =>
    withServers({ things }, async ({ tools }) => {
      assert.ok(!names(await tools()).includes("mcp__things__grown"));
      await callTool(await tools(), "mcp__things__grow");
      assert.ok(names(await tools()).includes("mcp__things__grown"));
      assert.equal((await callTool(await tools(), "mcp__things__grown")).content, "New.");
    }));

  it("are there over Streamable HTTP, with the headers of the settings", async () => {
    const served = await serveThings();
    try {
      const server = { url: served.url, headers: { "x-team": "${env:HOME}" } };
      await withServers({ things: server }, async ({ tools }) => {
        assert.equal((await callTool(await tools(), "mcp__things__echo", { text: "far" })).content, "You said far.");
      });
      assert.ok(served.seen.every((headers) => headers["x-team"] === process.env["HOME"]));
    } finally {
      await served.close();
    }
  });
});

describe("a program that serves", () => {
  it("gets no secret of the environment but those that its settings name", async () => {
    process.env["SOME_TEST_TOKEN"] = "value";
    try {
      const env = { GIVEN: "${env:SOME_TEST_TOKEN}" };
      await withServers({ things: { ...things, env } }, async ({ tools }) => {
        const { content } = await callTool(await tools(), "mcp__things__environment");
        assert.ok(content.includes("GIVEN") && content.includes("PATH"));
        assert.ok(!content.includes("SOME_TEST_TOKEN"));
      });
    } finally {
      delete process.env["SOME_TEST_TOKEN"];
    }
  });

  it("leaves no process behind, nor what it has started itself", async () => {
    let pid = 0;
    await withServers({ things }, async ({ tools }) => {
      pid = Number((await callTool(await tools(), "mcp__things__child")).content);
    });
    assert.ok(pid > 0);
    await gone(pid);
  });

  it("that dies in the middle of a call is told of, and started again at the next", () =>
    withServers({ things }, async ({ tools }) => {
      const all = await tools();
      const died = await callTool(all, "mcp__things__die");
      assert.equal(died.status, "failed");
      assert.match(died.content, /^The MCP server things was lost while the tool ran: it ended with code 3\./);
      assert.equal((await callTool(all, "mcp__things__echo", { text: "again" })).content, "You said again.");
    }));

  it("that sends more than anybody can read is ended, and started again at the next call", () =>
    withServers({ things }, async ({ tools }) => {
      const all = await tools();
      const flooded = await callTool(all, "mcp__things__flood");
      assert.match(flooded.content, /was lost while the tool ran: it sent more than 10 MB at once/);
      assert.equal((await callTool(all, "mcp__things__echo", { text: "dry" })).status, "succeeded");
    }));

  it("that does not know the newest greeting is greeted in the older way, also when it ends at it", () =>
    withServers(
      {
        older: raw({ answers: { "tools/list": { tools: [] } } }),
        touchy: raw({ answers: { "tools/list": { tools: [] } }, dies: ["server/discover"] }),
      },
      async ({ servers }) => {
        assert.deepEqual(await servers.tools(), { tools: [], notices: [] });
        assert.deepEqual(
          (await servers.list()).map(({ state }) => state.kind),
          ["ready", "ready"],
        );
      },
    ));

  it("that cannot be started, dies at once or answers nonsense is a sentence, and the others are there", () =>
    withServers(
      {
        missing: { command: "no-such-program-anywhere" },
        dying: raw({ dies: ["server/discover", "initialize"] }),
        strange: raw({ answers: { "tools/list": { tools: "none" } } }),
        things,
        noisy: raw({ prints: "Welcome!\n{}\n[1]\n", answers: { "tools/list": { tools: [] } } }),
        unset: { ...things, env: { A: "${env:NO_SUCH_VARIABLE_ANYWHERE}" } },
      },
      async ({ servers, lines }) => {
        const { tools, notices } = await servers.tools();
        assert.ok(names(tools).includes("mcp__things__echo"));
        assert.equal(notices.length, 4, notices.join("\n"));
        assert.match(
          notices[0] ?? "",
          /server missing cannot be used: “no-such-program-anywhere” cannot be started \(ENOENT\)/,
        );
        assert.match(notices[1] ?? "", /server dying cannot be used: it ended with code 4/);
        assert.match(notices[2] ?? "", /server strange cannot be used: /);
        assert.match(
          notices[3] ?? "",
          /server unset cannot be used: it needs the environment variable NO_SUCH_VARIABLE_ANYWHERE/,
        );
        assert.ok(lines.includes("MCP server noisy says: Welcome!"));
        assert.deepEqual((await servers.tools()).notices, [], "the same is not told twice");
      },
    ));

  it("that never answers does not hold up a run for good, and is ended with the rest", () =>
    withServers(
      { mute: raw({ silent: ["server/discover", "initialize"] }), things },
      async ({ servers }) => {
        await (await servers.find("things"))?.ready();
        const { tools, notices } = await servers.tools();
        assert.ok(names(tools).includes("mcp__things__echo"));
        assert.match(notices[0] ?? "", /^The MCP server mute is not ready yet: this run goes on without its tools\./);
      },
      { clock: impatient },
    ));
});

describe("tools that a server describes strangely", () => {
  const object = { type: "object" };
  const listing = (tools: readonly object[]) => raw({ answers: { "tools/list": { tools } } });

  it("get names that every endpoint takes, each its own", () =>
    withServers(
      {
        odd: listing(
          ["über/all.things", "über/all;things", "x".repeat(200), "fine", "fine", "run_command"].map((name) => ({
            name,
            inputSchema: object,
          })),
        ),
      },
      async ({ servers }) => {
        const { tools, notices } = await servers.tools();
        for (const { name } of tools) assert.match(name, /^mcp__odd__[\w-]{1,54}$/);
        assert.equal(new Set(names(tools)).size, 5);
        assert.match(notices.join(), /“fine”, because there is another of that name/);
      },
    ));

  it("are left out when their parameters are none, and the person is told", () =>
    withServers(
      {
        odd: listing([
          { name: "typed", inputSchema: { ...object, properties: { a: { type: "text" } } } },
          { name: "lost", inputSchema: { ...object, properties: { a: { $ref: "#/$defs/nowhere" } } } },
          { name: "far", inputSchema: { ...object, properties: { a: { $ref: "https://example.org/s.json" } } } },
          { name: "long", inputSchema: { ...object, description: "x".repeat(30_000) } },
          { name: "good", inputSchema: { ...object, properties: { type: { enum: ["text"] } } } },
        ]),
      },
      async ({ servers }) => {
        const { tools, notices } = await servers.tools();
        assert.deepEqual(names(tools), ["mcp__odd__good"]);
        assert.equal(notices.length, 4, notices.join("\n"));
      },
    ));

  it("are so many as endpoints take; settings can name those that count", () =>
    withServers(
      { many: listing(Array.from({ length: 300 }, (_, n) => ({ name: `t${n}`, inputSchema: object }))) },
      async ({ servers }) => {
        const { tools, notices } = await servers.tools();
        assert.equal(tools.length, 128);
        assert.match(notices.join(), /172 more, because 128 are the most/);
      },
    ));

  it("may end each page with another one: the pages have an end", () =>
    withServers(
      { endless: raw({ answers: { "tools/list": { tools: [], nextCursor: "more" } } }) },
      async ({ servers }) => {
        assert.deepEqual(await servers.tools(), { tools: [], notices: [] });
      },
    ));

  it("whose answer is not as they declare it is read, with the problem", () =>
    withServers(
      {
        odd: raw({
          answers: {
            "tools/list": {
              tools: [
                {
                  name: "weigh",
                  inputSchema: object,
                  outputSchema: { ...object, properties: { grams: { type: "number" } } },
                },
              ],
            },
            "tools/call": { content: [{ type: "text", text: "2 kg" }], structuredContent: { grams: "2000" } },
          },
        }),
      },
      async ({ tools }) => {
        const { status, content } = await callTool(await tools(), "mcp__odd__weigh");
        assert.equal(status, "succeeded");
        assert.match(content, /^2 kg\n\[Its structured part is not as the tool declares it: grams: /);
      },
    ));
});
