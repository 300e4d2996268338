// The editor's own models: how a conversation is sent, how a reply is read, and what each refusal of the editor means for a person.
import assert from "node:assert/strict";
import type { ModelEvent } from "../../../src/engine/ports.ts";
import { LoopError, type ErrorCode } from "../../../src/protocol/errors.ts";
import {
  editorModel,
  editorModelName,
  findEditorModel,
  type EditorChat,
  type EditorPart,
} from "../../../src/providers/editorModel.ts";
import { toRequest, type EditorRequest } from "../../../src/providers/editorRequest.ts";
import { assistant, collect, hello, realClock, summary, tool, toolNamed, user } from "./chat.ts";

const never = new AbortController().signal;

interface Fake extends EditorChat {
  readonly sent: EditorRequest[];
  readonly counted: string[];
}

/** Counts a token for each character. */
function fake(reply: (signal: AbortSignal) => AsyncIterable<EditorPart>, more: Partial<EditorChat> = {}): Fake {
  const sent: EditorRequest[] = [];
  const counted: string[] = [];
  return {
    vendor: "copilot",
    id: "gpt-x-mini",
    family: "gpt-x",
    name: "GPT X mini",
    maxInputTokens: 64_000,
    send: (request, signal) => {
      sent.push(request);
      return Promise.resolve(reply(signal));
    },
    count: (text) => {
      counted.push(text);
      return Promise.resolve(text.length);
    },
    sent,
    counted,
    ...more,
  };
}

/** Refuses every request. */
function refusing(reason: unknown): Fake {
  const send = (): Promise<never> => Promise.reject(reason);
  return fake(() => parts(), { send });
}

async function* parts(...list: readonly EditorPart[]): AsyncGenerator<EditorPart> {
  yield* list;
}

const modelOf = (chat: EditorChat) => editorModel({ chat, contextWindow: chat.maxInputTokens, clock: realClock });

describe("a request to the editor's models", () => {
  it("has the system prompt first, calls as parts, and all results of a reply in one message", () => {
    const calls = [
      { id: "a", name: "read_file", arguments: '{"path":"x"}' },
      { id: "b", name: "read_file", arguments: "{nonsense" },
    ];
    const messages = [user("Hello"), assistant("Looking.", calls), tool("a", "text"), tool("b", ""), assistant("", [])];
    const tools = [toolNamed("read_file")];
    assert.deepEqual(toRequest({ system: "Be short.", messages, tools }), {
      messages: [
        { role: "user", parts: [{ type: "text", text: "Be short." }] },
        { role: "user", parts: [{ type: "text", text: "Hello" }] },
        {
          role: "assistant",
          parts: [
            { type: "text", text: "Looking." },
            { type: "call", id: "a", name: "read_file", input: { path: "x" } },
            { type: "call", id: "b", name: "read_file", input: {} },
          ],
        },
        {
          role: "user",
          parts: [
            { type: "result", id: "a", content: [{ type: "text", text: "text" }] },
            { type: "result", id: "b", content: [{ type: "text", text: "(empty)" }] },
          ],
        },
      ],
      tools: [{ name: "read_file", description: "Does read_file.", inputSchema: tools[0]?.parameters }],
    });
  });
});

describe("images in a request to the editor's models", () => {
  const image = { kind: "image" as const, value: "data:image/png;base64,aGk=" };

  it("go along, of messages and of results; of other files the model is told that they are missing", () => {
    const said = { ...user("See"), parts: [image, { kind: "file" as const, value: "AA==", name: "a.pdf" }] };
    const result = { ...tool("a", "shown"), parts: [image] };
    const calls = [{ id: "a", name: "read_file", arguments: "{}" }];
    const { messages } = toRequest({ system: "", messages: [said, assistant("", calls), result], tools: [] });
    const picture = { type: "image", mediaType: "image/png", data: "aGk=" };
    const missing = "[a.pdf is not shown to you: VS Code hands on images only.]";
    assert.deepEqual(messages[0]?.parts, [{ type: "text", text: "See" }, picture, { type: "text", text: missing }]);
    assert.deepEqual(messages[2]?.parts, [
      { type: "result", id: "a", content: [{ type: "text", text: "shown" }, picture] },
    ]);
  });
});

describe("a reply of the editor's models", () => {
  it("streams text, thoughts and calls, and is counted in the model's own measure", async () => {
    const chat = fake(() =>
      parts(
        { type: "thinking", text: "Hm." },
        { type: "text", text: "Look" },
        { type: "text", text: "ing." },
        { type: "call", id: "c1", name: "read_file", input: { path: "x" } },
        { type: "call", id: "c2", name: "list_files", input: null },
      ),
    );
    const events = await collect(modelOf(chat), hello);
    assert.deepEqual(summary(events), {
      text: "Looking.",
      thinking: "Hm.",
      calls: [
        { name: "read_file", arguments: '{"path":"x"}' },
        { name: "list_files", arguments: "{}" },
      ],
      usage: { input: "Be short.Hello".length, output: 'Hm.Looking.read_file{"path":"x"}list_files{}'.length },
      end: { type: "finish", reason: "calls" },
    });
  });

  it("counts no message twice, and says nothing of tokens where counting fails", async () => {
    const chat = fake(() => parts({ type: "text", text: "Hi." }));
    const model = modelOf(chat);
    await collect(model);
    await collect(model, { ...hello, messages: [...hello.messages, { ...assistant("Hi."), id: "m2" }] });
    assert.deepEqual(chat.counted, ["Be short.", "Hello", "Hi.", "Hi.", "Hi."]);
    const silent = fake(() => parts({ type: "text", text: "Hi." }), { count: () => Promise.reject(new Error("no")) });
    assert.deepEqual(
      (await collect(modelOf(silent))).map(({ type }) => type),
      ["text", "finish"],
    );
  });

  it("gives a new id to a call whose id the conversation has already", async () => {
    const chat = fake(() => parts({ type: "call", id: "a", name: "t", input: {} }));
    const taken = [user("x"), assistant("", [{ id: "a", name: "t", arguments: "{}" }]), tool("a", "ok")];
    const [started, call] = await collect(modelOf(chat), { ...hello, messages: taken });
    assert.ok(started?.type === "call:start" && call?.type === "call");
    assert.notEqual(started.id, "a");
    assert.equal(call.call.id, started.id);
  });

  it("that is empty is an error that is tried again", async () => {
    const event = (await collect(modelOf(fake(() => parts())))).at(-1);
    assert.ok(event?.type === "error" && event.retryable);
    assert.equal(event.failure.code, "reply_malformed");
  });

  it("ends without a word when it is stopped, and the editor is told", async () => {
    const stop = new AbortController();
    let told = false;
    const chat = fake(async function* (signal) {
      signal.addEventListener("abort", () => (told = true));
      yield { type: "text", text: "One" };
      stop.abort();
      throw new Error("Canceled");
    });
    const events = await collect(modelOf(chat), hello, stop.signal);
    assert.deepEqual(events, [{ type: "text", text: "One" }]);
    assert.ok(told);
  });

  it("ends the request when its reader leaves early", async () => {
    let told = false;
    const chat = fake(async function* (signal) {
      signal.addEventListener("abort", () => (told = true));
      yield { type: "text", text: "One" };
      yield { type: "text", text: "Two" };
    });
    for await (const event of modelOf(chat).stream(hello, never)) if (event.type === "text") break;
    assert.ok(told);
  });
});

const thrown = (name: string, code: string, message: string, cause?: unknown): Error =>
  Object.assign(new Error(message, { cause }), { name, code });

const refusals: readonly (readonly [string, unknown, ErrorCode, boolean, RegExp])[] = [
  [
    "no consent",
    thrown("LanguageModelError", "NoPermissions", "not yours"),
    "consent_missing",
    false,
    /not allowed.*GPT X mini: not yours/,
  ],
  [
    "a model that is gone",
    thrown("LanguageModelError", "NotFound", "unknown"),
    "model_not_found",
    false,
    /GPT X mini any more/,
  ],
  ["a block", thrown("LanguageModelError", "Blocked", "Over the limit"), "quota_exhausted", false, /Over the limit/],
  [
    "a quota of Copilot",
    thrown("LanguageModelError", "Unknown", "x", thrown("ChatQuotaExceeded", "", "None left")),
    "quota_exhausted",
    false,
    /None left/,
  ],
  ["a rate limit of Copilot", thrown("ChatRateLimited", "", "Slow down"), "rate_limited", true, /Slow down/],
  [
    "a person who is not signed in",
    new Error("Please sign in to GitHub"),
    "editor_models_missing",
    false,
    /not signed in/,
  ],
  [
    "a prompt that is too long",
    new Error("prompt is too long: 9 tokens"),
    "context_overflow",
    false,
    /longer than GPT X mini/,
  ],
  [
    "anything else",
    new Error("Server error. Stream terminated"),
    "provider_failed",
    true,
    /^VS Code failed: Server error/,
  ],
  ["a text", "Oops", "provider_failed", true, /Oops/],
];

describe("what the editor refuses", () => {
  for (const [what, error, code, retryable, words] of refusals)
    it(`${what} is ${code}${retryable ? ", tried again" : ""}`, async () => {
      const chat = refusing(error);
      const [event] = await collect(modelOf(chat));
      assert.ok(event?.type === "error");
      assert.deepEqual([event.failure.code, event.retryable], [code, retryable]);
      assert.match(event.failure.message, words);
    });

  it("after words of the reply is the last event", async () => {
    const chat = fake(async function* () {
      yield { type: "text", text: "One" };
      throw thrown("LanguageModelError", "Blocked", "no");
    });
    const kinds = (await collect(modelOf(chat))).map((event: ModelEvent) => event.type);
    assert.deepEqual(kinds, ["text", "error"]);
  });

  it("leads to a button where there is one", async () => {
    const actionOf = async (error: unknown): Promise<string | undefined> => {
      const [event] = await collect(modelOf(refusing(error)));
      return event?.type === "error" ? event.failure.action : undefined;
    };
    assert.equal(await actionOf(thrown("E", "NoPermissions", "")), "retry");
    assert.equal(await actionOf(thrown("E", "NotFound", "")), "selectModel");
    assert.equal(await actionOf(thrown("E", "Blocked", "")), "selectModel");
    assert.equal(await actionOf(new Error("sign in")), "setUpModel");
  });
});

describe("findEditorModel", () => {
  const models = [
    fake(() => parts()),
    fake(() => parts(), { id: "gpt-x", family: "gpt-x" }),
    fake(() => parts(), { vendor: "other", id: "big", family: "claude" }),
  ];

  for (const [name, found] of [
    ["copilot/gpt-x", "copilot/gpt-x"],
    ["gpt-x-mini", "copilot/gpt-x-mini"],
    [" Other/Claude ", "other/big"],
    ["claude", "other/big"],
  ] as const)
    it(`finds ${found} by “${name}”`, () => assert.equal(editorModelName(findEditorModel(models, name)), found));

  for (const [what, list, name, code, action] of [
    ["where there are none", [], "gpt-x", "editor_models_missing", "Set up"],
    ["for a name that none has", models, "gpt-y", "model_not_found", "gpt-y"],
    ["for no name", models, "", "model_not_found", "chosen"],
  ] as const)
    it(`throws ${code} ${what}`, () => {
      assert.throws(
        () => findEditorModel(list, name),
        (error) =>
          error instanceof LoopError && error.code === code && (action === "Set up" || error.message.includes(action)),
      );
    });
});
