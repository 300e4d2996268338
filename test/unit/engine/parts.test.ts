// Images and files with a message or a result: shown to the model, kept in the transcript, counted, and given up when room is short.
import assert from "node:assert/strict";
import { createVirtualClock } from "../../../src/brain/virtualClock.ts";
import { messageTokens } from "../../../src/engine/estimate.ts";
import { prune, withPruned } from "../../../src/engine/prune.ts";
import { rerunAll } from "../../../src/engine/rerun.ts";
import { isMessage, type Message, type ToolEntry } from "../../../src/protocol/messages.ts";
import { validateJson } from "../../../src/tools/jsonSchema.ts";
import { calls, kit, says, scriptedModel, tool } from "../../support/kit.ts";

const png = { kind: "image", value: "aGk=", mediaType: "image/png" } as const;
const pdf = { kind: "file", value: "A".repeat(100_000), mediaType: "application/pdf", name: "a.pdf" } as const;

function showing(): ReturnType<typeof kit> & { readonly model: ReturnType<typeof scriptedModel> } {
  const model = scriptedModel(calls(["a", "look", {}]), says("A cat."));
  const look = tool("look", { run: () => ({ status: "succeeded", content: "cat.png", parts: [png] }) });
  return { ...kit({ model, tools: [look] }), model };
}

describe("parts", () => {
  it("of a message and of a result reach the model, and are kept in the transcript", async () => {
    const made = showing();
    assert.equal((await made.run({ message: "Compare", parts: [pdf] })).status, "completed");
    const [, last] = made.model.requests;
    const partsOf = (messages: readonly Message[]): unknown[] =>
      messages.map((message) => (message.role === "assistant" ? null : message.parts));
    assert.deepEqual(partsOf(last?.messages ?? []), [[pdf], null, [png]]);
    const kept = made.lines.filter(isMessage);
    assert.deepEqual(partsOf(kept), [[pdf], null, [png], null]);
  });

  it("are replayed with the run that they are recorded in", async () => {
    const made = showing();
    await made.run({ message: "Compare", parts: [pdf] });
    const lines = made.lines.map((entry, index) => ({ entry, number: index + 1 }));
    const reruns = await rerunAll(lines, { clockAt: createVirtualClock, validate: validateJson });
    assert.deepEqual(
      reruns.flatMap(({ differences }) => differences),
      [],
    );
  });

  it("count in the estimate, a document by its size", () => {
    const line = { id: "m", runId: "r", timestamp: "" };
    const alone = (...parts: readonly (typeof png | typeof pdf)[]): number =>
      messageTokens([{ role: "user", content: "Hi", ...line, parts: [...parts] }]);
    assert.equal(alone(png) - alone(), 1_500);
    assert.equal(alone(pdf) - alone(), 10_000);
  });

  it("BRAIN-CTX-10 of old results give way, those of the last ones stay", () => {
    const results = Array.from({ length: 7 }, (_, index): ToolEntry => {
      const line = { id: `t${index}`, runId: "r", timestamp: "", name: "look", duration: 1 };
      return {
        role: "tool",
        tool_call_id: `c${index}`,
        content: "cat.png",
        status: "succeeded",
        ...line,
        parts: [png],
      };
    });
    const shown = withPruned(results, prune(results, new Map()));
    assert.deepEqual(
      shown.map((message) => [message.content === "cat.png", "parts" in message]),
      results.map((_, index) => [index >= 2, index >= 2]),
    );
  });
});
