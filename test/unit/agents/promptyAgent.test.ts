import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgents } from "../../../src/agents/catalog.ts";

const reviewer = `---
name: Reviewer
description: Reads changes.
model:
  id: some-model
  connection: {kind: key, apiKey: "\${env:SOME_KEY}"}
inputs:
  tone: calm
  question: {kind: string, required: true}
  photo: {kind: image}
---
system:
You review, and you are {{ tone }}.{{ photo }}

user:
{{ question }}

developer:
Be short.
`;

describe("a .prompty file among the agents", () => {
  it("is an agent by its file's name, and is who its system messages say with the defaults of its inputs", () =>
    withFiles({ "My Reviewer.prompty": reviewer, "notes.txt": "x" }, async (dir) => {
      const agents = createAgents({ dir });
      const path = join(dir, "agents", "My Reviewer.prompty");
      assert.deepEqual((await agents.list()).slice(1), [
        { id: "My Reviewer", name: "Reviewer", description: "Reads changes.", path, problems: [] },
      ]);
      const expected = {
        id: "my-reviewer",
        name: "Reviewer",
        description: "Reads changes.",
        model: "some-model",
        identity: "You review, and you are calm.\n\nBe short.",
        source: ".brain/agents/My Reviewer.prompty",
      };
      assert.deepEqual(await agents.resolve("My Reviewer"), expected);
      assert.deepEqual(await agents.resolve("my-reviewer"), expected);
    }));

  it("PROMPTY-2-9 reads no environment variable, and nothing at all in a folder that is not trusted", () =>
    withFiles({ "a.prompty": "---\ninputs: {home: '${env:HOME}'}\n---\n{{ home }}" }, async (dir) => {
      assert.equal((await createAgents({ dir }).resolve("a")).identity, "${env:HOME}");
      assert.equal((await createAgents({ dir: null }).list()).length, 1);
    }));

  it("with tools of its own may use those and no others, and is answered from where its file says", () =>
    withFiles(
      {
        "a.prompty":
          '---\nmodel: {id: m, connection: {endpoint: "https://x.example", apiKey: k}}\ntools: [{name: read_file}]\n---\nx',
      },
      async (dir) => {
        const agent = await createAgents({ dir }).resolve("a");
        const path = await realpath(join(dir, "agents", "a.prompty"));
        assert.equal(agent.prompt, path);
        assert.deepEqual(agent.connection, { baseUrl: "https://x.example", file: "a.prompty", variables: [] });
      },
    ));

  it("PROMPTY-4-1 is listed with what is wrong with it, and where", () =>
    withFiles(
      {
        "a.prompty": "---\nname: a\n---\n{% if x %}",
        "b.prompty": "---\ntools: [{name: ask, kind: prompty, path: ../../up.prompty}]\n---\nx",
        "c.prompty": "---\nmodel: {apiType: embedding}\n---\nx",
        "d.prompty": "---\ninputs: {xs: 3}\n---\n{% for x in xs %}{% endfor %}",
        "e.prompty": "x",
        "e/AGENT.md": "---\nid: e\nname: E\n---\nx",
        "../secret.prompty": "x",
      },
      async (dir) => {
        await symlink(join(dir, "secret.prompty"), join(dir, "agents", "inside.prompty"));
        await symlink(join(dir, ".."), join(dir, "agents", "out.prompty"));
        const agents = await createAgents({ dir }).list();
        assert.deepEqual(
          agents.slice(1).map(({ id, problems }) => [id, ...problems]),
          [
            ["a", "a.prompty:4: template: `if` has no `endif`"],
            ["b", "b.prompty: The tool ask cannot be used: “../../up.prompty” is outside of the folder of the prompt."],
            ["c", "c.prompty: is for embeddings, not for a chat"],
            ["d", "d.prompty: There is nothing to go through in 3."],
            ["e"],
            ["e.prompty", "e.prompty: there is another agent of that name; rename one of them"],
            ["inside"],
            ["out", "out.prompty: is a link out of the .brain folder"],
          ],
        );
      },
    ));
});

/** @param files by their path in the folder of agents */
async function withFiles(files: Readonly<Record<string, string>>, test: (dir: string) => Promise<void>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "agents-test-"));
  const dir = join(root, ".brain");
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(dir, "agents", name, ".."), { recursive: true });
      await writeFile(join(dir, "agents", name), text);
    }
    await test(dir);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
