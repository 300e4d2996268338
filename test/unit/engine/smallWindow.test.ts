// A model with a small window is told the same in fewer words, and nothing that it has no room to use.
import assert from "node:assert/strict";
import { calls, kit, says, scriptedModel, tool } from "../../support/kit.ts";

const chatty = {
  ...tool("edit_file", { effect: "write" }),
  description: "Edits a file. Much could be said of that. And more.",
  parameters: {
    type: "object",
    properties: { path: { type: "string", description: "The file. Relative." }, count: { type: "number" } },
    required: ["path"],
  },
};

const sentTo = async (contextWindow: number) => {
  const model = { ...scriptedModel(calls(["c", "edit_file", { path: "x" }]), says("Done.")), contextWindow };
  const made = kit({ model, tools: [chatty] });
  const { status } = await made.run();
  assert.equal(status, "completed");
  return model.requests;
};

describe("a small window", () => {
  it("has each tool in a sentence, and neither references nor reasons, in every request", async () => {
    for (const { system, tools } of await sentTo(12_000)) {
      assert.doesNotMatch(system, /_outputPath|_reasoningForCall|†/);
      assert.match(system, /one folder/);
      assert.deepEqual(tools, [
        {
          name: "edit_file",
          description: "Edits a file.",
          parameters: {
            type: "object",
            properties: { path: { type: "string", description: "The file." }, count: { type: "number" } },
            required: ["path"],
          },
        },
      ]);
    }
  });

  it("begins below 16,000 tokens", async () => {
    const [request] = await sentTo(16_000);
    assert.match(request?.system ?? "", /_outputPath/);
    assert.equal(request?.tools[0]?.description, chatty.description);
  });
});
