// Records of an endpoint: they play as what they were made of, hold no keys, and say what is wrong with them.
import assert from "node:assert/strict";
import type { ModelEvent } from "../../../src/engine/ports.ts";
import { readRecord, recordingFetch } from "../../../src/providers/recorded.ts";
import { cutAt, frames, startSse, type Script, type SseServer } from "../../support/sse.ts";
import { callDelta, chatAt, collect, delta, hello, user } from "./chat.ts";
import { answer, messagesAt } from "./messages.ts";
import { completed, eventFrames, responsesAt, textDelta } from "./responses.ts";

const usage = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } };
const scrub = (text: string): string => text.replaceAll("sk-secret", "[key]");
const chatParts = cutAt(
  Buffer.from(frames([delta({ content: "Grüße 🤖" }), callDelta([0, "a", "f", "{}"]), delta({}, "tool_calls"), usage])),
  [20, 61, 62, 63, 64, 65, 90],
);

interface Recording {
  readonly lines: readonly string[];
  readonly send: typeof fetch;
  /** When so many exchanges are over: the last bytes may be left behind after the reply. */
  readonly written: (count: number) => Promise<void>;
}

function recording(): Recording {
  const lines: string[] = [];
  let look = (): void => undefined;
  const write = (line: string): void => {
    lines.push(line);
    look();
  };
  return {
    lines,
    send: recordingFetch(fetch, { write, scrub, now: () => 5 }),
    written: (count) =>
      new Promise((resolve) => {
        look = () => lines.length >= count && resolve();
        look();
      }),
  };
}

describe("a record", () => {
  let server: SseServer | undefined;
  afterEach(() => server?.close());

  const record = async (
    at: (url: string, more: { fetch: typeof fetch }) => ReturnType<typeof chatAt>,
    ...scripts: readonly Script[]
  ): Promise<{ readonly events: ModelEvent[][]; readonly text: string; readonly url: string }> => {
    server = await startSse(...scripts);
    const { lines, send, written } = recording();
    const model = at(server.baseUrl, { fetch: send });
    const events: ModelEvent[][] = [];
    for (const _ of scripts) events.push(await collect(model));
    await written(scripts.length);
    return { events, text: lines.join("\n"), url: server.baseUrl };
  };

  for (const [wire, at, scripts] of [
    ["Chat Completions", chatAt, [{ parts: chatParts }, { parts: [frames([delta({ content: "torn" })])] }]],
    ["Responses", responsesAt, [{ parts: [eventFrames([textDelta(["m", 0], "Hi"), completed()])] }]],
    ["Anthropic Messages", messagesAt, [{ parts: [answer] }]],
    [
      "a refusal and a lost connection",
      chatAt,
      [
        { status: 429, headers: { "retry-after": "7", "x-account": "me" }, parts: ['{"error":{"message":"slow"}}'] },
        { parts: [frames([delta({ content: "Hi" })]).slice(0, 90)], ending: "reset" },
      ],
    ],
  ] as const)
    it(`plays as what it was made of: ${wire}`, async () => {
      const { events, text, url } = await record(at, ...scripts);
      await server?.close();
      server = undefined;
      const model = at(url, readRecord(text));
      for (const expected of events) assert.deepEqual(await collect(model), expected);
      assert.doesNotMatch(text, /sk-secret|x-account|authorization|x-api-key/i);
    });

  it("plays an endpoint that could not be reached as one", async () => {
    const { lines, send, written } = recording();
    const url = "http://127.0.0.1:9/v1";
    const events = await collect(chatAt(url, { fetch: send }));
    await written(1);
    assert.partialDeepStrictEqual(events, [{ type: "error", failure: { code: "endpoint_unreachable" } }]);
    assert.deepEqual(await collect(chatAt(url, readRecord(lines.join("\n")))), events);
  });

  it("holds no secret, wherever it is said, nor one that two chunks share, and still reads as it did", async () => {
    const said = frames([delta({ content: "Your key is sk-secret." }), delta({}, "stop")]);
    const middle = said.indexOf("sk-secret") + 4;
    const scripts = [{ parts: cutAt(Buffer.from(said), [middle]) }];
    server = await startSse(...scripts);
    const { lines, send, written } = recording();
    await collect(chatAt(server.baseUrl, { fetch: send }), { ...hello, messages: [user("Is it sk-secret?")] });
    await written(1);
    assert.doesNotMatch(lines.join(""), /sk-secret|secret\./);
    assert.match(lines.join(""), /Is it \[key\]\?/);
    const [text] = await collect(chatAt(server.baseUrl, readRecord(lines.join("\n"))));
    assert.deepEqual(text, { type: "text", text: "Your key is [key]." });
  });

  it("is written although its reader leaves in the middle", async () => {
    server = await startSse({
      parts: [frames([delta({ content: "Hi" })]).replace(/data: \[DONE\]\n\n/, "")],
      ending: "hang",
    });
    const { lines, send, written } = recording();
    for await (const event of chatAt(server.baseUrl, { fetch: send }).stream(hello, new AbortController().signal))
      if (event.type === "text") break;
    await written(1);
    const [line] = lines;
    assert.partialDeepStrictEqual(JSON.parse(line ?? ""), { response: { status: 200, ending: "broken" } });
  });

  it("says what is wrong with it", async () => {
    assert.throws(() => readRecord('{"type":"exchange"}'), /line 1 is not of a record/);
    assert.throws(() => readRecord("\nnonsense"), /line 2 is not of a record/);
    const [event] = await collect(chatAt("http://127.0.0.1:9/v1", readRecord("")));
    assert.equal(event?.type, "error");
  });
});
