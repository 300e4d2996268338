// The profile for macOS, read as its language is read: nothing in a path gets out of its quotes, and what is closed stays closed.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Walls } from "../../../src/scope/bubblewrap.ts";
import type { ClosedPath } from "../../../src/scope/closedPaths.ts";
import { profileOf, seatbelt } from "../../../src/scope/seatbelt.ts";

type Form = string | { readonly text: string } | readonly Form[];

/** Reads lists, words and quoted texts; a backslash takes the next sign as it is. */
function read(profile: string): readonly Form[] {
  const open: Form[][] = [[]];
  const token = /\s+|(?<list>[()])|"(?<text>(?:[^"\\]|\\["\\])*)"|(?<word>[^\s()"\\]+)/suy;
  while (token.lastIndex < profile.length) {
    const found = token.exec(profile);
    assert.ok(found, "nothing else may stand in a profile");
    const { list, text, word } = found.groups ?? {};
    if (list === "(") open.push([]);
    if (list === ")") {
      const done = open.pop() ?? [];
      assert.ok(open.length > 0, "a list too many was closed");
      open.at(-1)?.push(done);
    }
    if (text !== undefined) open.at(-1)?.push({ text: text.replaceAll(/\\(["\\])/g, "$1") });
    if (word !== undefined) open.at(-1)?.push(word);
  }
  assert.equal(open.length, 1, "every list is closed");
  return open[0] ?? [];
}

function fits([kind, about]: readonly Form[], path: string): boolean {
  const text = textOf(about);
  if (kind === "literal") return path === text;
  if (kind === "subpath") return path === text || path.startsWith(`${text}/`);
  return kind === "regex" && new RegExp(text, "s").test(path);
}

function textOf(form: Form | undefined): string {
  return typeof form === "object" && "text" in form ? form.text : "";
}

function isList(form: Form): form is readonly Form[] {
  return Array.isArray(form);
}

/** What the profile says of an operation on a path: the last rule that speaks of both. */
function says(profile: string, operation: string, path: string): "allow" | "deny" {
  let said: "allow" | "deny" = "deny";
  for (const [decision, ...rest] of read(profile).filter(isList)) {
    const speaks = rest.some((word) => typeof word === "string" && covers(word, operation));
    const filters = rest.filter(isList);
    const isAbout = filters.length === 0 || filters.some((one) => fits(one, path));
    if ((decision === "allow" || decision === "deny") && speaks && isAbout) said = decision;
  }
  return said;
}

function covers(word: string, operation: string): boolean {
  return word.endsWith("*") ? operation.startsWith(word.slice(0, -1)) : word === operation;
}

const root = "/Users/ada/shop";
const walls = (closed: readonly ClosedPath[], change: Partial<Walls> = {}): Walls => ({
  roots: [root],
  open: new Map(),
  temp: "/private/var/folders/x/T/brain-sandbox-1/temp",
  blockedFile: "/b",
  blockedFolder: "/f",
  closed,
  gate: null,
  ...change,
});

const name = fc.string({ unit: "binary", minLength: 1, maxLength: 12 }).filter((text) => !/[/\0]/.test(text));
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => `${root}/${names.join("/")}`);

describe("The profile for macOS", () => {
  it("keeps every path inside of its quotes, and as it is", () =>
    fc.assert(
      fc.property(path, path, (closed, other) => {
        const profile = profileOf(walls([{ path: closed, how: "file" }], { roots: [root, other] }));
        const texts = read(profile).flatMap((rule) => (isList(rule) ? rule.flat() : []));
        for (const text of [closed, other]) assert.ok(texts.some((form) => textOf(form) === text));
      }),
    ));

  it("closes what is closed, in any case of its letters, and nothing beside it", () =>
    fc.assert(
      fc.property(path, name, (closed, beside) => {
        const profile = profileOf(walls([{ path: closed, how: "folder" }]));
        const swapped = closed.replaceAll(/[a-z]/gi, (letter) =>
          letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
        );
        for (const at of [closed, swapped, `${closed}/${beside}`])
          for (const operation of ["file-read-data", "file-read-metadata", "file-write-data", "file-write-unlink"])
            assert.equal(says(profile, operation, at), "deny");
        const other = `${closed}${beside}`;
        assert.equal(says(profile, "file-read-data", other), "allow");
        assert.equal(says(profile, "file-write-data", other), "allow");
      }),
    ));

  it("lets no folder be moved in which something is closed, up to the workspace itself", () => {
    const profile = profileOf(walls([{ path: `${root}/a/b/.env`, how: "file" }]));
    for (const folder of [`${root}/a/b`, `${root}/a`, `${root}/A`, root, walls([]).temp])
      assert.equal(says(profile, "file-write-unlink", folder), "deny", folder);
    for (const file of [`${root}/a/b/c`, `${root}/x`])
      assert.equal(says(profile, "file-write-unlink", file), "allow", file);
    assert.equal(says(profile, "file-write-create", `${root}/a/b/new`), "allow");
  });

  it("leaves nothing of the workspace there but what an agent may use", () => {
    const inner = `${root}/inner`;
    const open = new Map([
      [inner, [{ path: `${inner}/lib`, how: "writable" }]],
      [
        root,
        [
          { path: `${root}/src/a`, how: "writable" },
          { path: `${root}/node_modules`, how: "readOnly" },
        ],
      ],
    ] as const);
    const profile = profileOf(walls([{ path: `${root}/src/a/.env`, how: "file" }], { roots: [inner, root], open }));
    for (const file of [`${root}/src/a/b`, `${inner}/lib/x`, `${root}/node_modules/x`, "/usr/bin/env"])
      assert.equal(says(profile, "file-read-data", file), "allow", file);
    for (const file of [`${root}/README.md`, `${root}/src/b`, `${inner}/x`, `${root}/src/a/.env`])
      assert.equal(says(profile, "file-read-data", file), "deny", file);
    assert.equal(says(profile, "file-read-metadata", `${root}/src`), "allow");
    for (const file of [`${root}/node_modules/x`, `${root}/README.md`, root, inner])
      assert.equal(says(profile, "file-write-data", file), "deny", file);
    assert.equal(says(profile, "file-write-data", `${root}/src/a/b`), "allow");
  });

  it("lets files be written in the workspace and the temporary folder only, and read everywhere", () => {
    const profile = profileOf(
      walls([
        { path: `${root}/.vscode`, how: "readOnly" },
        { path: `${root}/.git`, how: "fixed" },
      ]),
    );
    const { temp } = walls([]);
    for (const file of [`${root}/a`, `${temp}/a`, `${root}/.git/index`, "/dev/null"])
      assert.equal(says(profile, "file-write-data", file), "allow", file);
    for (const file of [
      "/etc/x",
      `${root}2/a`,
      "/Users/ada/.zshrc",
      `${root}/.vscode/tasks.json`,
      "/dev/ttys001",
      "/tmp/x",
    ])
      assert.equal(says(profile, "file-write-data", file), "deny", file);
    assert.equal(says(profile, "file-read-data", `${root}/.vscode/tasks.json`), "allow");
    assert.equal(says(profile, "file-write-unlink", `${root}/.git`), "deny");
  });

  it("knows the folders that have two names by the one that the system uses", () => {
    const profile = profileOf(walls([{ path: "/var/x/.env", how: "file" }], { roots: ["/tmp/w"] }));
    assert.equal(says(profile, "file-read-data", "/private/var/x/.env"), "deny");
    assert.equal(says(profile, "file-write-data", "/private/tmp/w/a"), "allow");
  });

  it("opens no network but the one port of the gate", () => {
    const network = (gate: Walls["gate"]): readonly Form[] =>
      read(profileOf(walls([], { gate })))
        .filter(isList)
        .filter(([, operation]) => typeof operation === "string" && operation.startsWith("network"));
    assert.deepEqual(network(null), []);
    assert.deepEqual(network("/a/socket"), []);
    assert.deepEqual(network(4711), [["allow", "network-outbound", ["remote", "ip", { text: "localhost:4711" }]]]);
    assert.deepEqual(read(profileOf(walls([])))[1], ["deny", "default"]);
  });

  it("is what the system’s own program is started with", () => {
    const { file, args, env } = seatbelt({ file: "/bin/sh", args: ["-c", "true"], env: { PATH: "/bin" } }, walls([]));
    assert.equal(file, "/usr/bin/sandbox-exec");
    assert.deepEqual([args[0], ...args.slice(2)], ["-p", "/bin/sh", "-c", "true"]);
    assert.equal(env["TMPDIR"], walls([]).temp);
    const many = Array.from({ length: 5_000 }, (_, index) => ({ path: `${root}/${index}.pem`, how: "file" as const }));
    assert.throws(() => seatbelt({ file: "true", args: [], env: {} }, walls(many)), /5000 files must be closed/);
  });
});
