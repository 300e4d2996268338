// Thinking that stands in the text between tags, however the pieces are cut.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { ModelEvent } from "../../../src/engine/ports.ts";
import { thinkingInText } from "../../../src/providers/thinkingInText.ts";
import { scriptedModel } from "../../support/kit.ts";
import { collect, summary } from "./chat.ts";

const pieces = (text: string, cuts: readonly number[]): ModelEvent[] => {
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b), text.length];
  return places.slice(1).map((end, at) => ({ type: "text", text: text.slice(places[at], end) }));
};

async function read(...events: readonly ModelEvent[]): Promise<{ text: string; thinking: string }> {
  const { text, thinking } = summary(await collect(thinkingInText(scriptedModel([...events]))));
  return { text, thinking };
}

describe("thinkingInText", () => {
  for (const [what, said, expected] of [
    [
      "thinking before an answer",
      "\n<think>\nWell.\n</think>\n\nYes. </think>",
      { thinking: "\nWell.\n", text: "Yes. </think>" },
    ],
    ["no thinking at all", "<think>\n\n</think>\n\nYes", { thinking: "\n\n", text: "Yes" }],
    ["thinking that never ends", "<think>Well</thi", { thinking: "Well</thi", text: "" }],
    ["an answer without it", " Use <think> here", { thinking: "", text: " Use <think> here" }],
    ["another tag", "<thing>x</thing>", { thinking: "", text: "<thing>x</thing>" }],
    ["the beginning of a tag alone", "<thin", { thinking: "", text: "<thin" }],
    ["spaces alone", "  ", { thinking: "", text: "  " }],
  ] as const)
    it(`tells ${what} apart, wherever it is cut`, async () => {
      const finish: ModelEvent = { type: "finish", reason: "stop" };
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(60), { maxLength: 6 }), async (cuts) => {
          assert.deepEqual(await read(...pieces(said, cuts), finish), expected);
        }),
      );
    });

  it("gives out what it holds before a call", async () => {
    const call: ModelEvent = { type: "call", call: { id: "a", name: "f", arguments: "{}" } };
    const events: ModelEvent[] = [
      { type: "text", text: "<th" },
      { type: "call:start", id: "a", name: "f" },
      call,
      { type: "finish", reason: "calls" },
    ];
    assert.deepEqual(await collect(thinkingInText(scriptedModel(events))), events);
  });
});
