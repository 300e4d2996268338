import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { loadPrompty } from "../../../src/agents/promptyFile.ts";
import type { ReferenceOptions } from "../../../src/agents/promptyReferences.ts";
import type { Prompty } from "../../../src/agents/promptyShape.ts";

type Files = Readonly<Record<string, string>>;

async function withFiles<T>(files: Files, use: (dir: string) => Promise<T>): Promise<T> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "prompty-")));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(dir, name)), { recursive: true });
      await writeFile(join(dir, name), text);
    }
    return await use(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function loaded(text: string, options: ReferenceOptions = {}, files: Files = {}): Promise<Prompty> {
  const result = await withFiles({ "p/a.prompty": text, ...files }, (dir) =>
    loadPrompty(join(dir, "p", "a.prompty"), options),
  );
  assert.ok("prompty" in result, JSON.stringify(result));
  return result.prompty;
}

/** `line:column sentence` of each. */
async function problems(text: string, options: ReferenceOptions = {}, files: Files = {}): Promise<readonly string[]> {
  const result = await withFiles({ "p/a.prompty": text, ...files }, (dir) =>
    loadPrompty(join(dir, "p", "a.prompty"), options),
  );
  assert.ok("problems" in result, JSON.stringify(result));
  return result.problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

const front = (yaml: string): string => `---\n${yaml}\n---\nBody`;

describe("a .prompty file", () => {
  const bare = {
    kind: "prompt",
    name: "a",
    inputs: [],
    outputs: [],
    tools: [],
    template: { format: { kind: "jinja2" }, parser: { kind: "prompty" } },
  };

  it("PROMPTY-2-1 is front matter and a body; markers are whole lines, and without any all is body", async () => {
    assert.deepEqual(await loaded("\nuser:\r\nHi\r\n\r\n"), { ...bare, instructions: "user:\nHi" });
    const dashes = await loaded('+++\nname: n\ndescription: "a --- b"\n+++\r\nuser:\n---\nmore\n+++\n');
    assert.deepEqual(dashes, { ...bare, name: "n", description: "a --- b", instructions: "user:\n---\nmore\n+++" });
    assert.deepEqual(await loaded("---\n---\n"), { ...bare, instructions: "" });
  });

  it("PROMPTY-2-2 keeps what it does not know, and what is left empty says nothing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^x[a-z]{1,8}$/), fc.jsonValue(), async (key, value) => {
        const prompty = await loaded(front(`${key}: ${JSON.stringify({ value })}\nmodel:\ntools:\nname:`));
        assert.deepEqual(prompty[key], { value: JSON.parse(JSON.stringify(value)) });
        assert.deepEqual([prompty.name, prompty.model, prompty.tools], ["a", undefined, []]);
      }),
      { numRuns: 20 },
    );
  });

  it("PROMPTY-2-3 spells shorthands out", async () => {
    const prompty = await loaded(
      front(
        [
          "model: gpt-4",
          "template: {format: mustache}",
          "inputs: {city: Rome, days: 3, share: 0.5, ok: true, list: [1], map: {kind: object, properties: {a: 1}}, any: {}}",
          "outputs: {properties: [{name: a, kind: string}]}",
        ].join("\n"),
      ),
    );
    assert.deepEqual(prompty.model, { id: "gpt-4" });
    assert.deepEqual(prompty.template, { format: { kind: "mustache" }, parser: { kind: "prompty" } });
    assert.deepEqual(prompty.inputs, [
      { name: "city", kind: "string", default: "Rome" },
      { name: "days", kind: "integer", default: 3 },
      { name: "share", kind: "float", default: 0.5 },
      { name: "ok", kind: "boolean", default: true },
      { name: "list", kind: "array", default: [1] },
      { name: "map", kind: "object", properties: [{ name: "a", kind: "integer", default: 1 }] },
      { name: "any", kind: "string" },
    ]);
    assert.deepEqual(prompty.outputs, [{ name: "a", kind: "string" }]);
  });

  it("PROMPTY-2-7 has tools of every kind, and bindings to inputs or to values", async () => {
    const prompty = await loaded(
      front(
        [
          "inputs: {unit: C}",
          "tools:",
          "  - {name: f, parameters: {x: {kind: string}}, bindings: {u: unit, v: fixed, w: {input: unit}}}",
          "  - {name: m, kind: mcp, serverName: s, approvalMode: never}",
          "  - {name: o, kind: openapi, specification: ./s.json}",
          "  - {name: p, kind: prompty, path: ./p.prompty, mode: agentic}",
          "  - {name: c, kind: mine, options: {a: 1}}",
        ].join("\n"),
      ),
    );
    assert.deepEqual(prompty.tools, [
      {
        name: "f",
        kind: "function",
        parameters: [{ name: "x", kind: "string" }],
        bindings: { u: { input: "unit" }, v: { value: "fixed" }, w: { input: "unit" } },
      },
      { name: "m", kind: "mcp", serverName: "s", approvalMode: { kind: "never" } },
      { name: "o", kind: "openapi", specification: "./s.json" },
      { name: "p", kind: "prompty", path: "./p.prompty", mode: "agentic" },
      { name: "c", kind: "mine", options: { a: 1 } },
    ]);
  });

  it("PROMPTY-4-1 what is wrong is said where it stands", async () => {
    assert.deepEqual(await problems("---\nname: [\n---\n"), [
      "3:1 Flow sequence in block collection must be sufficiently indented and end with a ]",
    ]);
    assert.deepEqual(await problems(front("- a")), ["2:1 front matter: must be a group of settings"]);
    assert.deepEqual(await problems(front("name: 7\ntools:\n  - {kind: mcp}\ntemplate: nunjucks")), [
      "2:7 name: must be a text",
      "4:3 tools: must be a list with names, or a group by name",
      "5:11 template: must be jinja2 or mustache, or a group with format and parser",
    ]);
    assert.deepEqual(await problems("---\nname: a\n---\n\n\nuser:\n{% if x %}"), ["7:1 template: `if` has no `endif`"]);
    assert.deepEqual(await problems('system:\nA\n user[name="{{ a }}"]:\nB'), [
      "3:1 template: the brackets of a role marker hold no input",
    ]);
    assert.equal((await loaded("{{ a }}:\nuser[a]: {{ b }}\nusers[{{ c }}]:")).name, "a");
    const missing = await loadPrompty(join(tmpdir(), "no-such-folder", "b.prompty"));
    assert.deepEqual(missing, { problems: [{ line: 1, column: 1, message: "there is no file b.prompty" }] });
  });

  it("PROMPTY-4-1 hostile front matter is refused in a sentence", async () => {
    const [program] = await problems("---js\nmodule.exports = {}\n---\n");
    assert.equal(program, "1:4 front matter is YAML: its first line must be --- and nothing else, not “js”");
    const tooMuch = "2:1 an alias stands for nothing, or for too much";
    assert.deepEqual(await problems(front("a: &a [*a, *a]")), [tooMuch]);
    const bomb = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`).join("\n");
    assert.deepEqual(await problems(front(`a0: &a0 x\n${bomb}`)), ["2:1 an alias stands for nothing, or for too much"]);
    for (const deep of ["[".repeat(20_000), "[".repeat(20_000) + "]".repeat(20_000)])
      assert.match((await problems(front(`a: ${deep}`))).join(), /^2:\d+ the front matter is nested too deeply$/);
    assert.deepEqual((await loaded(front("a: !!js/function 'x'")))["a"], "x");
    assert.deepEqual(await problems("x".repeat(300_001)), ["1:1 a.prompty is larger than 300 kB"]);
  });
});

describe("references in a .prompty", () => {
  const env = (name: string): string | undefined => ({ HOST: "h", EMPTY: "" })[name];

  it("PROMPTY-2-4 variables are replaced anywhere in a value, with a default where there is one", async () => {
    const yaml = "a: {b: ['x${env:HOST}/${env:NO:d:e}', '${env:NO:}', '${env:EMPTY:d}', '${other:x}']}";
    assert.deepEqual((await loaded(front(yaml), { env }))["a"], { b: ["xh/d:e", "", "", "${other:x}"] });
  });

  it("PROMPTY-2-4 PROMPTY-2-9 one that is not set, or may not be read, is named where it stands", async () => {
    const yaml = "a:\n  b: ['x', '${env:NO}']\nc: ${env:HOST}";
    assert.deepEqual(await problems(front(yaml), { env }), [
      "3:12 the environment variable “NO” is not set, and has no default",
    ]);
    assert.deepEqual(await problems(front(yaml)), [
      "3:12 the environment variable “NO” is not read: this folder is not trusted",
      "4:4 the environment variable “HOST” is not read: this folder is not trusted",
    ]);
  });

  it("PROMPTY-2-8 variables come from the caller alone: no .env file is read", async () => {
    const files = { "p/.env": "NO=x\nHOST=y" };
    assert.equal((await loaded(front("a: ${env:HOST}"), { env }, files))["a"], "h");
    assert.equal((await problems(front("a: ${env:NO}"), { env }, files)).length, 1);
  });

  it("PROMPTY-2-5 files are read by their ending, and their own references from where they are", async () => {
    const files = {
      "p/sub/a.json": '{"host": "${env:HOST}", "more": ["${file:b.yml}"]}',
      "p/sub/b.yml": "c: ${file:c.txt}",
      "p/sub/c.txt": "text ${env:HOST}\n",
    };
    const prompty = await loaded(front("a: ${file:sub/a.json}\nb: 'see ${file:sub/c.txt}'"), { env }, files);
    assert.deepEqual(prompty["a"], { host: "h", more: [{ c: "text ${env:HOST}\n" }] });
    assert.equal(prompty["b"], "see text ${env:HOST}\n");
    assert.deepEqual(await problems(front("a: ${file:b.json}\nc: ${file:no.txt}"), {}, { "p/b.json": "{" }), [
      "2:4 the file “b.json” is not valid JSON",
      "3:4 the file “no.txt” is not there",
    ]);
  });

  it("PROMPTY-2-6 files stay in the folder of the prompt, links and front matter included", async () => {
    const outside = "is outside of the folder of the prompt";
    await withFiles({ "secret.txt": "s", "p/in/x.txt": "x" }, async (dir) => {
      await symlink(join(dir, "secret.txt"), join(dir, "p", "link.txt"));
      await symlink(dir, join(dir, "p", "up"));
      const path = join(dir, "p", "a.prompty");
      for (const name of [
        "../secret.txt",
        "in/../../secret.txt",
        "link.txt",
        "up/secret.txt",
        join(dir, "secret.txt"),
      ]) {
        await writeFile(path, front(`roots: ['..']\na: \${file:${name}}`));
        const result = await loadPrompty(path);
        assert.deepEqual("problems" in result && result.problems.map(({ message }) => message), [
          `the file “${name}” ${outside}`,
        ]);
      }
      assert.ok("prompty" in (await loadPrompty(path, { roots: [dir] })), "the caller may widen it");
      const narrowed = await loadPrompty(path, { roots: [dir], mayRead: (real) => !real.endsWith("secret.txt") });
      assert.ok("problems" in narrowed && narrowed.problems[0]?.message.endsWith("may not be read"));
    });
  });

  it("PROMPTY-2-5 a file whose value is part of itself is refused", async () => {
    const found = await problems(front("a: ${file:a.yaml}"), {}, { "p/a.yaml": "&a [*a]" });
    assert.deepEqual(found, ["2:4 the file “a.yaml” is not valid YAML"]);
  });

  it("PROMPTY-2-6 files that name each other without end are refused", async () => {
    const files = { "p/a.json": '["${file:a.json}", "${file:a.json}", "${file:a.json}"]' };
    const found = await problems(front("a: ${file:a.json}"), {}, files);
    assert.match(found[0] ?? "", /^2:4 the file “a.json” is not read: files name too many files$/);
  });
});
