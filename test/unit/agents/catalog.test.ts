import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { parseAgentFile } from "../../../src/agents/agentFile.ts";
import { coder } from "../../../src/agents/builtin.ts";
import { createAgents } from "../../../src/agents/catalog.ts";
import { AgentFrontMatter } from "../../../src/protocol/agents.ts";
import { LoopError } from "../../../src/protocol/errors.ts";

const reviewer = "---\nid: reviewer\nname: Reviewer\ndescription: Reads changes.\ncolour: red\n---\n\nYou review.\n";
const invalid = "---\nid: Bad Id\n---\nText\n";

describe("an AGENT.md", () => {
  it("is its front matter, unknown keys included, and the text below", () => {
    assert.deepEqual(parseAgentFile(reviewer, "here"), {
      agent: {
        id: "reviewer",
        name: "Reviewer",
        description: "Reads changes.",
        colour: "red",
        identity: "You review.",
        source: "here",
      },
    });
  });

  it("BRAIN-INTAKE-4 has a sentence for every problem", () => {
    assert.deepEqual(parseAgentFile(invalid, "here"), {
      problems: ["AGENT.md:2: id: use lower-case letters, digits and hyphens", "AGENT.md:2: name: is missing (a text)"],
    });
  });
});

describe("agents", () => {
  it("BRAIN-INTAKE-9 without a name it is the built-in one, which is as valid as any", () =>
    withAgents({}, async ({ agents }) => {
      assert.equal(await agents.resolve(undefined), coder);
      assert.equal(await agents.resolve("coder"), coder);
      assert.equal(AgentFrontMatter.safeParse(coder).success, true);
      assert.deepEqual(await agents.list(), [
        { id: "coder", name: "Coder", description: coder.description, path: null, problems: [] },
      ]);
    }));

  it("a folder named coder takes the place of the built-in one, also when it is invalid", () =>
    withAgents({ coder: reviewer }, async ({ agents, dir }) => {
      const agent = await agents.resolve(undefined);
      assert.deepEqual([agent.id, agent.source], ["reviewer", `${basename(dir)}/agents/coder/AGENT.md`]);
      await writeFile(join(dir, "agents", "coder", "AGENT.md"), invalid);
      await assert.rejects(agents.resolve(undefined), { code: "agent_invalid" });
    }));

  it("are found by folder and by id", () =>
    withAgents({ critic: reviewer, empty: null }, async ({ agents }) => {
      assert.equal((await agents.resolve("critic")).name, "Reviewer");
      assert.equal((await agents.resolve("reviewer")).name, "Reviewer");
    }));

  it("BRAIN-INTAKE-3 one that is not there is told with those that are", () =>
    withAgents({ critic: reviewer, empty: null }, async ({ agents }) => {
      for (const name of ["nobody", "empty", "", "../critic"])
        await assert.rejects(agents.resolve(name), {
          code: "agent_not_found",
          message: `There is no agent “${name}”. The agents are: coder, critic.`,
        });
    }));

  it("BRAIN-INTAKE-4 an invalid one is refused with every problem and its line", () =>
    withAgents({ broken: invalid }, async ({ agents }) => {
      const details = [
        "AGENT.md:2: id: use lower-case letters, digits and hyphens",
        "AGENT.md:2: name: is missing (a text)",
      ];
      await assert.rejects(agents.resolve("broken"), (error) => {
        assert.ok(error instanceof LoopError);
        assert.deepEqual([error.code, error.details], ["agent_invalid", details]);
        return true;
      });
      const [, broken] = await agents.list();
      assert.deepEqual([broken?.id, broken?.problems], ["broken", details]);
    }));

  it("a list has them all, whatever is in the way", () =>
    withAgents({ b: reviewer, a: invalid, c: null }, async ({ agents, dir }) => {
      await writeFile(join(dir, "agents", "notes.txt"), "");
      await mkdir(join(dir, "agents", "d", "AGENT.md"), { recursive: true });
      await mkdir(join(dir, "agents", "e"));
      await writeFile(join(dir, "agents", "e", "AGENT.md"), Buffer.alloc(1_000_001, "x"));
      const listed = await agents.list();
      assert.deepEqual(
        listed.map(({ id, problems }) => [id, problems.at(-1) ?? "fine"]),
        [
          ["coder", "fine"],
          ["a", "AGENT.md:2: name: is missing (a text)"],
          ["b", "fine"],
          ["d", "AGENT.md: is not a file"],
          ["e", "AGENT.md: is larger than a megabyte"],
        ],
      );
    }));

  it("a link out of the folder is refused, one inside is followed", async function () {
    if (process.platform === "win32") return this.skip();
    await withAgents({ real: reviewer, leak: null, alias: null }, async ({ agents, dir }) => {
      await writeFile(join(dirname(dir), "outside.md"), reviewer);
      await symlink(join(dirname(dir), "outside.md"), join(dir, "agents", "leak", "AGENT.md"));
      await symlink(join(dir, "agents", "real", "AGENT.md"), join(dir, "agents", "alias", "AGENT.md"));
      await assert.rejects(agents.resolve("leak"), /AGENT\.md: is a link out of the \.brain folder/);
      assert.equal((await agents.resolve("alias")).name, "Reviewer");
    });
  });

  it("of a folder that is not trusted are not loaded, and none can be made there", async () => {
    const agents = createAgents({ dir: null });
    assert.equal(await agents.resolve(undefined), coder);
    assert.equal((await agents.list()).length, 1);
    await assert.rejects(agents.resolve("critic"), { code: "agent_not_found" });
    await assert.rejects(agents.create("Critic"), { code: "untrusted_workspace" });
  });

  it("a new one is valid, is found by its name, and takes nobody's place", () =>
    withAgents({}, async ({ agents, dir }) => {
      const names = [
        "Über-Prüfer & Co",
        "Über-Prüfer & Co",
        "../../etc",
        "",
        "Con",
        '"quoted" \\ {x}: #1\nnew line',
        "x".repeat(300),
      ];
      const folders = [];
      for (const name of names) {
        const path = await agents.create(name);
        assert.equal(dirname(dirname(path)), join(dir, "agents"));
        const agent = await agents.resolve(basename(dirname(path)));
        assert.equal(agent.id, basename(dirname(path)));
        assert.equal(agent.name, name.replaceAll(/\s+/g, " ").trim() || "agent");
        folders.push(agent.id);
      }
      assert.deepEqual(folders, [
        "uber-prufer-co",
        "uber-prufer-co-2",
        "etc",
        "agent",
        "con-agent",
        "quoted-x-1-new-line",
        "x".repeat(40),
      ]);
      assert.match(await readFile(join(dir, "agents", "etc", "AGENT.md"), "utf8"), /^---\n# /);
    }));

  it("says when a new one cannot be written", () =>
    withAgents({}, async ({ agents, dir }) => {
      await rm(join(dir, "agents"), { recursive: true });
      await writeFile(join(dir, "agents"), "");
      await assert.rejects(agents.create("Critic"), { code: "disk_write" });
      assert.equal((await agents.list()).length, 1);
    }));
});

interface Fixture {
  readonly dir: string;
  readonly agents: ReturnType<typeof createAgents>;
}

/** @param files folder names with the text of their AGENT.md; null: none */
async function withAgents(
  files: Record<string, string | null>,
  test: (fixture: Fixture) => Promise<void>,
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "agents-test-"));
  const dir = join(root, ".brain");
  try {
    await mkdir(join(dir, "agents"), { recursive: true });
    for (const [folder, text] of Object.entries(files)) {
      await mkdir(join(dir, "agents", folder));
      if (text !== null) await writeFile(join(dir, "agents", folder, "AGENT.md"), text);
    }
    await test({ dir, agents: createAgents({ dir }) });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
