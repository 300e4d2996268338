// What all tools have in common: schema, arguments, words, size of results.
import assert from "node:assert/strict";
import fc from "fast-check";
import { createTools } from "../../../src/tools/catalog.ts";
import { openPlace, ready, refusal } from "./place.ts";

describe("The tools", () => {
  it("have these names, effects and parameters for ever", async () => {
    await using place = await openPlace();
    const table = createTools(place.workspace).map(({ name, effect, parameters }) => [
      name,
      effect,
      Object.keys(parameters["properties"] ?? {}).join(" "),
      JSON.stringify(parameters["required"] ?? []),
    ]);
    assert.deepEqual(table, [
      ["read_file", "read", "path offset limit", '["path"]'],
      ["write_file", "write", "path content", '["path","content"]'],
      ["edit_file", "write", "path edits", '["path","edits"]'],
      ["apply_patch", "write", "patch", '["patch"]'],
      ["edit_notebook", "write", "path action cell source type", '["path","action"]'],
      ["delete_file", "write", "path", '["path"]'],
      ["move_file", "write", "path to", '["path","to"]'],
      ["list_files", "read", "path glob", "[]"],
      ["search_text", "read", "pattern path glob regex", '["pattern"]'],
      ["run_command", "run", "command cwd timeout_ms idle_timeout_ms background input outside_sandbox", '["command"]'],
      ["read_output", "read", "id offset", '["id"]'],
      ["stop_command", "read", "id", '["id"]'],
      ["update_memory", "write", "note", '["note"]'],
      ["update_todos", "read", "todos", '["todos"]'],
    ]);
  });

  it("describe every parameter and allow no other", async () => {
    await using place = await openPlace();
    for (const { name, description, parameters } of createTools(place.workspace)) {
      assert.ok(description.length > 20, name);
      assert.ok(!("$schema" in parameters));
      assert.equal(parameters["additionalProperties"], false);
      for (const [key, property] of Object.entries(parameters["properties"] ?? {}))
        assert.ok(String(property.description ?? "").length > 5, `${name}.${key}`);
    }
  });

  it("say for each wrong argument which it is, what is wrong and what is expected", async () => {
    await using place = await openPlace();
    const said = async (name: string, params: Record<string, unknown>) =>
      refusal(await place.prepare(name, params))
        .split("\n")
        .slice(1);
    assert.deepEqual(await said("read_file", {}), ["`path` is missing; expected text."]);
    assert.deepEqual(await said("read_file", { path: 7, offset: 0, limit: 1.5 }), [
      "`path` is 7; expected text.",
      "`offset` is 0; expected at least 1.",
      "`limit` is 1.5; expected a whole number.",
    ]);
    assert.deepEqual(await said("read_file", { path: "a", lines: 3, x: 1 }), [
      "`lines`, `x` is not a parameter; the parameters are path, offset, limit.",
    ]);
    assert.deepEqual(await said("edit_file", { path: "a", edits: [{ old_text: 1, new_text: "", why: "" }] }), [
      "`edits[0].old_text` is 1; expected text.",
      "`why` is not a parameter of `edits[0]`.",
    ]);
    assert.deepEqual(await said("edit_file", { path: "a", edits: [] }), [
      "`edits` is []; expected at least 1 item(s).",
    ]);
    assert.deepEqual(await said("search_text", { pattern: "", regex: "yes" }), [
      '`pattern` is ""; expected at least 1 character(s).',
      '`regex` is "yes"; expected true or false.',
    ]);
  });

  it("take null for an optional parameter as left out", async () => {
    await using place = await openPlace();
    const prepared = ready(await place.prepare("read_file", { path: "a", offset: null, limit: null }));
    assert.deepEqual(prepared.params, { path: "a" });
  });

  it("never throw, whatever the arguments", async () => {
    await using place = await openPlace();
    const tools = createTools(place.workspace).filter(({ effect }) => effect !== "run");
    const keys = fc.constantFrom(
      "path",
      "edits",
      "content",
      "glob",
      "pattern",
      "regex",
      "command",
      "note",
      "x",
      "__proto__",
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(keys, fc.anything()), fc.constantFrom(...tools), async (params, tool) => {
        assert.equal(typeof tool.label(params).subject, "string");
        assert.ok(Array.isArray(tool.touches(params).reads));
        const prepared = await tool.prepare(params, new AbortController().signal, "call");
        assert.ok(prepared.kind === "prepared" || prepared.content.length > 0);
      }),
      { numRuns: 300 },
    );
  });

  it("have words for a call before it is checked", async () => {
    await using place = await openPlace();
    const label = (name: string, params: Record<string, unknown>) => {
      const { verb, subject } = place.tool(name).label(params);
      return `${verb} ${subject}`.trim();
    };
    assert.equal(label("read_file", { path: "src/a.ts" }), "Read src/a.ts");
    assert.equal(label("edit_file", { path: "src/a.ts" }), "Edit src/a.ts");
    assert.equal(label("list_files", {}), "List .");
    assert.equal(label("search_text", { pattern: "x", glob: "*.ts" }), "Search “x” *.ts");
    assert.equal(label("run_command", { command: "npm test\necho done" }), "Run npm test");
    assert.equal(label("run_command", {}), "Run");
    assert.equal(label("update_memory", { note: "Tabs.\nAlways." }), "Remember Tabs.");
  });

  it("say what a call touches", async () => {
    await using place = await openPlace();
    const touches = (name: string, params: Record<string, unknown>) => place.tool(name).touches(params);
    assert.deepEqual(touches("read_file", { path: "a" }), { reads: ["a"], writes: [], runs: false });
    assert.deepEqual(touches("write_file", { path: "a" }), { reads: [], writes: ["a"], runs: false });
    assert.deepEqual(touches("edit_file", { path: "a" }), { reads: ["a"], writes: ["a"], runs: false });
    assert.deepEqual(touches("search_text", { pattern: "x" }), { reads: ["."], writes: [], runs: false });
    assert.deepEqual(touches("run_command", { command: "x" }), { reads: [], writes: [], runs: true });
    assert.deepEqual(touches("update_memory", {}), { reads: [], writes: [".brain/MEMORY.md"], runs: false });
  });

  it("BRAIN-EXEC-2 are denied by scope before anything is done, as a result", async () => {
    await using place = await openPlace();
    const calls: readonly (readonly [string, Record<string, unknown>])[] = [
      ["read_file", { path: "../x" }],
      ["write_file", { path: ".env", content: "" }],
      ["edit_file", { path: "/etc/hosts", edits: [{ old_text: "a", new_text: "b" }] }],
      ["list_files", { path: ".." }],
      ["search_text", { pattern: "x", path: ".ssh" }],
      ["run_command", { command: "true", cwd: "/" }],
    ];
    for (const [name, params] of calls) {
      const prepared = await place.prepare(name, params);
      assert.ok(prepared.kind === "refused" && prepared.status === "denied", name);
    }
  });

  it("keep the head and the tail of a long result, and say how much is left out", async () => {
    await using place = await openPlace();
    await place.put("long.txt", `${"😀".repeat(60_000)}THE END`);
    const { content } = await place.call("read_file", { path: "long.txt" });
    assert.ok(content.length < 61_000);
    assert.match(content, /^long\.txt · lines 1–1 of 1 · hash/);
    assert.match(content, /\[… 60\d\d\d characters left out here; to read it, ask for less at once/);
    assert.ok(content.endsWith("THE END"));
    assert.equal(content.search(/\p{Cs}/u), -1);
  });

  it("update_memory hands the note on", async () => {
    await using place = await openPlace();
    const prepared = ready(await place.prepare("update_memory", { note: "  Use tabs. " }));
    assert.deepEqual(prepared.preview, { kind: "text", text: "Use tabs." });
    assert.deepEqual(place.notes, []);
    assert.equal((await place.call("update_memory", { note: "Use tabs." })).content, "Noted.");
    assert.deepEqual(place.notes, ["Use tabs."]);
    assert.match(refusal(await place.prepare("update_memory", { note: "  " })), /`note` is "  "/);
  });
});
