// Finding out whether an endpoint knows tools: the words that servers refuse them with, and what follows.
import assert from "node:assert/strict";
import type { Model, ModelEvent } from "../../../src/engine/ports.ts";
import { LoopError, toFailure, type ErrorCode } from "../../../src/protocol/errors.ts";
import { findingTools, refusesTools } from "../../../src/providers/textCalls.ts";
import { collect, hello, toolNamed } from "./chat.ts";

const error = (code: ErrorCode, message: string): ModelEvent => ({
  type: "error",
  failure: toFailure(new LoopError(code, message)),
  retryable: false,
});

function scripted(...replies: readonly (readonly ModelEvent[])[]): Model & { readonly asked: () => number } {
  let asked = 0;
  return {
    id: "m",
    contextWindow: 1_000,
    async *stream() {
      yield* replies[Math.min(asked++, replies.length - 1)] ?? [];
    },
    asked: () => asked,
  };
}

const withTools = { ...hello, tools: [toolNamed("read_file")] };
const done: ModelEvent = { type: "finish", reason: "stop" };
const inText: readonly ModelEvent[] = [{ type: "text", text: "by text" }, done];
const refused = error("request_refused", "h refused the request (400): llama2 does not support tools");

describe("refusesTools", () => {
  for (const [code, message, expected] of [
    ["request_refused", "refused the request (400): registry.ollama.ai/library/x does not support tools", true],
    [
      "request_refused",
      'refused the request (400): "auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser',
      true,
    ],
    ["provider_failed", "failed (500): tools param requires --jinja flag", true],
    ["provider_failed", "failed (500): Unsupported param: tools", true],
    ["model_not_found", "No endpoints found that support tool use.", true],
    ["request_refused", "refused the request (400): temperature is not supported", false],
    ["request_refused", "refused the request (400): the tool result of call 3 is missing", false],
    ["rate_limited", "asks for a pause: tools are not available to you now", false],
  ] as const)
    it(`${expected ? "reads" : "does not read"} “${message}” as that`, () => {
      assert.equal(refusesTools(toFailure(new LoopError(code, message))), expected);
    });
});

describe("findingTools", () => {
  it("reads calls from the text once the tools were refused, and does not ask again", async () => {
    const native = scripted([refused]);
    const text = scripted(inText);
    const model = findingTools(native, text);
    assert.deepEqual(await collect(model, withTools), inText);
    assert.deepEqual(await collect(model, withTools), inText);
    assert.deepEqual([native.asked(), text.asked()], [1, 2]);
  });

  it("leaves every other end as it is, and a request without tools too", async () => {
    const other = error("request_refused", "no such parameter");
    for (const [request, reply] of [
      [withTools, [other]],
      [withTools, inText],
      [hello, [refused]],
    ] as const) {
      const text = scripted(inText);
      assert.deepEqual(await collect(findingTools(scripted(reply), text), request), reply);
      assert.equal(text.asked(), 0);
    }
  });
});
