// Inputs as a person gives them: what a box takes, what the agent then is, and the prompt as it is shown beside its file.
import assert from "node:assert/strict";
import { realpath } from "node:fs/promises";
import { createAgents } from "../../../src/agents/catalog.ts";
import { loadPrompty, readPromptyText } from "../../../src/agents/promptyFile.ts";
import { askableInputs, choicesFor, previewText, readInput, userText } from "../../../src/agents/promptyInputs.ts";
import type { Prompty } from "../../../src/agents/promptyShape.ts";
import { withPrompts } from "../../support/invoking.ts";

const text = `---
name: guide
inputs:
  - {name: city, kind: string, required: true}
  - {name: tone, kind: string, default: calm, enumValues: [calm, loud]}
  - {name: days, kind: integer, default: 2}
  - {name: history, kind: thread}
---
system:
You are {{ tone }}.

user:
{{ days }} days in {{ city }}.
`;

async function prompty(): Promise<Prompty> {
  const read = await readPromptyText(text, "/w/guide.prompty");
  assert.ok("prompty" in read);
  return read.prompty;
}

describe("inputs of a prompt", () => {
  it("that can be written are asked for, some of them as a choice", async () => {
    const [city, tone, days, ...more] = askableInputs(await prompty());
    assert.ok(city && tone && days);
    assert.deepEqual(more, []);
    assert.equal(choicesFor(city), null);
    assert.deepEqual(choicesFor(tone), ["calm", "loud"]);
    assert.deepEqual(choicesFor({ name: "x", kind: "boolean" }), [true, false]);
  });

  it("are read by their kind, and refused in a sentence", () => {
    const read = (kind: string, written: string, required = false): unknown =>
      Object.values(readInput({ name: "x", kind, required }, written))[0];
    assert.equal(read("integer", "12"), 12);
    assert.equal(read("integer", "1.5"), "x must be a whole number.");
    assert.equal(read("float", "a"), "x must be a number.");
    assert.deepEqual(read("array", "[1]"), [1]);
    assert.equal(read("object", "[1]"), 'x must be a group, such as {"a": 1}.');
    assert.equal(read("string", "12"), "12");
    assert.equal(read("string", "", true), "x must be given.");
    assert.equal(read("integer", " "), undefined);
  });

  it("fill the message in, and the preview, where missing ones show by their names", async () => {
    const guide = await prompty();
    assert.equal(await userText(guide, { city: "Rome", days: 3 }), "3 days in Rome.");
    const shown = "system:\nYou are loud.\n\nuser:\n2 days in ‹city›.\n";
    assert.equal(await previewText(guide, { tone: "loud" }), shown);
  });

  it("that were given are what the agent of the chat is rendered with", () =>
    withPrompts({ "agents/guide.prompty": text }, async (dir) => {
      const file = await realpath(`${dir}/agents/guide.prompty`);
      const agents = createAgents({ dir, inputs: (path) => (path === file ? { tone: "loud" } : {}) });
      assert.equal((await agents.resolve("guide")).identity, "You are loud.");
      assert.equal((await createAgents({ dir }).resolve("guide")).identity, "You are calm.");
    }));
});

describe("a new agent as a .prompty", () => {
  it("runs as it is written, and takes no name that there is", () =>
    withPrompts({}, async (dir) => {
      const agents = createAgents({ dir });
      const file = await agents.create("My Guide", "prompty");
      assert.ok(file.endsWith("my-guide.prompty"));
      assert.ok("prompty" in (await loadPrompty(file)));
      assert.match((await agents.resolve("my-guide")).identity, /^You are/);
      assert.ok((await agents.create("My Guide", "prompty")).endsWith("my-guide-2.prompty"));
      assert.match(await agents.create("My Guide"), /my-guide-3.AGENT\.md$/);
      const listed = await agents.list();
      assert.deepEqual(
        listed.flatMap(({ problems, warnings = [] }) => [...problems, ...warnings]),
        [],
      );
      assert.ok(listed.some(({ name }) => name === "My Guide"));
    }));
});
