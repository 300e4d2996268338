// What listing and searching pass over.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createScope } from "../../../src/scope/scope.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "brain-ignore-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function rules(files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  const scope = await createScope({ root });
  const passedOver = scope.passedOver();
  return (path: string, isFolder: boolean) => passedOver(join(scope.root, path), isFolder);
}

describe("Ignore rules", () => {
  it("always pass over .git and node_modules, and over names that may not be read", async () => {
    const ignored = await rules({});
    for (const path of [".git", "node_modules", "packages/a/node_modules", ".brain", ".ssh"])
      assert.ok(ignored(path, true), path);
    for (const path of [".env", "a/b.pem", "node_modules/x/index.js"]) assert.ok(ignored(path, false), path);
    assert.ok(!ignored(".", true));
    assert.ok(!ignored("src/a.ts", false));
    assert.ok(!ignored(".gitignore", false));
  });

  it("tell folders from files and honour negation", async () => {
    const ignored = await rules({ ".gitignore": "build/\n*.log\n!keep.log\n/top\n" });
    assert.ok(ignored("build", true));
    assert.ok(!ignored("build", false));
    assert.ok(ignored("build/a/b.js", false));
    assert.ok(ignored("x/debug.log", false));
    assert.ok(!ignored("x/keep.log", false));
    assert.ok(ignored("top", false));
    assert.ok(!ignored("x/top", false));
  });

  it("let a nested file override those above it, but not bring back what lies under an ignored folder", async () => {
    const ignored = await rules({
      ".gitignore": "*.tmp\ngone/\n",
      "a/.gitignore": "!b.tmp\nsecret.txt\n",
      "gone/.gitignore": "!*\n",
    });
    assert.ok(!ignored("a/b.tmp", false));
    assert.ok(ignored("a/c.tmp", false));
    assert.ok(ignored("a/deep/secret.txt", false));
    assert.ok(!ignored("secret.txt", false));
    assert.ok(ignored("gone/x", false));
  });

  it("read .brainignore after .gitignore", async () => {
    const ignored = await rules({ ".gitignore": "dist\n", ".brainignore": "!dist\nfixtures\n" });
    assert.ok(!ignored("dist", true));
    assert.ok(ignored("fixtures", true));
  });

  it("are read anew each time", async () => {
    const scope = await createScope({ root });
    const x = join(scope.root, "x");
    assert.ok(!scope.passedOver()(x, false));
    await writeFile(join(root, ".gitignore"), "x\n");
    assert.ok(scope.passedOver()(x, false));
    await writeFile(join(root, ".gitignore"), "y\n");
    assert.ok(!scope.passedOver()(x, false));
  });
});
