// BRAIN-EXEC-4 on a real file system with real links: what a path becomes, or why it is denied.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix, sep, win32 } from "node:path";
import fc from "fast-check";
import type { Access } from "../../../src/scope/deniedNames.ts";
import { relativeInside } from "../../../src/scope/roots.ts";
import { createScope, type Scope } from "../../../src/scope/scope.ts";

let base = "";
let scope: Scope;

before(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "brain-scope-")));
  const root = join(base, "root");
  for (const folder of ["src/deep", ".git", ".brain", ".ssh", ".docker", "docs"])
    await mkdir(join(root, folder), { recursive: true });
  for (const folder of ["root-evil", "outside"]) await mkdir(join(base, folder));
  const files = ["src/a.ts", ".env", ".env.example", ".git/config", ".git/HEAD", ".brain/MEMORY.md", "key.pem"];
  for (const file of [...files, ".ssh/known_hosts", ".docker/config.json", "%2e%2e%2fx", "docs/guide.md"])
    await writeFile(join(root, file), file);
  await writeFile(join(base, "root-evil", "x"), "x");
  await writeFile(join(base, "outside", "secret.txt"), "secret");
  const links = {
    notes: ".env",
    "good.env.link": "src/a.ts",
    out: "../outside",
    outfile: "../outside/secret.txt",
    evil: "../root-evil",
    inside: "src",
    danglingOut: "../outside/new.txt",
    danglingDeep: "../outside/no/such/folder",
    danglingIn: "src/new.ts",
    danglingChain: "danglingOut",
    danglingDenied: ".env.local",
    loop: "loop",
    self: ".",
    up: "..",
    records: ".git",
    brain: ".brain",
    absolute: join(base, "outside"),
    ".npmrc": "src/a.ts",
  };
  for (const [name, target] of Object.entries(links)) await symlink(target, join(root, name));
  await symlink("root", join(base, "link-to-root"));
  scope = await createScope({ root, rules: [{ deny: ["*.crt", "private/plans"] }] });
});
after(() => rm(base, { recursive: true, force: true }));

const outside = /outside the workspace/;
const secret = /hold secrets/;

// [path, access, the relative path it becomes, or what the denial says]
const table: readonly (readonly [string, Access, string | RegExp])[] = [
  [".", "read", "."],
  ["", "read", /empty/],
  ["src/a.ts", "read", "src/a.ts"],
  ["./src//a.ts", "write", "src/a.ts"],
  ["src/", "read", "src"],
  ["src/deep/../a.ts", "read", "src/a.ts"],
  ["src/nowhere/../a.ts", "read", "src/a.ts"],
  ["src/new/file.ts", "write", "src/new/file.ts"],
  ["src/a.ts/below", "write", "src/a.ts/below"],
  ["..foo", "write", "..foo"],
  ["...", "write", "..."],
  ["..", "read", outside],
  ["../", "read", outside],
  ["../outside/secret.txt", "read", outside],
  ["src/../../outside/secret.txt", "read", outside],
  ["src/../../root/src/a.ts", "read", "src/a.ts"],
  ["../root-evil/x", "read", outside],
  ["../root-evil/new", "write", outside],
  ["evil/x", "read", outside],
  ["/etc/passwd", "read", outside],
  ["//etc/passwd", "read", outside],
  ["/", "read", outside],
  ["out", "read", outside],
  ["out/secret.txt", "read", outside],
  ["out/new/file", "write", outside],
  ["outfile", "read", outside],
  ["outfile", "write", outside],
  ["absolute/secret.txt", "read", outside],
  ["up/outside/secret.txt", "read", outside],
  ["up/root/src/a.ts", "read", "src/a.ts"],
  ["self/self/src/a.ts", "read", "src/a.ts"],
  ["inside/a.ts", "write", "src/a.ts"],
  ["danglingOut", "write", outside],
  ["danglingOut/below", "write", outside],
  ["danglingDeep", "write", outside],
  ["danglingChain", "write", outside],
  ["danglingIn", "write", "src/new.ts"],
  ["danglingDenied", "write", secret],
  ["loop", "read", /file system does not resolve it/],
  ["loop/x", "write", /file system does not resolve it/],
  ["x".repeat(300), "write", /file system does not resolve it/],
  ["src/a\0.ts", "read", /NUL/],
  ["~/x", "read", /not expanded/],
  ["~", "read", /not expanded/],
  ["~root/x", "read", /not expanded/],
  ["./~x", "write", "~x"],
  ["file:///etc/passwd", "read", /URI/],
  ["FILE:src/a.ts", "read", /URI/],
  ["vscode-remote://host/x", "read", /URI/],
  ["%2e%2e%2fx", "read", "%2e%2e%2fx"],
  ["%2e%2e/%2e%2e/etc/passwd", "read", "%2e%2e/%2e%2e/etc/passwd"],
  [".env", "read", secret],
  [".env", "write", secret],
  [".ENV", "read", secret],
  [".Env.Local", "write", secret],
  ["deep/er/.env.production", "read", secret],
  [".env.example", "read", ".env.example"],
  [".env.sample", "read", ".env.sample"],
  [".env.template", "read", ".env.template"],
  [".env.example", "write", ".env.example"],
  [".env.example.local", "read", secret],
  [".env.", "read", secret],
  [".e\u200Bnv", "read", secret],
  ["\uFF0Eenv", "read", secret],
  [".environment", "read", ".environment"],
  ["src/.env/x", "read", secret],
  ["notes", "read", /“notes” leads to “\.env”, which cannot be read/],
  ["notes", "write", secret],
  [".npmrc", "read", secret],
  ["good.env.link", "read", "src/a.ts"],
  ["key.pem", "read", secret],
  ["KEY.PEM", "write", secret],
  ["a/server.key", "read", secret],
  ["a/server.p12", "read", secret],
  ["a/server.pfx", "read", secret],
  ["keyboard.ts", "write", "keyboard.ts"],
  ["id_rsa", "read", secret],
  ["id_rsa.pub", "read", secret],
  ["id_ed25519", "read", secret],
  ["id_ecdsa_sk", "read", secret],
  [".pypirc", "read", secret],
  [".netrc", "read", secret],
  [".git-credentials", "read", secret],
  [".aws/credentials", "read", /credentials/],
  [".ssh", "read", /credentials/],
  [".ssh/known_hosts", "read", /credentials/],
  [String.raw`.ssh\known_hosts`, "read", /credentials/],
  [".gnupg/x", "write", /credentials/],
  [".kube/config", "read", /credentials/],
  [".docker/config.json", "read", /credentials/],
  [".docker/daemon.json", "read", ".docker/daemon.json"],
  [".brain", "read", /own records/],
  [".brain/MEMORY.md", "write", /own records/],
  ["brain/MEMORY.md", "read", /leads to “\.brain\/MEMORY\.md”/],
  [".git/HEAD", "read", ".git/HEAD"],
  [".git/HEAD", "write", /only git itself/],
  [".GIT/hooks/pre-commit", "write", /only git itself/],
  ["vendor/lib/.git/hooks/x", "write", /only git itself/],
  ["records/hooks/x", "write", /only git itself/],
  [".git/config", "read", /credentials/],
  ["records/config", "read", /credentials/],
  [".gitignore", "write", ".gitignore"],
  [".github/workflows/ci.yml", "write", ".github/workflows/ci.yml"],
  ["tls/site.crt", "read", /the settings or the agent’s rules deny/],
  ["private/plans/2030.md", "read", /the settings or the agent’s rules deny/],
  ["private/other.md", "read", "private/other.md"],
];

describe("BRAIN-EXEC-4 the scope", () => {
  for (const [path, access, expected] of table) {
    const outcome = typeof expected === "string" ? `becomes ${expected.slice(0, 40)}` : "is denied";
    it(`${access} ${JSON.stringify(path.slice(0, 60))} ${outcome}`, async () => {
      const result = await scope.resolve(path, access);
      if (typeof expected === "string") {
        assert.ok("real" in result, JSON.stringify(result));
        assert.equal(result.relative, expected);
        assert.equal(result.real, join(scope.root, expected));
      } else {
        assert.ok("denied" in result, JSON.stringify(result));
        assert.match(result.denied, expected);
        assert.ok(
          result.denied.startsWith(`“${path.slice(0, 300).replace("\0", "\uFFFD")}” `) && result.denied.endsWith("."),
        );
        assert.ok(!result.denied.includes(base) || path.includes(base));
      }
    });
  }

  it("takes absolute paths inside, by the root's real name and by a link to it", async () => {
    for (const root of [scope.root, join(base, "link-to-root")]) {
      const result = await scope.resolve(join(root, "src", "a.ts"), "read");
      assert.ok("real" in result && result.relative === "src/a.ts");
    }
  });

  it("opens a root that is itself named by a link, and denies there by name and by place", async () => {
    const linked = await createScope({ root: join(base, "link-to-root") });
    assert.equal(linked.root, scope.root);
    assert.ok("denied" in (await linked.resolve(join(base, "link-to-root", ".npmrc"), "read")));
    assert.ok("real" in (await linked.resolve("src/a.ts", "read")));
    assert.ok("denied" in (await linked.resolve("../root-evil/x", "read")));
  });

  it("denies an absolute path to a sibling whose name begins like the root", async () => {
    const result = await scope.resolve(`${scope.root}-evil/x`, "read");
    assert.ok("denied" in result);
  });

  it("refuses to open a folder that does not exist", async () => {
    await assert.rejects(createScope({ root: join(base, "nowhere") }));
  });

  it("never yields a path outside the real root, whatever is asked", async () => {
    const links = ["out", "outfile", "evil", "inside", "self", "up", "absolute", "danglingOut", "danglingIn", "loop"];
    const words = [
      "..",
      ".",
      "",
      "src",
      "root",
      "root-evil",
      "outside",
      "secret.txt",
      "a.ts",
      "~",
      "\\",
      "..\\..",
      "%2e",
    ];
    const segment = fc.oneof(fc.constantFrom(...links, ...words, ".env", ".git"), fc.string({ maxLength: 4 }));
    const path = fc.tuple(fc.constantFrom("", "/", "//", "./", "../", base, `${base}/root`), fc.array(segment));
    await fc.assert(
      fc.asyncProperty(path, fc.constantFrom<Access>("read", "write"), async ([start, segments], access) => {
        const result = await scope.resolve(start + segments.join("/"), access);
        if ("denied" in result) return;
        assert.ok(result.real === scope.root || result.real.startsWith(scope.root + sep), result.real);
        assert.equal(join(scope.root, result.relative), result.real);
        const existing = await realpath(result.real).catch(() => result.real);
        assert.equal(existing, result.real, "a resolved path holds no link");
        assert.ok(access === "read" || !result.relative.split("/").includes(".git"));
      }),
      { numRuns: 400 },
    );
  });
});

describe("Being inside a folder", () => {
  const cases: readonly (readonly [string, string, typeof posix, string | null])[] = [
    ["/root", "/root", posix, "."],
    ["/root", "/root/a/b", posix, "a/b"],
    ["/root", "/root-evil", posix, null],
    ["/root", "/", posix, null],
    ["/root", "/root/..a", posix, "..a"],
    ["/", "/etc", posix, "etc"],
    [String.raw`C:\work`, String.raw`C:\WORK\Src\a.ts`, win32, "Src/a.ts"],
    [String.raw`C:\work`, String.raw`C:\work-evil\a`, win32, null],
    [String.raw`C:\work`, String.raw`D:\work\a`, win32, null],
    [String.raw`C:\work`, String.raw`\\server\share\a`, win32, null],
    [String.raw`C:\work`, String.raw`C:\a`, win32, null],
  ];
  for (const [root, target, rules, expected] of cases)
    it(`${target} in ${root}: ${expected ?? "outside"}`, () => {
      assert.equal(relativeInside(root, target, rules), expected);
    });
});
