// BRAIN-EXEC-4 every way out, through every tool that takes a path, on a real file system.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Params } from "../../../src/protocol/messages.ts";
import { escapeCases, type EscapeCase } from "./escapeCases.ts";
import { canary, openTrap, type Trap } from "./trap.ts";

interface Use {
  readonly tool: string;
  readonly access: "read" | "write";
  params(path: string): Params;
}

const uses: readonly Use[] = [
  { tool: "read_file", access: "read", params: (path) => ({ path }) },
  { tool: "list_files", access: "read", params: (path) => ({ path }) },
  { tool: "search_text", access: "read", params: (path) => ({ path, pattern: canary }) },
  { tool: "run_command", access: "read", params: (cwd) => ({ command: "pwd -P", cwd }) },
  { tool: "write_file", access: "write", params: (path) => ({ path, content: "written" }) },
  {
    tool: "edit_file",
    access: "write",
    params: (path) => ({ path, edits: [{ old_text: canary, new_text: "edited" }] }),
  },
];

/** Tried where they must be refused: elsewhere they would take the trap apart. */
const removing: readonly Use[] = [
  { tool: "delete_file", access: "write", params: (path) => ({ path }) },
  { tool: "move_file", access: "write", params: (path) => ({ path, to: "moved.txt" }) },
  { tool: "move_file", access: "write", params: (to) => ({ path: "src/a.ts", to }) },
];

let trap: Trap;
let state: string[] = [];
before(async () => {
  trap = await openTrap();
  state = await trap.state();
});
after(() => trap[Symbol.asyncDispose]());

async function attempt({ path: written, refuses }: EscapeCase): Promise<void> {
  const path = trap.named(written);
  for (const { tool, access, params } of refuses === "nothing" ? uses : [...uses, ...removing]) {
    const { status, content, shown } = await trap.place.call(tool, params(path));
    if (refuses === "nothing") {
      assert.ok(tool !== "write_file" || status === "succeeded", content);
      continue;
    }
    if (refuses === "both" || access === "write") {
      assert.equal(status, "failed", `${tool} said: ${content}`);
      assert.ok(!content.includes("\n") || tool === "run_command", `${tool} said: ${content}`);
      assert.ok(!content.includes(trap.outside) || path.includes(trap.outside), `${tool} said: ${content}`);
      assert.ok(!(content + shown).replaceAll(path, "").includes(canary), `${tool} said: ${content}`);
    }
  }
  const now = await trap.state();
  const touched = now.filter((line) => !state.includes(line));
  const allowed = (line: string): boolean => refuses === "nothing" && line.startsWith(`${trap.root}/`);
  const gone = now.length < state.length;
  state = now;
  assert.ok(!gone && touched.every(allowed), touched.join("\n"));
}

describe("BRAIN-EXEC-4 ways out of the workspace", () => {
  it("are many", () => assert.ok(escapeCases.length >= 400, String(escapeCases.length)));

  for (const escape of escapeCases) {
    const does = escape.refuses === "nothing" ? "stays inside" : `refused to ${escape.refuses}`;
    it(`${escape.way}, ${does}: ${JSON.stringify(escape.path.slice(0, 60))}`, () => attempt(escape));
  }

  it("show nothing in lists and searches of the whole workspace", async () => {
    const listed = await trap.place.call("list_files", {});
    assert.match(listed.content, /src\/a\.ts/);
    assert.ok(!listed.content.includes(canary) && !listed.content.includes("private/"), listed.content);
    const found = await trap.place.call("search_text", { pattern: canary });
    assert.equal(found.content, "No line was found.");
  });

  it("are none of those that can be made of links, names, spellings and encodings", async () => {
    const names = ["..", ".", "", "src", "deep", "self", "up", "out", "inner", "src/middle", "chain1", "evil", "back"];
    const targets = [
      "secret.txt",
      ".env",
      "notes",
      "keys",
      "records",
      "hard.txt",
      "loop",
      "danglingOut",
      "private",
      "pipe",
    ];
    const encoded = ["%2e%2e", "..%2f", "%00", "\\", "..\\..", "\uFF0E\uFF0E", ".\u200B.", "{ROOTNAME}", "{OUTNAME}"];
    const segment = fc.oneof(fc.constantFrom(...names, ...targets, ...encoded), fc.string({ maxLength: 4 }));
    const start = fc.constantFrom("", "/", "./", "../", "{ROOT}/", "{OUT}/", "/proc/self/root/", "/proc/self/cwd/");
    const path = fc.tuple(start, fc.array(segment, { maxLength: 6 })).map(([first, rest]) => first + rest.join("/"));
    const secrets = async (): Promise<string[]> => (await trap.state()).filter((line) => secret.test(line));
    const secret = new RegExp(`^(?!${trap.root}/)|/(?:[.]env|[.]ssh|private)(?: |/)`, "u");
    const before = await secrets();
    await fc.assert(
      fc.asyncProperty(path, fc.constantFrom(...uses), async (written, { tool, params }) => {
        const named = trap.named(written);
        const { content, shown } = await trap.place.call(tool, params(named));
        assert.ok(!(content + shown).includes(`${canary} of`), content);
        assert.deepEqual(await secrets(), before);
      }),
      { numRuns: 250 },
    );
  });
});
