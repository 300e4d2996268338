// list_files and search_text.
import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { openPlace, refusal } from "./place.ts";

describe("list_files", () => {
  it("lists what is not ignored, in order, folders with a slash", async () => {
    await using place = await openPlace();
    for (const path of [
      "src/b.ts",
      "src/a/x.ts",
      "README.md",
      "dist/x.js",
      "node_modules/y/z.js",
      ".env",
      ".github/w.yml",
    ])
      await place.put(path, "");
    await place.put(".gitignore", "dist/\n");
    await place.put(".brainignore", "*.md\n");
    assert.deepEqual((await place.call("list_files", {})).content.split("\n"), [
      ".brainignore",
      ".github/",
      ".github/w.yml",
      ".gitignore",
      "src/",
      "src/a/",
      "src/a/x.ts",
      "src/b.ts",
    ]);
    assert.deepEqual((await place.call("list_files", { path: "src/a" })).content, "src/a/x.ts");
  });

  it("takes globs of names, of paths from the root and from the folder", async () => {
    await using place = await openPlace();
    for (const path of ["src/b.ts", "src/a/x.ts", "src/a/.hidden.ts", "x.js"]) await place.put(path, "");
    const list = async (params: Record<string, unknown>) =>
      (await place.call("list_files", params)).content.split("\n");
    assert.deepEqual(await list({ glob: "*.ts" }), ["src/a/.hidden.ts", "src/a/x.ts", "src/b.ts"]);
    assert.deepEqual(await list({ glob: "src/*.ts" }), ["src/b.ts"]);
    assert.deepEqual(await list({ path: "src", glob: "a/*.ts" }), ["src/a/.hidden.ts", "src/a/x.ts"]);
    assert.deepEqual(await list({ path: "src", glob: "src/**/x.ts" }), ["src/a/x.ts"]);
    assert.deepEqual(await list({ glob: "*.py" }), ["Nothing was found."]);
  });

  it("does not follow links, even in a circle", async () => {
    await using place = await openPlace();
    await place.put("a/x.txt", "");
    await symlink("..", join(place.root, "a", "up"));
    assert.deepEqual((await place.call("list_files", {})).content, "a/\na/up\na/x.txt");
  });

  it("stops at 1000 and says so", async () => {
    await using place = await openPlace();
    for (let index = 0; index < 1_005; index++) await place.put(`many/${index}`, "");
    await place.put("z.txt", "");
    const lines = (await place.call("list_files", {})).content.split("\n");
    assert.equal(lines.length, 1_002);
    assert.ok(lines.includes("z.txt"), "nearest folders first");
    assert.match(lines.at(-1) ?? "", /only 1000 are listed/);
  });

  it("fails in words for a file and for what is not there", async () => {
    await using place = await openPlace();
    await place.put("src/a.ts", "");
    assert.match((await place.call("list_files", { path: "src/a.ts" })).content, /is a file; read_file shows it/);
    assert.match((await place.call("list_files", { path: "nowhere" })).content, /does not exist/);
  });
});

describe("search_text", () => {
  it("finds a text literally, by path and line", async () => {
    await using place = await openPlace();
    await place.put("src/a.ts", "one\r\nf(x) + $1\r\nF(x) + $1\r\n");
    await place.put("b.md", "f(x) + $1");
    await place.put("dist/c.js", "f(x) + $1");
    await place.put(".env", "f(x) + $1");
    await place.put("data.bin", Buffer.from("\0f(x) + $1"));
    await place.put(".gitignore", "dist\n");
    assert.equal(
      (await place.call("search_text", { pattern: "f(x) + $1" })).content,
      "b.md:1: f(x) + $1\nsrc/a.ts:2: f(x) + $1",
    );
    assert.equal((await place.call("search_text", { pattern: "f(x)", glob: "*.md" })).content, "b.md:1: f(x) + $1");
    assert.equal((await place.call("search_text", { pattern: "f(x)", path: "src" })).content, "src/a.ts:2: f(x) + $1");
    assert.equal((await place.call("search_text", { pattern: "one", path: "src/a.ts" })).content, "src/a.ts:1: one");
    assert.equal((await place.call("search_text", { pattern: "nowhere" })).content, "No line was found.");
  });

  it("finds by expression, at the end of CRLF lines too", async () => {
    await using place = await openPlace();
    await place.put("a.txt", "Alpha 1\r\nbeta 22\r\n");
    const search = async (pattern: string) => (await place.call("search_text", { pattern, regex: true })).content;
    assert.equal(await search(String.raw`^\w+ \d$`), "a.txt:1: Alpha 1");
    assert.equal(await search("(?i)^BETA"), "a.txt:2: beta 22");
  });

  it("refuses what is no expression, and a literal of several lines", async () => {
    await using place = await openPlace();
    assert.match(
      refusal(await place.prepare("search_text", { pattern: "(", regex: true })),
      /not a regular expression/,
    );
    assert.match(refusal(await place.prepare("search_text", { pattern: "a\nb" })), /line break/);
  });

  it("ends an expression that would never finish, and stays responsive meanwhile", async () => {
    await using place = await openPlace();
    await place.put("a.txt", "aaaa\n");
    await place.put("b.txt", `${"a".repeat(60)}!\n`);
    let ticks = 0;
    const timer = setInterval(() => ticks++, 50);
    const result = await place.call("search_text", { pattern: "(a+)+$", regex: true });
    clearInterval(timer);
    assert.equal(result.status, "failed");
    assert.match(result.content, /took more than 2 s on “b\.txt”/);
    assert.match(result.content, /Found before that:\na\.txt:1: aaaa$/);
    assert.ok(ticks > 5, `${ticks}`);
  });

  it("stops when it is aborted", async () => {
    await using place = await openPlace();
    await place.put("b.txt", `${"a".repeat(60)}!\n`);
    const call = { pattern: "(a+)+$", regex: true };
    const { content } = await place.call("search_text", call, AbortSignal.timeout(100));
    assert.match(content, /aborted/);
  });

  it("cuts long lines around the match", async () => {
    await using place = await openPlace();
    await place.put("min.js", `${"x".repeat(5_000)}needle${"y".repeat(5_000)}`);
    const { content } = await place.call("search_text", { pattern: "needle" });
    assert.ok(content.length < 330 && content.includes("needle"));
    assert.match(content, /^min\.js:1: …x+needley+…$/);
  });

  it("stops at 200 lines and says so, and passes over files that are too large", async () => {
    await using place = await openPlace();
    await place.put("big.txt", `hit\n${"x".repeat(2 * 1024 * 1024)}`);
    await place.put("many.txt", "hit\n".repeat(200));
    const all = (await place.call("search_text", { pattern: "hit" })).content.split("\n");
    assert.equal(all.length, 200);
    await place.put("one.txt", "hit\n");
    const some = (await place.call("search_text", { pattern: "hit" })).content.split("\n");
    assert.equal(some.length, 202);
    assert.match(some.at(-1) ?? "", /only the first 200 are shown/);
  });
});
