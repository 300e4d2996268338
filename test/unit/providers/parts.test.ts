// Images, files and audio in messages and in the results of tools, in each provider's form.
import assert from "node:assert/strict";
import type { ModelRequest } from "../../../src/engine/ports.ts";
import type { ContentPart, Message } from "../../../src/protocol/messages.ts";
import { toRequest as toMessagesBody } from "../../../src/providers/anthropicRequest.ts";
import { toRequest as toChatBody } from "../../../src/providers/openaiChatRequest.ts";
import { all, toRequest as toResponsesBody } from "../../../src/providers/openaiResponsesRequest.ts";
import { assistant, tool, user } from "./chat.ts";

const png: ContentPart = { kind: "image", value: "aGk=", mediaType: "image/png" };
const far: ContentPart = { kind: "image", value: "https://example.com/a.jpg", detail: "low" };
const pdf: ContentPart = { kind: "file", value: "data:application/pdf;base64,JVBERg==", name: "a.pdf" };
const farPdf: ContentPart = { kind: "file", value: "https://example.com/a.pdf" };
const wav: ContentPart = { kind: "audio", value: "AAAA", mediaType: "audio/x-wav" };

const saying = (content: string, ...parts: readonly ContentPart[]): Message => ({
  ...user(content),
  parts: [...parts],
});
const showing = (id: string, ...parts: readonly ContentPart[]): Message =>
  Object.assign(tool(id, `result ${id}`), { parts: [...parts] });
const asking = (...messages: readonly Message[]): ModelRequest => ({ system: "", messages, tools: [] });

const wires = {
  chat: (...messages: readonly Message[]) => toChatBody(asking(...messages), { model: "m", host: "h" }).messages,
  responses: (...messages: readonly Message[]) =>
    toResponsesBody(asking(...messages), { model: "m", host: "h", accepted: all }).input,
  messages: (...messages: readonly Message[]) =>
    toMessagesBody(asking(...messages), { model: "m", host: "h", maxTokens: 9, distrusted: new Set() }).body.messages,
};

describe("parts of messages", () => {
  it("PROMPTY-7-1 follow the words on every wire", () => {
    const message = saying("Look", png, far, pdf, farPdf, wav);
    const data = "data:image/png;base64,aGk=";
    const file = "data:application/pdf;base64,JVBERg==";
    assert.deepEqual(wires.chat(message), [
      {
        role: "user",
        content: [
          { type: "text", text: "Look" },
          { type: "image_url", image_url: { url: data } },
          { type: "image_url", image_url: { url: "https://example.com/a.jpg", detail: "low" } },
          { type: "file", file: { filename: "a.pdf", file_data: file } },
          { type: "file", file: { url: "https://example.com/a.pdf" } },
          { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
        ],
      },
    ]);
    assert.deepEqual(wires.responses(message), [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Look" },
          { type: "input_image", image_url: data },
          { type: "input_image", image_url: "https://example.com/a.jpg", detail: "low" },
          { type: "input_file", filename: "a.pdf", file_data: file },
          { type: "input_file", file_url: "https://example.com/a.pdf" },
          { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
        ],
      },
    ]);
    assert.deepEqual(wires.messages(message), [
      {
        role: "user",
        content: [
          { type: "text", text: "Look" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
          { type: "image", source: { type: "url", url: "https://example.com/a.jpg" } },
          {
            type: "document",
            source: { type: "base64", media_type: "application/pdf", data: "JVBERg==" },
            title: "a.pdf",
          },
          { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } },
          { type: "text", text: "[Audio is not shown: this model does not take it.]" },
        ],
      },
    ]);
  });

  it("stand in the order that they have among words", () => {
    const message = saying("First. Then.", { kind: "text", value: "First." }, png, { kind: "text", value: "Then." });
    const types = (content: unknown): string[] => Object(content).map(({ type }: { type: string }) => type);
    assert.deepEqual(types(wires.chat(message)[0]?.["content"]), ["text", "image_url", "text"]);
    assert.deepEqual(types(wires.responses(message)[0]?.["content"]), ["input_text", "input_image", "input_text"]);
    assert.deepEqual(types(wires.messages(message)[0]?.content), ["text", "image", "text"]);
  });

  it("keep a message of words alone as plain text", () => {
    assert.deepEqual(wires.chat(saying("Hi")), [{ role: "user", content: "Hi" }]);
    assert.deepEqual(wires.responses(saying("Hi")), [{ role: "user", content: "Hi" }]);
  });

  for (const [mediaType, format] of [
    ["audio/wav", "wav"],
    ["audio/mpeg", "mp3"],
    ["audio/mp3", "mp3"],
    ["audio/flac", "flac"],
    ["audio/ogg", "ogg"],
    ["audio/aac", "aac"],
  ] as const)
    it(`PROMPTY-7-1 say ${format} for ${mediaType}`, () => {
      const [message] = wires.chat(saying("", { kind: "audio", value: "AA", mediaType }));
      assert.deepEqual(message?.["content"], [{ type: "input_audio", input_audio: { data: "AA", format } }]);
    });

  it("give files without a name one, and say which file an API does not take", () => {
    const text: ContentPart = { kind: "file", value: "aGk=", mediaType: "text/csv" };
    assert.partialDeepStrictEqual(wires.chat(saying("", text)), [{ content: [{ file: { filename: "file.csv" } }] }]);
    assert.deepEqual(wires.messages(saying("", { ...text, name: "t.csv" }))[0]?.content, [
      { type: "text", text: "[“t.csv” is not shown: this model does not take it.]" },
    ]);
  });
});

describe("parts of results", () => {
  const calls = [
    { id: "a", name: "f", arguments: "{}" },
    { id: "b", name: "f", arguments: "{}" },
  ];
  const round = [user("Do"), assistant("", calls), showing("a", png), tool("b", "result b")];

  it("come behind all results of the reply as a message of the user on Chat, before whatever follows", () => {
    const shown = {
      role: "user",
      content: [
        { type: "text", text: "Shown by the call a of t:" },
        { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
      ],
    };
    const results = [
      { role: "tool", tool_call_id: "a", content: "result a" },
      { role: "tool", tool_call_id: "b", content: "result b" },
    ];
    assert.deepEqual(wires.chat(...round).slice(2), [...results, shown]);
    assert.deepEqual(wires.chat(...round, assistant("Done.")).slice(2), [
      ...results,
      shown,
      { role: "assistant", content: "Done." },
    ]);
  });

  it("are part of the result on Responses and Messages", () => {
    assert.deepEqual(wires.responses(...round).slice(3), [
      {
        type: "function_call_output",
        call_id: "a",
        output: [
          { type: "input_text", text: "result a" },
          { type: "input_image", image_url: "data:image/png;base64,aGk=" },
        ],
      },
      { type: "function_call_output", call_id: "b", output: "result b" },
    ]);
    assert.deepEqual(wires.messages(...round).at(-1)?.content, [
      {
        type: "tool_result",
        tool_use_id: "a",
        content: [
          { type: "text", text: "result a" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
        ],
      },
      { type: "tool_result", tool_use_id: "b", content: "result b" },
    ]);
  });
});
