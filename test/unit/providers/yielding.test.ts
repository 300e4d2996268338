// What an endpoint refuses by its form is left out, once and for all requests that follow.
import assert from "node:assert/strict";
import type { ModelEvent, ModelRequest } from "../../../src/engine/ports.ts";
import { LoopError, toFailure, type ErrorCode } from "../../../src/protocol/errors.ts";
import type { Message } from "../../../src/protocol/messages.ts";
import { yielding } from "../../../src/providers/yielding.ts";
import { says, scriptedModel } from "../../support/kit.ts";
import { collect, tool, user } from "./chat.ts";

const refusal = (message: string, code: ErrorCode = "request_refused"): ModelEvent[] => [
  { type: "error", failure: toFailure(new LoopError(code, message)), retryable: false },
];
const png = { kind: "image", value: "aGk=", mediaType: "image/png" } as const;
const seen: Message = { ...user("Look"), parts: [png, { kind: "file", value: "aGk=", name: "a.pdf" }] };
const shown: Message = Object.assign(tool("a", "logo.png"), { parts: [png] });
const request: ModelRequest = {
  system: "Be short.",
  messages: [seen, shown],
  tools: [],
  output: { type: "object", properties: {} },
};

describe("yielding", () => {
  it("sends again without images and files, with a line for each, and leaves them out from then on", async () => {
    const inner = scriptedModel(refusal("400: this model has no vision"), says("Blind."), says("Still."));
    const model = yielding(inner);
    assert.deepEqual(await collect(model, request), says("Blind."));
    assert.deepEqual(await collect(model, request), says("Still."));
    const image = "[An image is not shown: this model does not take it.]";
    for (const sent of inner.requests.slice(1)) {
      assert.deepEqual(
        sent.messages.map(({ content }) => content),
        [`Look\n${image}\n[“a.pdf” is not shown: this model does not take it.]`, `logo.png\n${image}`],
      );
      assert.doesNotMatch(JSON.stringify(sent), /aGk=/);
      assert.deepEqual(sent.output, request.output);
    }
  });

  for (const [what, message, code] of [
    ["a router", "No endpoints found that support image input", "model_not_found"],
    ["a local server", "image input is not supported - hint: you may need to provide the mmproj", "provider_failed"],
    ["a server that reads words only", "messages[1]: invalid type: sequence, expected a string", "request_refused"],
  ] as const)
    it(`understands ${what} that takes no images`, async () => {
      const inner = scriptedModel(refusal(message, code), says("Blind."));
      assert.deepEqual(await collect(yielding(inner), request), says("Blind."));
      assert.doesNotMatch(JSON.stringify(inner.requests[1]?.messages), /aGk=/);
    });

  it("lets a failure that only mentions them stand", async () => {
    const inner = scriptedModel(refusal("The image service is down", "provider_failed"));
    assert.equal((await collect(yielding(inner), request)).at(-1)?.type, "error");
    assert.equal(inner.requests.length, 1);
  });

  it("asks in words for the form that the endpoint cannot hold the answer to", async () => {
    const inner = scriptedModel(refusal("Invalid parameter: 'response_format' of type 'json_schema'"), says("{}"));
    assert.deepEqual(await collect(yielding(inner), request), says("{}"));
    const [, sent] = inner.requests;
    assert.equal(sent?.output, undefined);
    assert.match(sent?.system ?? "", /^Be short\.\n\nAnswer with JSON .*"properties":\{\}/);
  });

  it("leaves out one after the other what is refused one after the other, and lets the last refusal stand", async () => {
    const inner = scriptedModel(
      refusal("image_url is not supported"),
      refusal("unknown member output_config"),
      refusal("image or output_config, whatever"),
    );
    const [event] = await collect(yielding(inner), request);
    assert.equal(event?.type, "error");
    assert.equal(inner.requests.length, 3);
  });

  for (const [what, event] of [
    ["what is refused for another reason", refusal("max_tokens is too large")],
    ["what fails for another reason", refusal("image service is down", "provider_failed")],
  ] as const)
    it(`lets stand ${what}`, async () => {
      const inner = scriptedModel(event);
      assert.deepEqual(await collect(yielding(inner), request), event);
      assert.equal(inner.requests.length, 1);
    });

  it("sends nothing again that had nothing of it, or had been shown in part", async () => {
    const plain = scriptedModel(refusal("no images"));
    await collect(yielding(plain), { system: "", messages: [user("Hi")], tools: [] });
    assert.equal(plain.requests.length, 1);
    const late = scriptedModel([{ type: "text", text: "I see" }, ...refusal("no images")]);
    await collect(yielding(late), request);
    assert.equal(late.requests.length, 1);
  });
});
