// What a refusal has taught outlives the run: the next one asks once, as long as it asks the same of the same model.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createBrain } from "../../../src/headless.ts";
import type { ModelOptions } from "../../../src/providers/catalog.ts";
import { modelOnce } from "../../../src/providers/catalog.ts";
import type { LessonBook } from "../../../src/providers/lessons.ts";
import { recordOf } from "../../../src/providers/wireValue.ts";
import { chatReply, httpError } from "../../support/chatWire.ts";
import { startSse, type Script, type SseServer } from "../../support/sse.ts";
import { assistantOf, collect, hello, realClock, user } from "./chat.ts";
import { eventFrames, message, reasoning } from "./responses.ts";

type Body = ReturnType<typeof recordOf>;

const answer = chatReply(1, { text: "Hi." });
const noEffort = httpError(400, "Unrecognized request argument supplied: reasoning_effort");

describe("what refusals have taught", () => {
  let server: SseServer;
  const serve = async (...scripts: readonly Script[]): Promise<void> => {
    server = await startSse(...scripts);
  };
  afterEach(() => server.close());
  const bodies = () => server.asked.map(({ body }) => recordOf(JSON.parse(body)));
  const ask = async (lessons: LessonBook, more: Partial<ModelOptions>): Promise<void> => {
    const common = {
      provider: "openai-chat",
      apiKey: "k",
      model: "m",
      contextWindow: 9_000,
      clock: realClock,
    } as const;
    const last = (await collect(modelOnce({ ...common, baseUrl: server.baseUrl, lessons, ...more }))).at(-1);
    assert.equal(last?.type, "finish");
  };

  it("a second run sends no option that the first one was refused, and one request only", async () => {
    await serve(noEffort, answer);
    const workspace = await mkdtemp(path.join(tmpdir(), "brain-lessons-"));
    const { baseUrl } = server;
    const brain = createBrain({ workspace, provider: "openai-chat", baseUrl, model: "m", effort: "high" });
    try {
      for (const requests of [2, 3]) {
        assert.equal((await brain.run({ message: "Hello" }).result).status, "completed");
        assert.equal(server.asked.length, requests);
      }
      assert.deepEqual(
        bodies().map((body) => body["reasoning_effort"]),
        ["high", undefined, undefined],
      );
    } finally {
      await brain.dispose();
      await rm(workspace, { recursive: true });
    }
  });

  for (const [what, more] of [
    ["another model", { model: "m-2" }],
    ["another address", { baseUrl: "other" }],
    ["another wire", { provider: "openai-responses" }],
    ["another effort", { reply: { effort: "low" } }],
  ] as const)
    it(`says nothing of ${what}`, async () => {
      const end = { type: "response.completed", response: { status: "completed", output: [message("m", "Hi.")] } };
      const isResponses = "provider" in more;
      await serve(noEffort, answer, isResponses ? { parts: [eventFrames([end])] } : answer);
      const lessons: LessonBook = new Map();
      await ask(lessons, { reply: { effort: "high" } });
      const place = "baseUrl" in more ? { baseUrl: server.baseUrl.replace("127.0.0.1", "localhost") } : more;
      await ask(lessons, { reply: { effort: "high" }, ...place });
      const { reasoning_effort: word, reasoning: asked } = bodies()[2] ?? {};
      assert.deepEqual(word ?? recordOf(asked)["effort"], "reply" in more ? "low" : "high");
    });

  it("what was refused beside something else is sent alone", async () => {
    await serve(httpError(400, "`temperature` and `top_p` cannot both be specified for this model."), answer);
    const lessons: LessonBook = new Map();
    await ask(lessons, { reply: { temperature: 0.5, topP: 0.9 } });
    await ask(lessons, { reply: { temperature: 0.5, topP: 0.9 } });
    await ask(lessons, { reply: { topP: 0.9 } });
    assert.deepEqual(
      bodies().map(({ temperature, top_p: topP }) => [temperature, topP]),
      [
        [0.5, 0.9],
        [0.5, undefined],
        [0.5, undefined],
        [undefined, 0.9],
      ],
    );
  });

  it("what did not help is not kept", async () => {
    await serve(noEffort, httpError(400, "No."), answer);
    const lessons: LessonBook = new Map();
    await assert.rejects(ask(lessons, { reply: { effort: "high" } }));
    await ask(lessons, { reply: { effort: "high" } });
    assert.deepEqual(
      bodies().map((body) => body["reasoning_effort"]),
      ["high", undefined, "high"],
    );
  });

  it("what was left out before a server failed for another reason is not taken for what helped", async () => {
    await serve(noEffort, httpError(503, "Overloaded"), answer);
    const lessons: LessonBook = new Map();
    await assert.rejects(ask(lessons, { reply: { effort: "high" } }));
    await ask(lessons, { reply: { effort: "high" } });
    assert.equal(bodies()[2]?.["reasoning_effort"], "high");
  });

  for (const [provider, refusal, isLearnt] of [
    ["openai-chat", "System role not supported", ({ messages }) => !JSON.stringify(messages).includes("system")],
    ["openai-responses", "Unsupported parameter: 'include'", (body) => !("include" in body)],
  ] as const satisfies readonly (readonly [string, string, (body: Body) => boolean])[])
    it(`what one request learns is not forgotten by one that was sent before: ${provider}`, async () => {
      const end = { type: "response.completed", response: { status: "completed", output: [message("m", "Hi.")] } };
      await serve(httpError(400, refusal), provider === "openai-chat" ? answer : { parts: [eventFrames([end])] });
      const lessons: LessonBook = new Map();
      const { promise: open, resolve: go } = Promise.withResolvers<void>();
      const early = ask(lessons, {
        provider,
        fetch: async (...request) => {
          await open;
          return fetch(...request);
        },
      });
      await ask(lessons, { provider });
      go();
      await early;
      await ask(lessons, { provider });
      assert.deepEqual(bodies().map(isLearnt), [false, true, false, true]);
    });

  it("counts for how a conversation is formed, too", async () => {
    await serve(httpError(400, "System role not supported"), answer);
    const lessons: LessonBook = new Map();
    for (const _run of [1, 2]) await ask(lessons, {});
    assert.equal(server.asked.length, 3);
  });

  it("does not take from one conversation its reasoning because that of another could not be read", async () => {
    const output = [reasoning("r", "secret"), message("m", "Hi.")];
    const end = { type: "response.completed", response: { status: "completed", output } };
    const whole = { parts: [eventFrames([end])] };
    const refused = httpError(400, "The encrypted content could not be verified: invalid_encrypted_content.");
    await serve(whole, refused, whole);
    const lessons: LessonBook = new Map();
    const options = { provider: "openai-responses", apiKey: "k", model: "m", contextWindow: 9_000 } as const;
    const model = () => modelOnce({ ...options, baseUrl: server.baseUrl, clock: realClock, lessons });
    const said = assistantOf(await collect(model()));
    const request = { ...hello, messages: [user("Hello"), said, user("And?")] };
    for (const _run of [1, 2]) await collect(model(), request);
    assert.deepEqual(
      server.asked.map(({ body }) => body.includes("secret")),
      [false, true, false, true],
    );
  });
});
