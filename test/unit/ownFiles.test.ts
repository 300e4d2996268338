// Files that a person has Brain write for them: the scope holds, and so do their own rules about paths.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownFilesIn } from "../../src/composeScope.ts";
import type { Rule } from "../../src/protocol/rules.ts";
import { carryOut } from "../../src/tools/writing.ts";

describe("what a person has Brain write", () => {
  let root = "";
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "brain-own-")));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it("leaves alone what no tool may write, whatever an answer calls it", async () => {
    await Promise.all([".git/hooks", ".brain"].map((folder) => mkdir(join(root, folder), { recursive: true })));
    await symlink(tmpdir(), join(root, "away"));
    await writeFile(join(root, ".brainignore"), "closed/\n");
    const { scope } = await ownFilesIn({ root });
    const names = [
      ".git/hooks/pre-commit",
      ".brain/MEMORY.md",
      ".brainignore",
      "closed/a.ts",
      ".env",
      "../x.ts",
      "/etc/x.conf",
      "away/x.ts",
      "a/../../x.ts",
      "C:\\x.ts",
    ];
    for (const name of names) assert.ok("denied" in (await scope.resolve(name, "write")), name);
    assert.ok("real" in (await scope.resolve("src/a.ts", "write")));
  });

  it("holds to a rule of theirs that denies a path, also to one that was made while they reviewed", async () => {
    const rules: Rule[] = [{ decision: "deny", path: "vendor/**" }];
    const files = await ownFilesIn({ root, rules: () => rules });
    const { scope } = files;
    assert.ok("denied" in (await scope.resolve("vendor/a.ts", "write")));
    assert.ok("denied" in (await scope.at(join(root, "vendor/a.ts"), "write")));
    assert.ok("real" in (await scope.resolve("vendor/a.ts", "read")));
    const path = await scope.resolve("a.ts", "write");
    assert.ok("real" in path);
    rules.push({ decision: "deny", path: "a.ts" });
    const result = await carryOut(files, { path, before: null, after: "x\n" });
    assert.equal(result.status, "failed");
    assert.equal(await files.files.read(path), null);
  });
});
