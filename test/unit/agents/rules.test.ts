// The rules of a project: which files count, in which order, and what is not read.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compose, type Composition } from "../../../src/compose.ts";
import type { Rules } from "../../../src/engine/ports.ts";

type Read = (maxLength?: number) => Promise<Rules | undefined>;

const none = { text: "", notices: [] };

/** A workspace with some files, and what its composition reads as rules. */
async function inWorkspace(
  files: Readonly<Record<string, string>>,
  test: (read: Read, root: string) => Promise<void>,
  trusted = true,
): Promise<void> {
  const outer = await mkdtemp(join(tmpdir(), "brain-rules-"));
  const root = join(outer, "workspace");
  await mkdir(join(root, ".brain", "rules"), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), text);
  const made: Composition = compose({
    root,
    brainDir: join(root, ".brain"),
    trusted,
    choice: () => Promise.reject(new Error("no model here")),
    approve: () => Promise.reject(new Error("nobody here")),
    commandTimeout: () => 1_000,
    log: () => undefined,
  });
  try {
    await test(async (maxLength = 1_000) => made.ports.rules?.(maxLength), root);
  } finally {
    await made.dispose();
    await rm(outer, { recursive: true, force: true });
  }
}

describe("the rules of a project", () => {
  it("are AGENTS.md, then those of .brain/rules in the order of their names, read anew each time", () =>
    inWorkspace(
      {
        "AGENTS.md": "\uFEFF# House\nNo tabs.\n",
        ".brain/rules/b.md": "Second.",
        ".brain/rules/a.md": "First.",
        ".brain/rules/empty.md": " \n",
        ".brain/rules/note.txt": "No rule.",
      },
      async (read, root) => {
        const text = "## AGENTS.md\n# House\nNo tabs.\n\n## .brain/rules/a.md\nFirst.\n\n## .brain/rules/b.md\nSecond.";
        assert.deepEqual(await read(), { text, notices: [] });
        await rm(join(root, ".brain"), { recursive: true });
        await writeFile(join(root, "AGENTS.md"), "Tabs.");
        assert.deepEqual(await read(), { text: "## AGENTS.md\nTabs.", notices: [] });
      },
    ));

  it("are none in a folder without such files, and in one that is not trusted", async () => {
    await inWorkspace({}, async (read) => assert.deepEqual(await read(), none));
    await inWorkspace({ "AGENTS.md": "Obey." }, async (read) => assert.equal(await read(), undefined), false);
  });

  it("are not read through a link out of the folder, nor from what is no file; a notice says so", () =>
    inWorkspace({ ".brain/rules/a.md": "Good." }, async (read, root) => {
      await writeFile(join(root, "..", "secret.md"), "Secret.");
      await symlink(join(root, "..", "secret.md"), join(root, "AGENTS.md"));
      await symlink(join(root, "..", "secret.md"), join(root, ".brain", "rules", "b.md"));
      await mkdir(join(root, ".brain", "rules", "c.md"));
      const rules = await read();
      assert.equal(rules?.text, "## .brain/rules/a.md\nGood.");
      assert.deepEqual(
        rules.notices.map(
          (notice) => /^The rules in (\S+) are not used: it is (?:a link|not a file)/.exec(notice)?.[1],
        ),
        ["AGENTS.md", ".brain/rules/b.md", ".brain/rules/c.md"],
      );
    }));

  it("that are too long are cut behind a whole line, and model and person are told", () =>
    inWorkspace({ "AGENTS.md": "Rule ü.\n".repeat(100), ".brain/rules/a.md": "Last rule." }, async (read) => {
      const whole = await read(810);
      assert.deepEqual(whole?.notices, []);
      const cut = await read(60);
      assert.ok(cut);
      const [first, ...rest] = cut.text.split("\n");
      assert.equal(first, "## AGENTS.md");
      assert.deepEqual(
        rest.slice(0, 7),
        Array.from({ length: 7 }, () => "Rule ü."),
      );
      assert.match(rest[7] ?? "", /^\(AGENTS\.md is longer and is cut here/);
      assert.equal(cut.notices.length, 2);
      assert.match(cut.notices[0] ?? "", /not shown all of AGENTS\.md: rules may have 60 characters/);
    }));
});
