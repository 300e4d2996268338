// The policy as data: rules only narrow, in every form of a name, in several roots.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { ScopeRules } from "../../../src/protocol/agents.ts";
import type { Access } from "../../../src/scope/deniedNames.ts";
import { foldName } from "../../../src/scope/foldName.ts";
import { deniedByName, deniedElsewhere, narrowed, scopePolicy, type ScopePolicy } from "../../../src/scope/policy.ts";
import { nameRoots, rootNamed } from "../../../src/scope/roots.ts";
import { createScope } from "../../../src/scope/scope.ts";
import { openPlace } from "../tools/place.ts";

const plain = scopePolicy(nameRoots("/projects/app", []));

function denied(policy: ScopePolicy, inRoot: string, access: Access = "read", isFolder = false): boolean {
  return (
    deniedByName(policy)(inRoot, access) !== null || deniedElsewhere(policy)({ inRoot, isFolder }, access) !== null
  );
}

describe("The scope's policy", () => {
  it("is plain data, but for what the rules of a person bar", () => {
    const { barred: _, ...policy } = narrowed(plain, { deny: ["a"], only: ["src"] });
    assert.deepEqual(JSON.parse(JSON.stringify(policy)), policy);
    assert.deepEqual(policy.roots, [{ name: "app", path: "/projects/app" }]);
  });

  const rules: readonly (readonly [ScopeRules, string, "denied" | "allowed"])[] = [
    [{ deny: ["*.crt"] }, "tls/site.CRT", "denied"],
    [{ deny: ["plans/"] }, "plans/a/b.md", "denied"],
    [{ deny: ["/plans"] }, "src/plans/a.md", "allowed"],
    [{ deny: ["./plans"] }, "plans/a.md", "denied"],
    [{ deny: ["caf\u00E9"] }, "cafe\u0301/menu.txt", "denied"],
    [{ deny: ["cafe\u0301"] }, "CAF\u00C9", "denied"],
    [{ deny: ["stra\u00DFe"] }, "STRASSE", "denied"],
    [{ deny: ["!.env"] }, ".env", "denied"],
    [{ deny: ["x", "!x"] }, "x", "allowed"],
    [{ only: ["src"] }, "src/a/b.ts", "allowed"],
    [{ only: ["src"] }, "docs/a.md", "denied"],
    [{ only: ["src"] }, "src-evil/a.ts", "denied"],
    [{ only: ["src/**/*.ts"] }, "src/a/b.ts", "allowed"],
    [{ only: ["src/**/*.ts"] }, "src/a/b.js", "denied"],
    [{ only: ["*.md"] }, "deep/er/a.md", "allowed"],
    [{ only: ["*"] }, ".env", "denied"],
    [{ only: [".env", ".brain"] }, ".env", "denied"],
    [{ only: [] }, "a", "denied"],
  ];
  for (const [rule, path, expected] of rules)
    it(`${JSON.stringify(rule)}: ${path} is ${expected}`, () => {
      assert.equal(denied(narrowed(plain, rule), path), expected === "denied");
    });

  it("shows the folders above what alone is allowed, and nothing else in them", () => {
    const policy = narrowed(plain, { only: ["packages/api/src"] });
    for (const folder of [".", "packages", "packages/api"]) {
      assert.ok(!denied(policy, folder, "read", true), folder);
      assert.ok(denied(policy, folder, "write", true), folder);
    }
    assert.ok(denied(policy, "packages/web", "read", true));
    assert.ok(denied(policy, "packages/api/.x", "read", true));
  });

  it("never allows with more rules what it denied with fewer", () => {
    const name = fc.constantFrom("src", "a.ts", ".env", ".git", "docs", "*.ts", "**", "!src", "!.env", "/", "x");
    const pattern = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
    const list = fc.option(fc.array(pattern, { maxLength: 3 }), { nil: undefined });
    const rule = fc.record({ deny: list, only: list }).map(({ deny, only }) => ({
      ...(deny && { deny }),
      ...(only && { only }),
    }));
    const use = fc.tuple(pattern, fc.constantFrom<Access>("read", "write"), fc.boolean());
    fc.assert(
      fc.property(rule, rule, use, (first, second, asked) => {
        const wide = narrowed(plain, first);
        if (denied(wide, ...asked)) assert.ok(denied(narrowed(wide, second), ...asked));
      }),
      { numRuns: 300 },
    );
  });

  it("takes every spelling of a name for the same", () => {
    const spellings = [".env", ".ENV", ".Env.", ".env ", ".env::$DATA", ".e\u200Bnv", "\uFF0Eenv", ".e\u00ADnv"];
    assert.deepEqual([...new Set(spellings.map(foldName))], [".ENV"]);
    assert.equal(foldName("..."), "...");
    assert.equal(foldName("\u2025"), "\u2025");
    assert.equal(foldName("a\uFF0Fb"), "A_B");
  });
});

describe("A workspace of several folders", () => {
  it("has names for all of them that differ and are no drives", () => {
    const roots = nameRoots("/a/app", ["/b/app", "/c/x", "/d/we:ird", "/a/app", "/b/app"]);
    assert.deepEqual(
      roots.map(({ name }) => name),
      ["app", "app-2", "root-x", "we-ird"],
    );
    assert.deepEqual(rootNamed(roots, "app-2:src/a"), { root: roots[1], rest: "src/a" });
    assert.deepEqual(rootNamed(roots, "./app-2:src"), { root: roots[0], rest: "./app-2:src" });
    assert.deepEqual(rootNamed(roots, "root-x:"), { root: roots[2], rest: "." });
  });

  it("is reached by name, with the same denials in each", async () => {
    const base = await realpath(await mkdtemp(join(tmpdir(), "brain-roots-")));
    for (const name of ["app", "api", "evil"]) await mkdir(join(base, name));
    await writeFile(join(base, "api/.brainignore"), "hidden\n");
    await symlink("../evil", join(base, "api/out"));
    await symlink("../api/x.ts", join(base, "app/toApi"));
    const scope = await createScope({ root: join(base, "app"), others: [join(base, "api"), join(base, "none")] });
    const become = async (path: string): Promise<string> => {
      const result = await scope.resolve(path, "write");
      return "denied" in result ? "denied" : result.relative;
    };
    const expected = {
      "a.ts": "a.ts",
      "api:x.ts": "api:x.ts",
      "api:": "api:.",
      "../api/x.ts": "api:x.ts",
      "api:../app/a.ts": "a.ts",
      toApi: "api:x.ts",
      [join(base, "api/x.ts")]: "api:x.ts",
      "api:.env": "denied",
      "api:hidden": "denied",
      hidden: "hidden",
      "api:out/x": "denied",
      "api:../evil/x": "denied",
      "api:/etc/passwd": "denied",
      "api:~/x": "denied",
      "api:file:x": "denied",
      "none:x": "denied",
      "../evil/x": "denied",
    };
    for (const [path, place] of Object.entries(expected)) assert.equal(await become(path), place, path);
    await rm(base, { recursive: true });
  });
});

describe("Rules of an agent, in its tools", () => {
  it("narrow what a delegate may touch, and show nothing else", async () => {
    await using place = await openPlace();
    for (const path of ["src/a.ts", "docs/b.md", "src/secret/c.ts"]) await place.put(path, "one\n");
    const { signal } = new AbortController();
    const prepared = async (name: string, path: string): Promise<string> => {
      const tool = place.tool(name).narrowed?.({ only: ["src"], deny: ["secret/"] });
      const content = name === "write_file" ? { content: "two" } : {};
      return (await tool?.prepare({ path, ...content }, signal, "call"))?.kind ?? "none";
    };
    assert.equal(await prepared("read_file", "src/a.ts"), "prepared");
    assert.equal(await prepared("list_files", "."), "prepared");
    for (const name of ["read_file", "write_file"])
      for (const path of ["docs/b.md", "src/secret/c.ts"]) assert.equal(await prepared(name, path), "refused");
  });
});
