// Agents from several folders: which of two with one name counts, and what is taken over of agents that are written for other tools.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createAgents, type AgentFolder } from "../../../src/agents/catalog.ts";
import { withPrompts } from "../../support/invoking.ts";

const agentMd = (name: string): string => `---\nid: ${name}\nname: ${name}\n---\nYou are ${name}.`;

function catalogOf(dir: string, trusted = true) {
  const folder = (name: string): AgentFolder => ({ path: join(dir, name), name, foreign: true });
  const others = [...(trusted ? [folder(".github/agents")] : []), folder("mine")];
  return createAgents({ dir: trusted ? join(dir, ".brain") : null, others: () => others });
}

describe("agents from several folders", () => {
  it("count in one order: .brain, then .github, then the person's own, then the built-in one", () =>
    withPrompts(
      {
        ".brain/agents/a/AGENT.md": agentMd("brain"),
        ".github/agents/a.agent.md": "From .github.",
        ".github/agents/b.agent.md": "From .github.",
        "mine/a.prompty": "Mine.",
        "mine/b.prompty": "Mine.",
        "mine/c.prompty": "Mine.",
        "mine/coder.md": "My coder.",
      },
      async (dir) => {
        const agents = catalogOf(dir);
        const who = async (name: string): Promise<string> => (await agents.resolve(name)).identity;
        assert.deepEqual(await Promise.all(["a", "b", "c", "coder"].map(who)), [
          "You are brain.",
          "From .github.",
          "Mine.",
          "My coder.",
        ]);
        const listed = (await agents.list()).map(({ id, problems }) => [id, ...problems]);
        assert.deepEqual(listed, [["coder"], ["a"], ["b"], ["c"]]);
      },
    ));

  it("one that cannot be used hides what is called the same behind it, and says why", () =>
    withPrompts({ ".brain/agents/a.prompty": "{% if %}", "mine/a.prompty": "Mine." }, async (dir) => {
      await assert.rejects(catalogOf(dir).resolve("a"), { code: "agent_invalid" });
    }));

  it("nothing of a folder that is not trusted counts, and what is the person's own does", () =>
    withPrompts({ ".github/agents/a.agent.md": "No.", "mine/b.prompty": "Mine." }, async (dir) => {
      const listed = (await catalogOf(dir, false).list()).map(({ id }) => id);
      assert.deepEqual(listed, ["coder", "b"]);
    }));

  it("of other tools are their text, with the tools that Brain has of those that they name", () =>
    withPrompts(
      {
        ".github/agents/reviewer.agent.md":
          "---\nname: Reviewer\ndescription: Reads.\nmodel: Some Model 5\ntools: ['read', 'search/codebase', 'web/fetch']\n---\nYou review.",
        ".github/agents/all.md": "---\ntools: ['*']\n---\nYou do all.",
        ".github/agents/none.md": "---\ntools: []\n---\nYou talk.",
        ".github/agents/bash.md": "---\ntools: Bash, Read\n---\nYou run.",
        ".github/agents/broken.agent.md": "---\ntools: {a: 1}\n---\nx",
      },
      async (dir) => {
        const agents = catalogOf(dir);
        assert.deepEqual(await agents.resolve("reviewer"), {
          id: "reviewer",
          name: "Reviewer",
          description: "Reads.",
          tools: ["read_file", "read_output", "list_files", "search_text"],
          identity: "You review.",
          source: ".github/agents/reviewer.agent.md",
        });
        assert.equal((await agents.resolve("all")).tools, undefined);
        assert.deepEqual((await agents.resolve("none")).tools, []);
        assert.deepEqual((await agents.resolve("bash")).tools, [
          "run_command",
          "read_output",
          "stop_command",
          "read_file",
          "list_files",
        ]);
        const broken = (await agents.list()).find(({ id }) => id === "broken");
        assert.match(broken?.problems[0] ?? "", /^broken\.agent\.md:2: tools: /);
      },
    ));
});

describe("the template of an agent", () => {
  it("that has a name which no input is called by is listed with a warning, and renders it as nothing (C-41)", () =>
    withPrompts(
      {
        ".brain/agents/a.prompty":
          "---\ninputs: {tone: calm, xs: [1]}\n---\n{{ tone }}{{ tonne }}{% for x in xs %}{{ x }}{{ loop.index }}{% endfor %}" +
          "{{ maybe | default('no') }}{% if later is defined %}y{% endif %}{{ tone.a }}{{ xs[where] }}{{ tone | join(sep) }}",
        ".brain/agents/b.prompty": "---\ninputs: {tone: calm}\n---\n{{ tone | upper }}",
      },
      async (dir) => {
        const [, a, b] = await catalogOf(dir).list();
        assert.deepEqual(
          a?.warnings,
          ["tonne", "where", "sep"].map(
            (name) => `a.prompty: no input is called “${name}”: what its template has of it is empty`,
          ),
        );
        assert.equal(b?.warnings, undefined);
        assert.match((await catalogOf(dir).resolve("a")).identity, /^calm1/);
      },
    ));
});
