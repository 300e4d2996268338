// The command line as a process: a real project, a loopback endpoint, JSON lines, and every bad input with its sentence.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { LoopEvent } from "../../src/protocol/events.ts";
import { Entry } from "../../src/protocol/messages.ts";
import { goneWith } from "../support/alive.ts";
import { chatReply, httpError } from "../support/chatWire.ts";
import { startSse, type Script, type SseServer } from "../support/sse.ts";

const root = path.resolve(import.meta.dirname, "../..");

interface Ran {
  readonly code: number | null;
  readonly stderr: string;
  readonly lines: readonly Record<string, unknown>[];
}

/** Runs the command; `stopAfter` sends SIGINT when a line of that type has come. */
function brain(args: readonly string[], env: Record<string, string> = {}, stopAfter?: string): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path.join(root, "src/cli.ts"), ...args], {
      env: { ...process.env, ...env },
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      stdout += part;
      if (stopAfter !== undefined && part.includes(`"type":"${stopAfter}"`)) child.kill("SIGINT");
    });
    child.stderr.setEncoding("utf8").on("data", (part: string) => {
      stderr += part;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      const lines = stdout
        .split("\n")
        .filter((line) => line !== "")
        .map((line): Record<string, unknown> => JSON.parse(line));
      resolve({ code, stderr, lines });
    });
  });
}

describe("brain", () => {
  let folder = "";
  let servers: SseServer[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "brain-cli-"));
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
    await rm(folder, { recursive: true, force: true });
  });
  const endpoint = async (...scripts: readonly Script[]): Promise<string[]> => {
    const server = await startSse(...scripts);
    servers = [...servers, server];
    return ["--provider", "openai-chat", "--base-url", server.baseUrl, "--model", "test"];
  };
  const run = (message: string, ...more: readonly string[]): string[] => [
    "run",
    "--workspace",
    folder,
    "--message",
    message,
    ...more,
  ];
  const outcomeOf = ({ lines }: Ran): Record<string, unknown> => lines.at(-1) ?? {};

  it("writes how long each part took where --trace says, with what was said only when that is asked for", async () => {
    const scripts = [chatReply(1, { calls: [["list_files", {}]] }), chatReply(2, { text: "Quiet." })];
    const common = ["run", "--workspace", folder, "--message", "Look."];
    const file = path.join(folder, "run.tracy");
    assert.equal((await brain([...common, ...(await endpoint(...scripts)), "--trace", file])).code, 0);
    const text = await readFile(file, "utf8");
    const { trace } = JSON.parse(text);
    assert.deepEqual(
      trace.__frames.map(({ name }: { name: string }) => name),
      ["chat test", "execute_tool list_files", "chat test"],
    );
    assert.doesNotMatch(text, /Quiet|Look\./);
    const lines = path.join(folder, "run.jsonl");
    await brain([...common, ...(await endpoint(...scripts)), "--trace", lines, "--trace-contents"]);
    assert.match(await readFile(lines, "utf8"), /Quiet\./);
  });

  it("run --rules: what they allow runs although nobody is there, and a file of other things is bad usage", async () => {
    const file = path.join(folder, "rules.json");
    await writeFile(file, JSON.stringify([{ decision: "allow", command: "node --version" }]));
    const commands = ["node --version", "node --version; rm -rf x"];
    const args = await endpoint(
      chatReply(1, { calls: commands.map((command) => ["run_command", { command }] as const) }),
      chatReply(2, { text: "Done." }),
    );
    const ran = await brain(run("Look.", "--rules", file, ...args));
    const ended = ran.lines.filter(({ type }) => type === "tool:end").map(({ status }) => status);
    assert.deepEqual(ended, ["succeeded", "rejected"]);
    await writeFile(file, '[{ "decision": "perhaps" }]');
    const wrong = await brain(run("Look.", "--rules", file, ...args));
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /holds no rules: 0\.decision/);
  });

  it("run --mcp: the servers of the file are there for its agents, and a file of other things is bad usage", async () => {
    const file = path.join(folder, "servers.json");
    const things = { command: process.execPath, args: [path.join(root, "test/support/mcpServer.ts")] };
    await writeFile(file, JSON.stringify({ mcpServers: { things } }));
    await mkdir(path.join(folder, ".brain/agents"), { recursive: true });
    const prompty = "---\nname: lead\ntools:\n  - {name: t, kind: mcp, serverName: things}\n---\nYou lead.\n";
    await writeFile(path.join(folder, ".brain/agents/lead.prompty"), prompty);
    const args = await endpoint(
      chatReply(1, { calls: [["mcp__things__echo", { text: "a" }]] }),
      chatReply(2, { text: "Done." }),
    );
    const ran = await brain(run("Go.", "--mcp", file, "--agent", "lead", "--approve", "all", ...args));
    assert.equal(ran.code, 0, ran.stderr);
    const ended = ran.lines.filter(({ type }) => type === "tool:end").map(({ status }) => status);
    assert.deepEqual(ended, ["succeeded"]);
    await writeFile(file, '{"mcpServers": {"things": {"url": "here"}}}');
    const wrong = await brain(run("Go.", "--mcp", file, ...args));
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /^No MCP servers from .*: The MCP server things is written wrong at url/);
  });

  it("run: on a package nobody here wrote, reads, edits a file and runs a command, each event a JSON line", async () => {
    const source = path.join(root, "node_modules/p-limit");
    for (const name of ["index.js", "package.json"]) await cp(path.join(source, name), path.join(folder, name));
    await writeFile(
      path.join(folder, "check.mjs"),
      'import { readFileSync } from "node:fs";\nconsole.log(readFileSync("index.js", "utf8").split("\\n")[0]);\n',
    );
    const first = (await readFile(path.join(folder, "index.js"), "utf8")).split("\n", 1)[0] ?? "";
    const args = await endpoint(
      chatReply(1, {
        text: "Reading.",
        calls: [
          ["read_file", { path: "index.js", limit: 3 }],
          ["list_files", {}],
        ],
      }),
      chatReply(2, {
        calls: [
          ["edit_file", { path: "index.js", edits: [{ old_text: first, new_text: `// Changed.\n${first}` }] }],
          ["run_command", { command: "node check.mjs" }],
        ],
      }),
      chatReply(3, { text: "Done." }),
    );
    const ran = await brain(run("Mark the first line.", "--approve", "all", ...args), { BRAIN_API_KEY: "sk-test" });
    assert.equal(ran.code, 0, ran.stderr);
    for (const line of ran.lines.slice(0, -1)) LoopEvent.parse(line);
    assert.equal(outcomeOf(ran)["type"], "outcome");
    assert.equal(outcomeOf(ran)["status"], "completed");
    assert.equal(outcomeOf(ran)["output"], "Done.");
    const ends = ran.lines.filter((line) => line["type"] === "tool:end");
    assert.deepEqual(
      ends.map((line) => line["status"]),
      ["succeeded", "succeeded", "succeeded", "succeeded"],
    );
    assert.match(String(ends.at(-1)?.["result"]), /^\/\/ Changed\.\s+exit code 0$/);
    assert.ok((await readFile(path.join(folder, "index.js"), "utf8")).startsWith(`// Changed.\n${first}\n`));
    const [server] = servers;
    assert.equal(server?.asked[0]?.headers.authorization, "Bearer sk-test");
    const [session] = await readdir(path.join(folder, ".brain/sessions"));
    const transcript = await readFile(path.join(folder, ".brain/sessions", session ?? "", "transcript.jsonl"), "utf8");
    const entries = transcript
      .trimEnd()
      .split("\n")
      .map((line) => Entry.parse(JSON.parse(line)));
    assert.deepEqual(
      entries.map((entry) => ("role" in entry ? entry.role : entry.type)),
      ["user", "assistant", "tool", "tool", "assistant", "tool", "tool", "assistant", "run_end"],
    );
    const listed = await brain(["sessions", "--workspace", folder]);
    assert.deepEqual(
      listed.lines.map((line) => [line["id"], line["title"]]),
      [[session, "Mark the first line."]],
    );
  });

  it("run: goes on in a session with what was said before", async () => {
    const args = await endpoint(chatReply(1, { text: "Hello Ada." }), chatReply(2, { text: "Ada." }));
    const first = await brain(run("I am Ada.", ...args));
    const second = await brain(run("Who am I?", "--session", String(outcomeOf(first)["sessionId"]), ...args));
    assert.equal(second.code, 0, second.stderr);
    const body: { messages: { role: string; content: string }[] } = JSON.parse(servers[0]?.asked[1]?.body ?? "");
    assert.deepEqual(
      body.messages.slice(1).map(({ role, content }) => [role, content]),
      [
        ["user", "I am Ada."],
        ["assistant", "Hello Ada."],
        ["user", "Who am I?"],
      ],
    );
  });

  it("run --attach, --effort, --record: the model is shown the file, and its answers can be had again without it", async () => {
    await writeFile(path.join(folder, "a.png"), "png");
    const record = path.join(folder, "record.jsonl");
    const args = await endpoint(chatReply(1, { text: "A cat." }));
    const shown = ["--attach", path.join(folder, "a.png"), "--effort", "high", "--record", record];
    const first = await brain(run("What is it?", ...args, ...shown), { BRAIN_API_KEY: "sk-secret" });
    assert.equal(first.code, 0, first.stderr);
    const body: Record<string, unknown> = JSON.parse(servers[0]?.asked[0]?.body ?? "");
    assert.equal(body["reasoning_effort"], "high");
    assert.match(JSON.stringify(body["messages"]), /data:image\/png;base64,cG5n/);
    assert.doesNotMatch(await readFile(record, "utf8"), /sk-secret/);
    await Promise.all(servers.splice(0).map((server) => server.close()));
    const again = await brain(run("What is it?", "--answers", record));
    assert.equal(outcomeOf(again)["output"], "A cat.");
  });

  it("run: one reply reads, combines and writes, with no further round trip (C-05, LOOP-DEP-1)", async () => {
    await writeFile(path.join(folder, "a.txt"), "from a\n");
    const args = await endpoint(
      chatReply(1, {
        calls: [
          ["read_file", { path: "a.txt", _outputPath: "†state.a" }],
          ["write_file", { path: "b.txt", content: "†state.a" }],
          ["run_command", { command: "cat b.txt" }],
        ],
      }),
      chatReply(2, { text: "Copied." }),
    );
    const ran = await brain(run("Copy a to b.", "--approve", "all", ...args));
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(await readFile(path.join(folder, "b.txt"), "utf8"), "from a\n");
    assert.equal(servers[0]?.asked.length, 2);
    const last = ran.lines.findLast((line) => line["type"] === "tool:end");
    assert.match(String(last?.["result"]), /^from a\s+exit code 0$/);
  });

  it("run: without approval nothing is changed, and the model is told why", async () => {
    const write = chatReply(1, {
      calls: [
        ["write_file", { path: "x.txt", content: "x" }],
        ["run_command", { command: "rm -f y" }],
      ],
    });
    const args = await endpoint(write, chatReply(2, { text: "I could not." }));
    const ran = await brain(run("Write.", ...args));
    assert.equal(ran.code, 0, ran.stderr);
    assert.deepEqual(
      (await readdir(folder)).toSorted((a, b) => a.localeCompare(b)),
      [".brain"],
    );
    assert.deepEqual(
      ran.lines.filter((line) => line["type"] === "tool:end").map((line) => line["status"]),
      ["rejected", "rejected"],
    );
    assert.match(servers[0]?.asked[1]?.body ?? "", /Rejected by policy: Nobody is here/);
  });

  it("run: SIGINT ends it with 130, the command's processes too, and the transcript is whole", async () => {
    const unlike = `60.${process.pid}`;
    const args = await endpoint(
      chatReply(1, {
        calls: [["run_command", { command: `sleep ${unlike} & echo up; wait`, timeout_ms: 60_000 }]],
      }),
    );
    const started = Date.now();
    const ran = await brain(run("Sleep.", "--approve", "all", ...args), {}, "tool:output");
    assert.equal(ran.code, 130, ran.stderr);
    assert.ok(Date.now() - started < 45_000);
    assert.equal(outcomeOf(ran)["status"], "aborted");
    await goneWith(`sleep ${unlike}`);
    const [session] = await readdir(path.join(folder, ".brain/sessions"));
    const transcript = await readFile(path.join(folder, ".brain/sessions", session ?? "", "transcript.jsonl"), "utf8");
    const entries = transcript
      .trimEnd()
      .split("\n")
      .map((line) => Entry.parse(JSON.parse(line)));
    assert.deepEqual(
      entries.map((entry) => entry["status"]),
      [undefined, undefined, "cancelled", "aborted"],
    );
  });

  const failures: readonly (readonly [string, () => Promise<string[]>, RegExp, number])[] = [
    ["an empty message", async () => run(" ", ...(await endpoint())), /The message is empty\. Type what/, 1],
    [
      "an over-long message",
      async () => run("x".repeat(100_001), ...(await endpoint())),
      /too long: 100,001 characters.*Shorten/,
      1,
    ],
    [
      "a missing agent",
      async () => run("x", "--agent", "nobody", ...(await endpoint())),
      /nobody.*Pick another agent/s,
      1,
    ],
    [
      "a missing session",
      async () => run("x", "--session", "0b0c7c7e-0000-4000-8000-000000000000", ...(await endpoint())),
      /session.*Pick another session/s,
      1,
    ],
    [
      "a wrong key",
      async () => run("x", ...(await endpoint(httpError(401, "Incorrect API key provided: sk-abc")))),
      /key.*Set a key that this endpoint accepts/s,
      1,
    ],
    [
      "an unknown model",
      async () => run("x", ...(await endpoint(httpError(404, "The model does not exist")))),
      /Choose a model that this endpoint has/,
      1,
    ],
    [
      "a reply that is a web page",
      async () =>
        run("x", ...(await endpoint({ headers: { "content-type": "text/html" }, parts: ["<html>hi</html>"] }))),
      /check that the endpoint speaks this API|Check the address/,
      1,
    ],
    [
      "no model name",
      async () => run("x", "--provider", "openai-chat", "--base-url", "http://127.0.0.1:9/v1"),
      /model/i,
      1,
    ],
    [
      "an address that is none",
      async () => run("x", "--provider", "openai-chat", "--base-url", "nonsense", "--model", "m"),
      /nonsense.*Correct the setting/s,
      1,
    ],
    ["no message", () => Promise.resolve(["run", "--workspace", folder]), /--message is missing/, 2],
    [
      "no such folder",
      () => Promise.resolve(["run", "--workspace", "/nowhere/at/all", "--message", "x"]),
      /There is no folder/,
      2,
    ],
    ["an unknown option", () => Promise.resolve(run("x", "--fly")), /--fly.*brain --help/s, 2],
    [
      "an unknown provider",
      () => Promise.resolve(run("x", "--provider", "magic")),
      /must be one of demo, openai-chat/,
      2,
    ],
    [
      "a file that no model takes",
      () => Promise.resolve(run("x", "--attach", "a.zip")),
      /a\.zip cannot be attached/,
      2,
    ],
    ["an unknown effort", () => Promise.resolve(run("x", "--effort", "huge")), /must be one of default, none, low/, 2],
    ["answers that are none", () => Promise.resolve(run("x", "--answers", "/nowhere")), /nowhere/, 2],
    ["an unknown command", () => Promise.resolve(["fly"]), /no command “fly”/, 2],
  ];
  for (const [what, args, sentence, code] of failures) {
    it(`says what to do about ${what}`, async () => {
      const ran = await brain(await args(), { BRAIN_API_KEY: "sk-wrong" });
      assert.equal(ran.code, code, ran.stderr);
      assert.match(ran.stderr, sentence);
      assert.doesNotMatch(ran.stderr, /\n\s+at /, "a stack trace is no sentence");
    });
  }

  it("says each problem of a broken AGENT.md with its line", async () => {
    await mkdir(path.join(folder, ".brain/agents/odd"), { recursive: true });
    await writeFile(path.join(folder, ".brain/agents/odd/AGENT.md"), "---\nid: Not An Id\ntools: 7\n---\nHi.\n");
    const ran = await brain(run("x", "--agent", "odd"));
    assert.equal(ran.code, 1);
    const error = ran.lines.find((line) => line["type"] === "loop:error")?.["error"];
    const details = JSON.stringify(error);
    for (const place of ["AGENT.md:2", "AGENT.md:3", "name"]) assert.ok(details.includes(place), details);
    assert.match(ran.stderr, /Correct the lines named here.*AGENT\.md:2.*AGENT\.md:3/s);
  });

  it("BRAIN-PERS-4, BRAIN-PERS-8: a disk that fills up in the middle: no file is half written, the lock is gone, and it is said", async function () {
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", folder]).status === 0;
    // Only root may make a small disk.
    if (!mounted) this.skip();
    try {
      await cp(path.join(root, "test/example"), folder, { recursive: true });
      const before = await readFile(path.join(folder, "src/cart.js"), "utf8");
      const { bavail, bsize } = await statfs(folder);
      await writeFile(path.join(folder, "fill"), Buffer.alloc(bavail * bsize - 16_384));
      const ran = await brain(run("Fix the failing test", "--approve", "all"));
      assert.equal(ran.code, 0, ran.stderr);
      const ends = ran.lines.filter((line) => line["toolName"] === "edit_file" && line["type"] === "tool:end");
      assert.deepEqual(
        ends.map((line) => line["status"]),
        ["failed"],
      );
      assert.match(String(ends[0]?.["result"]), /disk is full/);
      const notices = ran.lines.flatMap((line) => (line["type"] === "loop:notice" ? String(line["message"]) : []));
      assert.equal(notices.filter((words) => /disk is full.*Free some space/.test(words)).length, 1);
      // And for each call that would change something, that it cannot be undone.
      for (const words of notices) assert.match(words, /Free some space|undone.*disk is full/);
      assert.equal(await readFile(path.join(folder, "src/cart.js"), "utf8"), before);
      const [session] = await readdir(path.join(folder, ".brain/sessions"));
      const left = await readdir(path.join(folder, ".brain/sessions", session ?? ""), { recursive: true });
      assert.deepEqual(
        left.filter((name) => !/^snapshots(?:.blobs)?$/.test(name)),
        ["transcript.jsonl"],
      );
      // With room again, the session goes on.
      await rm(path.join(folder, "fill"));
      const again = await brain(run("Hello", "--session", session ?? ""));
      assert.equal(again.code, 0, again.stderr);
    } finally {
      spawnSync("umount", [folder]);
    }
  });

  it("an endpoint that nobody serves is tried again, then said", async function () {
    this.timeout(60_000);
    const ran = await brain(
      run("x", "--provider", "openai-chat", "--base-url", "http://127.0.0.1:9/v1", "--model", "m"),
    );
    assert.equal(ran.code, 1);
    assert.match(ran.stderr, /127\.0\.0\.1:9.*Check the address/s);
    assert.equal(ran.lines.filter((line) => line["type"] === "model:retry").length, 3);
  });
});
