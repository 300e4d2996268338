// Whole conversations with the demo over its real wire: its words must follow the results it is given, whatever they are.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { compactSession } from "../../../src/engine/compactSession.ts";
import { loopDefaults } from "../../../src/protocol/config.ts";
import type { Message, ToolCall } from "../../../src/protocol/messages.ts";
import { startDemo, type Demo } from "../../../src/providers/demo/server.ts";
import { tempDir } from "../../support/example.ts";
import { kit, tool as engineTool } from "../../support/kit.ts";
import { cleanEnv, root } from "../../support/run.ts";
import { assistant, chatAt, collect, realClock, summary, tool, toolNamed, user } from "./chat.ts";

const example = path.join(root, "test/example");
const allTools = ["read_file", "list_files", "search_text", "edit_file", "write_file", "run_command", "update_memory"];
const readTools = ["read_file", "list_files", "search_text"];

const EditParams = z.object({
  path: z.string(),
  edits: z.array(z.object({ old_text: z.string(), new_text: z.string() })),
});

type Results = Readonly<Record<string, (params: Record<string, unknown>) => string | Promise<string>>>;

interface Talk {
  /** Names of the calls of each reply. */
  readonly rounds: readonly (readonly string[])[];
  readonly calls: readonly ToolCall[];
  /** What was said along with calls. */
  readonly interim: string;
  readonly answer: string;
  readonly messages: readonly Message[];
}

describe("the demo", () => {
  let demo: Demo;
  before(async () => {
    demo = await startDemo({ pace: 0 });
  });
  after(() => demo.close());

  /** Talks until the demo makes no more calls. */
  async function talk(
    task: string,
    results: Results,
    options: { tools?: readonly string[]; earlier?: readonly Message[] } = {},
  ): Promise<Talk> {
    const { tools = allTools, earlier = [] } = options;
    const messages: Message[] = [...earlier, user(task)];
    const calls: ToolCall[] = [];
    const rounds: string[][] = [];
    let interim = "";
    for (let round = 0; round < 6; round += 1) {
      const events = await collect(chatAt(demo.baseUrl), {
        system: "You are Brain.",
        messages,
        tools: tools.map(toolNamed),
      });
      const { text, end } = summary(events);
      const made = events.flatMap((event) => (event.type === "call" ? [event.call] : []));
      assert.deepEqual(end, { type: "finish", reason: made.length > 0 ? "calls" : "stop" });
      messages.push(assistant(text, made));
      if (made.length === 0) {
        assert.match(text, /\*Scripted demo[^\n]*\*$/, "every answer ends by saying what it is");
        return { rounds, calls, interim, answer: text, messages };
      }
      interim += text;
      rounds.push(made.map(({ name }) => name));
      for (const call of made) {
        assert.ok(tools.includes(call.name), `${call.name} was not offered`);
        const params = z.record(z.string(), z.unknown()).parse(JSON.parse(call.arguments));
        messages.push(tool(call.id, (await results[call.name]?.(params)) ?? `There is no tool named ${call.name}.`));
      }
      calls.push(...made);
    }
    throw new Error("The demo did not come to an end.");
  }

  const shop = (dir = example): Results => ({
    read_file: async ({ path: name }) => {
      const text = await readFile(path.join(dir, String(name)), "utf8");
      return `${String(name)} · lines 1–9 of 9 · hash abc\n\n${text}`;
    },
  });
  const changed =
    "Changed src/cart.js · hash def\n\n--- a/src/cart.js\n+++ b/src/cart.js\n@@ -12,7 +12,7 @@\n \n-  return old;\n+  return new;\n }\n";
  const passing = "✔ one (1ms)\nℹ tests 4\nℹ pass 4\nℹ fail 0\n\nexit code 0";
  const failing =
    "✖ takes the voucher off the price (1.6ms)\nℹ tests 4\nℹ pass 3\nℹ fail 1\n\n✖ failing tests:\n\n  AssertionError: Expected\n\n  -18000 !== 1800\n\nexit code 1";
  const fix = (edit: string, run: string, tools = allTools): Promise<Talk> =>
    talk("Fix the failing test", { ...shop(), edit_file: () => edit, run_command: () => run }, { tools });

  it("reads three files, then edits and tests in one reply, then reports what was written and counted", async () => {
    const { rounds, calls, interim, answer } = await fix(changed, passing);
    assert.deepEqual(rounds, [
      ["read_file", "read_file", "read_file"],
      ["edit_file", "run_command"],
    ]);
    assert.match(interim, /per cent.*fraction/s);
    for (const call of calls.slice(3)) assert.match(call.arguments, /"_reasoningForCall":"[^"]{5,80}"/);
    assert.match(answer, /Fixed: the tests pass/);
    assert.match(answer, /\| 4 \| 0 \|/);
    assert.match(answer, /```diff\n- return old;\n\+ return new;\n```/);
  });

  it("says that a test still fails, shows its line, and stops", async () => {
    const { answer, rounds } = await fix(changed, failing);
    assert.equal(rounds.length, 2);
    assert.match(answer, /Not fixed yet/);
    assert.match(answer, /✖ takes the voucher off the price\n {2}-18000 !== 1800/);
    assert.doesNotMatch(answer, /tests pass/);
  });

  it("names the reason of a rejection, claims nothing, and asks what to do instead", async () => {
    const { answer } = await fix("Rejected by the person: use a constant", failing);
    assert.match(answer, /Nothing is fixed/);
    assert.match(answer, /rejected: “use a constant”/);
    assert.match(answer, /What should I do instead\?/);
    assert.match(answer, /-18000 !== 1800/);
    assert.doesNotMatch(answer, /written|Fixed:/);
    assert.match((await fix("Rejected by the person. It did not run.", failing)).answer, /rejected, without a reason/);
  });

  it("says what was really written after the person changed the edit", async () => {
    const { answer } = await fix(
      `Changed by the person before it ran. It ran with: {"path":"src/cart.js"}\n\n${changed}`,
      failing,
    );
    assert.match(answer, /Not fixed yet/);
    assert.match(answer, /You changed the edit before it ran/);
    assert.match(answer, /\+ return new;/);
  });

  it("tells what was written from what the person left out of it, and repeats what they said", async () => {
    const left =
      "The person decided what is written, and that is what stands above. This … was left out:\n\n-other;\n+ours;\n";
    const { answer } = await fix(`The person says of this: at line 9: leave it\n\n${changed}\n\n${left}`, failing);
    const [written = "", rest = ""] = answer.split("You left this of my proposal out");
    assert.match(written, /\+ return new;/);
    assert.doesNotMatch(written, /ours/);
    assert.match(rest, /\+ ours;/);
    assert.match(rest, /You said: “at line 9: leave it”/);
  });

  it("does not take a changed command for a test run", async () => {
    const { answer } = await fix(
      changed,
      'Changed by the person before it ran. It ran with: {"command":"ls"}\n\nREADME.md\n\nexit code 0',
    );
    assert.match(answer, /Whether it helps is not known/);
    assert.match(answer, /no test report/);
    assert.doesNotMatch(answer, /tests pass/);
  });

  for (const [what, edit, run, words] of [
    [
      "the edit was denied",
      "Denied: src/cart.js is outside the scope",
      failing,
      /Nothing is fixed.*was denied: src\/cart\.js is outside/s,
    ],
    [
      "the edit found nothing",
      "Nothing was changed in “src/cart.js”: no match",
      failing,
      /Nothing is fixed.*Nothing was changed/s,
    ],
    [
      "the edit's result is of an unknown form",
      "Okay then.",
      passing,
      /cannot tell whether the edit was made.*Okay then\./s,
    ],
    [
      "the edit was replaced",
      "Replaced by the person. Instead this ran: write_file {}\n\nCreated x · hash 1",
      passing,
      /cannot tell.*You replaced the edit/s,
    ],
    [
      "the run was rejected",
      changed,
      "Rejected by the person: not now",
      /The edit is made\. Whether.*rejected: “not now”.*Shall I run the tests/s,
    ],
    ["the run was stopped", changed, "Cancelled: the run was stopped.", /test run was stopped before it ran/],
    [
      "the run timed out",
      changed,
      "✔ one (1ms)\n\nended by SIGTERM after 30 s: that was the limit.",
      /no test report.*that was the limit/s,
    ],
    ["no test was run", changed, "ℹ tests 0\nℹ pass 0\nℹ fail 0\n\nexit code 0", /Whether it helps is not known/],
    [
      "the count is good and the exit code is not",
      changed,
      "ℹ pass 4\nℹ fail 0\n\nexit code 1",
      /Whether it helps is not known/,
    ],
    [
      "tests passed without the edit",
      "Rejected by the person. It did not run.",
      passing,
      /not made, and the tests pass all the same/,
    ],
    [
      "an older node reported",
      changed,
      "not ok 3 - takes the voucher off the price\n# pass 3\n# fail 1\n\nexit code 1",
      /Not fixed yet.*✖ takes the voucher off the price/s,
    ],
  ] as const)
    it(`tells the truth when ${what}`, async () => {
      const { answer } = await fix(edit, run);
      assert.match(answer, words);
      if (!/pass 4\b/.test(run)) assert.doesNotMatch(answer, /Fixed: the tests pass/);
    });

  it("makes a correct edit: the example fails before it and passes after it", async () => {
    const { dir, remove } = await tempDir("demo");
    try {
      await cp(example, dir, { recursive: true });
      const run = (): string => {
        const done = spawnSync(process.execPath, ["--test"], { cwd: dir, encoding: "utf8", env: cleanEnv() });
        return `${done.stdout}${done.stderr}\n\nexit code ${done.status}`;
      };
      const before = run();
      assert.match(before, /(ℹ|#) fail 1\n[^]*exit code 1$/);
      const edit = async (params: Record<string, unknown>, most: number): Promise<string> => {
        const { path: name, edits } = EditParams.parse(params);
        const file = path.join(dir, name);
        let text = await readFile(file, "utf8");
        for (const { old_text, new_text } of edits.slice(0, most)) {
          assert.equal(text.split(old_text).length, 2, "each old text is there once");
          text = text.replace(old_text, new_text);
        }
        await writeFile(file, text);
        return changed;
      };
      const half = await talk("fix the bug", {
        ...shop(dir),
        edit_file: (params) => edit(params, 1),
        run_command: run,
      });
      assert.match(half.answer, /Not fixed yet/, "one hunk alone is not enough");
      const rest = await talk("fix the bug", {
        ...shop(dir),
        edit_file: (params) => edit(params, 2),
        run_command: run,
      });
      assert.match(rest.answer, /Fixed: the tests pass/);
      assert.match(run(), /exit code 0$/);
      const again = await talk("Fix the failing test", shop(dir));
      assert.deepEqual(again.rounds.length, 1);
      assert.match(again.answer, /already fixed/);
      const agreed = await talk("yes", { run_command: run }, { earlier: again.messages });
      assert.match(agreed.answer, /All tests pass/);
    } finally {
      await remove();
    }
  });

  it("proposes an edit of two hunks in one file", async () => {
    const { calls } = await fix(changed, passing);
    const { path: name, edits } = EditParams.parse(JSON.parse(calls[3]?.arguments ?? ""));
    assert.equal(name, "src/cart.js");
    assert.equal(edits.length, 2);
    const lines = (await readFile(path.join(example, name), "utf8")).split("\n");
    const places = edits.map(({ old_text }) => lines.findIndex((line) => line.includes(old_text)));
    assert.ok(Math.abs((places[1] ?? 0) - (places[0] ?? 0)) > 6, "far enough apart for two hunks");
  });

  it("explains instead of editing where it may only read", async () => {
    const { rounds, answer } = await fix("", "", readTools);
    assert.deepEqual(rounds, [["read_file", "read_file", "read_file"]]);
    assert.match(answer, /may only read/);
    assert.match(answer, /\+ return afterDiscount\(subtotal\(cart\), percent \/ 100\);/);
  });

  it("edits without testing where it may not run commands", async () => {
    const { rounds, answer } = await fix(changed, "", ["read_file", "edit_file"]);
    assert.deepEqual(rounds[1], ["edit_file"]);
    assert.match(answer, /The edit is made\. Whether it helps is not known/);
  });

  it("answers in words where no tools are offered", async () => {
    for (const task of ["Fix the failing test", "Show me around", "Run the tests", "Remember that we test", "Hi"])
      assert.deepEqual((await talk(task, {}, { tools: [] })).rounds, []);
  });

  it("says on another workspace that it is a script for the example, and how to get a real model", async () => {
    const missing = ({ path: name }: Record<string, unknown>): string => `“${String(name)}” does not exist.`;
    const { rounds, answer } = await talk("Fix the failing test", { read_file: missing });
    assert.equal(rounds.length, 1);
    assert.match(answer, /not the workspace that I know/);
    assert.match(answer, /`src\/cart\.js`: “src\/cart\.js” does not exist\./);
    assert.match(answer, /brain\.provider/);
  });

  it("does not touch an example that was changed in ways it does not know", async () => {
    const own = "export function subtotal(cart) { return 1; }\nexport function afterDiscount() {}";
    const { rounds, answer } = await talk("Fix the failing test", { read_file: () => own });
    assert.equal(rounds.length, 1);
    assert.match(answer, /not as I know it/);
  });

  it("shows around with what was really listed and found", async () => {
    const { rounds, answer } = await talk("Show me around", {
      list_files: () => "lib/\nREADME.md\nlib/a.js",
      search_text: () => "lib/a.js:3: export function area(side) {",
    });
    assert.deepEqual(rounds, [["list_files", "search_text"]]);
    assert.match(answer, /\*\*Files\*\* \(2\)\n\n```text\nREADME\.md\nlib\/a\.js\n```/);
    assert.match(answer, /\| `area` \| `lib\/a\.js` \| 3 \|/);
    const empty = await talk("Show me around", {
      list_files: () => "Denied: no",
      search_text: () => "No line was found.",
    });
    assert.match(empty.answer, /list of files was denied: no.*No line was found\./s);
  });

  it("keeps a note, and says so only when it was kept", async () => {
    const task = "Remember that we use node --test";
    const kept = await talk(task, { update_memory: ({ note }) => `Noted in MEMORY.md: ${String(note)}` });
    assert.deepEqual(kept.rounds, [["update_memory"]]);
    assert.match(kept.answer, /Noted in MEMORY\.md: We use node --test/);
    const refused = await talk(task, { update_memory: () => "Rejected by the person: no need" });
    assert.match(refused.answer, /rejected: “no need”\. Nothing was kept/);
  });

  it("runs the tests and reports them", async () => {
    const run = (result: string): Promise<Talk> => talk("Run the tests", { run_command: () => result });
    assert.deepEqual((await run(passing)).rounds, [["run_command"]]);
    assert.match((await run(passing)).answer, /All tests pass/);
    assert.match((await run(failing)).answer, /A test fails.*Fix the failing test/s);
    assert.match((await run("Denied: no commands here")).answer, /was denied: no commands here.*know nothing/s);
    assert.match((await run("sh: node: not found\n\nexit code 127")).answer, /no test report.*not found/s);
  });

  it("says plainly what it is to anything else, with the things to try", async () => {
    const { rounds, answer } = await talk("What is the meaning of life?", {});
    assert.deepEqual(rounds, []);
    assert.match(answer, /script inside the extension, not an AI/);
    for (const thing of ["Fix the failing test", "Show me around", "Run the tests", "Remember that we use node --test"])
      assert.ok(answer.includes(thing), thing);
  });

  it("combines two files by calls that use each other's results, and says what became of each", async () => {
    const results = {
      read_file: () => "the text",
      write_file: () => "Created both.js",
      run_command: () => "Rejected by the person: no counting",
    };
    const { rounds, calls, answer } = await talk("Combine two files", results);
    assert.deepEqual(rounds, [["read_file", "read_file", "write_file", "run_command"]]);
    assert.match(calls[2]?.arguments ?? "", /"†state\.price".*"†state\.cart"/);
    assert.match(answer, /`write_file`: Created both\.js\n- `run_command`: was rejected: “no counting”/);
  });

  it("starts every new message from the beginning", async () => {
    const first = await fix("Rejected by the person: no", failing);
    const second = await talk(
      "Fix the failing test",
      { ...shop(), edit_file: () => changed, run_command: () => passing },
      { earlier: first.messages },
    );
    assert.equal(second.rounds.length, 2);
    assert.match(second.answer, /Fixed: the tests pass/);
  });

  it("has nothing to store when a conversation is compacted, and says that it cannot sum up", async () => {
    const noted = engineTool("update_memory", { run: () => assert.fail("nobody asked for a note") });
    const made = kit({ model: chatAt(demo.baseUrl), tools: [noted], ports: { clock: realClock } });
    for (const message of ["Hello", "Who are you?", "Thanks"]) await made.run({ message, sessionId: "s" });
    const outcome = await compactSession({ sessionId: "s" }, made.ports, loopDefaults).result;
    assert.equal(outcome.status, "completed");
    assert.match(outcome.output, /The script cannot sum up\. Messages of the person: 1; calls: 0\./);
    assert.deepEqual(
      made.lines.flatMap((line) => (line["type"] === "memory_flush" ? [line["wrote"]] : [])),
      [false],
    );
  });
});
