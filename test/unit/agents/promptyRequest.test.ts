// The request that a .prompty begins with: its messages, tools, outputs and options as any provider takes them.
import assert from "node:assert/strict";
import { replyOptionsOf, requestOf } from "../../../src/agents/promptyRequest.ts";
import { PromptyFrontMatter, settingsOf } from "../../../src/agents/promptyShape.ts";

const settings = (data: object): ReturnType<typeof settingsOf> => settingsOf(PromptyFrontMatter.parse(data));
const text = (value: string) => ({ kind: "text", value }) as const;
const image = { kind: "image", value: "https://example.com/a.png" } as const;

describe("prompty request", () => {
  it("PROMPTY-7-3 joins what the system says, and keeps the conversation in its order", () => {
    const request = requestOf(
      [
        { role: "system", content: [text("Be short.")] },
        { role: "user", content: [text("Hi")] },
        { role: "assistant", content: [text("Hello.")] },
        { role: "developer", content: [text("Be kind.")] },
        { role: "user", content: [image, text("What is it?")] },
      ],
      settings({}),
    );
    assert.equal(request.system, "Be short.\n\nBe kind.");
    assert.deepEqual(
      request.messages.map(({ role, content }) => [role, content]),
      [
        ["user", "Hi"],
        ["assistant", "Hello."],
        ["user", "What is it?"],
      ],
    );
    assert.partialDeepStrictEqual(request.messages[2], { parts: [image, text("What is it?")] });
    assert.equal("output" in request, false);
  });

  it("PROMPTY-9.5-4 tells the model of functions without what bindings fill in", () => {
    const { tools } = requestOf(
      [],
      settings({
        inputs: { unit: "C" },
        tools: [
          {
            name: "weather",
            kind: "function",
            description: "Looks out of the window",
            strict: true,
            parameters: [
              { name: "city", kind: "string", required: true, description: "Where", enumValues: ["Paris", "Rome"] },
              { name: "unit", kind: "string", required: true },
              { name: "days", kind: "array", items: { kind: "float" } },
              { name: "more", kind: "object", properties: [{ name: "wind", kind: "boolean", required: true }] },
            ],
            bindings: { unit: "unit" },
          },
          { name: "bare" },
        ],
      }),
    );
    assert.deepEqual(tools, [
      {
        name: "weather",
        description: "Looks out of the window",
        strict: true,
        parameters: {
          type: "object",
          properties: {
            city: { type: "string", description: "Where", enum: ["Paris", "Rome"] },
            days: { type: "array", items: { type: "number" } },
            more: { type: "object", properties: { wind: { type: "boolean" } }, required: ["wind"] },
          },
          required: ["city"],
        },
      },
      { name: "bare", description: "", parameters: { type: "object", properties: {} } },
    ]);
  });

  it("asks for the outputs that are declared", () => {
    const { output } = requestOf([], settings({ outputs: { city: { kind: "string", required: true } } }));
    assert.deepEqual(output, { type: "object", properties: { city: { type: "string" } }, required: ["city"] });
  });

  it("PROMPTY-7-2 takes the options that are in order, and leaves out the others", () => {
    const options = { temperature: 0.5, maxOutputTokens: "many", seed: 4, additionalProperties: { user: "me" } };
    assert.deepEqual(replyOptionsOf(settings({ model: { id: "m", options } })), {
      temperature: 0.5,
      seed: 4,
      additionalProperties: { user: "me" },
    });
    assert.deepEqual(replyOptionsOf(settings({ model: "m" })), {});
  });
});
