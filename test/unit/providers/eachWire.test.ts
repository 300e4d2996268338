// What holds on every wire, against a raw server on loopback and through the real library: how bytes become events, how a reply ends, how long one waits for it.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { Clock, Model, ModelEvent } from "../../../src/engine/ports.ts";
import type { Silence } from "../../../src/providers/idleWatch.ts";
import { fakeClock } from "../../support/kit.ts";
import { eventsOfMessage, namedFrames } from "../../support/messagesWire.ts";
import { cutAt, frames, startSse, type Script, type SseServer } from "../../support/sse.ts";
import { callDelta, chatAt, collect, delta, hello, slowly, summary, whileTimePasses } from "./chat.ts";
import { answer as messagesAnswer, messagesAt, usage as messagesUsage } from "./messages.ts";
import {
  added,
  argumentsDelta,
  argumentsDone,
  callItem,
  completed,
  done,
  eventFrames,
  message,
  reasoning,
  responsesAt,
  summaryDelta,
  textDelta,
} from "./responses.ts";

interface Wire {
  readonly name: string;
  readonly at: (
    baseUrl: string,
    more?: Partial<Silence> & { readonly clock?: Clock; readonly fetch?: typeof fetch },
  ) => Model;
  /** A reply of one word, `Hi`. */
  readonly answer: string;
  /** What it begins with that nobody sees. */
  readonly unseen: string;
  /** How its last event begins, which says no more than that it is the last. */
  readonly last?: string;
  /** Bytes of a reply with thoughts, the words below, and two calls. */
  readonly rich: string;
  readonly usage: Extract<ModelEvent, { type: "usage" }>["usage"];
  /** The answer as a careless server sends it. */
  readonly careless: string;
  readonly unreadable: Readonly<Record<string, Script>>;
}

const words = "Grüße, 世界 👋";
const thought = "Überlegen 🤔";
const letters = Array.from(words, (letter) => letter);
const plain = { "content-type": "text/plain" };
const json = { "content-type": "application/json" };
const chatUsage = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } };
const chatAnswer = frames([delta({ content: "Hi" }), delta({}, "stop"), chatUsage]);
const responsesAnswer = eventFrames([
  textDelta(["m", 0], "Hi"),
  done(0, message("m", "Hi")),
  completed([message("m", "Hi")]),
]);
const foreign = 'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n';
const use = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });

const wires: readonly Wire[] = [
  {
    name: "Chat Completions",
    at: chatAt,
    answer: chatAnswer,
    unseen: `data: ${JSON.stringify(delta({ role: "assistant", content: "" }))}\n\n`,
    last: "data: [DONE]",
    rich: frames([
      delta({ role: "assistant", content: "" }),
      delta({ reasoning_content: thought }),
      ...letters.map((content) => delta({ content })),
      callDelta([0, "a", "f", '{"path":"sr']),
      callDelta([0, undefined, undefined, 'c/ä.ts"}']),
      callDelta([1, "b", "g", ""]),
      delta({}, "tool_calls"),
      chatUsage,
    ]),
    usage: { input: 3, output: 2 },
    careless: chatAnswer,
    unreadable: {
      "one JSON text": { headers: json, parts: ['{"error":{"message":"no streaming"}}'] },
      "broken JSON": { parts: ["data: {oops\n\n"] },
      "an event that is no chunk": { parts: ['data: {"choices":[null]}\n\n'] },
    },
  },
  {
    name: "Responses",
    at: responsesAt,
    answer: responsesAnswer,
    unseen: eventFrames([added(0, message("m", ""))]),
    rich: eventFrames([
      added(0, reasoning("r", "")),
      summaryDelta(["r", 0], 0, thought),
      done(0, reasoning("r", "secret", thought)),
      ...letters.map((letter) => textDelta(["m", 1], letter)),
      done(1, message("m", words)),
      added(2, callItem("a", "f", "")),
      argumentsDelta(["fc_a", 2], '{"path":"sr'),
      argumentsDelta(["fc_a", 2], 'c/ä.ts"}'),
      argumentsDone(["fc_a", 2], '{"path":"src/ä.ts"}'),
      done(2, callItem("a", "f", '{"path":"src/ä.ts"}')),
      done(3, callItem("b", "g", "")),
      completed(),
    ]),
    usage: { input: 10, output: 5, cached: 4, reasoning: 2 },
    careless: responsesAnswer.replaceAll(/^event: .*\n/gm, ""),
    unreadable: {
      "one JSON text": { headers: json, parts: ['{"error":{"message":"no streaming"}}'] },
      "broken JSON": { parts: ["data: {oops\n\n"] },
      "a stream of another API": { parts: [foreign] },
    },
  },
  {
    name: "Messages",
    at: messagesAt,
    answer: messagesAnswer,
    unseen: namedFrames([{ type: "ping" }]),
    last: "event: message_stop",
    rich: namedFrames([
      { type: "ping" },
      ...eventsOfMessage({
        content: [
          { type: "thinking", thinking: thought, signature: "s" },
          { type: "text", text: words },
          use("a", "f", { path: "src/ä.ts" }),
          use("b", "g", {}),
        ],
        stop_reason: "tool_use",
        usage: messagesUsage,
      }),
    ]),
    usage: { input: 3, output: 2 },
    careless: `${messagesAnswer.replaceAll(/^event: .*\n/gm, "")}data: [DONE]\n\n`,
    unreadable: {
      "one JSON text": { headers: json, parts: ['{"type":"ping"}'] },
      "broken JSON": { parts: ["event: message_start\ndata: {oops\n\n"] },
      "a stream of another API": { parts: [foreign, "data: [DONE]\n\n"] },
    },
  },
];

for (const { name, at, answer, unseen, last, rich, usage, careless, unreadable } of wires)
  describe(`a reply on the wire of ${name}`, () => {
    let server: SseServer | null = null;
    afterEach(async () => {
      await server?.close();
      server = null;
    });
    const serve = async (script: Script): Promise<SseServer> => (server = await startSse(script));
    const answered: readonly ModelEvent[] = [
      { type: "text", text: "Hi" },
      { type: "usage", usage },
      { type: "finish", reason: "stop" },
    ];
    const begun = answer.slice(0, answer.indexOf("\n\n", answer.indexOf('"Hi"')) + 2);
    const whole = last === undefined ? answer : answer.slice(0, answer.indexOf(last));

    it("is the same from bytes cut anywhere, inside letters and line ends too", async () => {
      const bytes = Buffer.from(`: comment\r\n\r\n${rich}`);
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(), { maxLength: 40 }), async (places) => {
          const one = await startSse({ parts: cutAt(bytes, places) });
          const got = await collect(at(one.baseUrl));
          await one.close();
          assert.deepEqual(summary(got), {
            text: words,
            thinking: thought,
            calls: [
              { name: "f", arguments: '{"path":"src/ä.ts"}' },
              { name: "g", arguments: "{}" },
            ],
            usage,
            end: { type: "finish", reason: "calls" },
          });
        }),
        { numRuns: 15 },
      );
    });

    it("ends without a last event when it is aborted, and its connection is closed", async () => {
      const { baseUrl, dropped } = await serve({ parts: [begun], ending: "hang" });
      const stop = new AbortController();
      const got: ModelEvent[] = [];
      for await (const event of at(baseUrl).stream(hello, stop.signal)) {
        got.push(event);
        stop.abort();
      }
      assert.deepEqual(got, [{ type: "text", text: "Hi" }]);
      await until(() => dropped() === 1);
    });

    it("is nothing when it is aborted before it began, or before an answer came", async () => {
      const { baseUrl, asked } = await serve({ ending: "hang" });
      assert.deepEqual(await collect(at(baseUrl), hello, AbortSignal.abort()), []);
      assert.equal(asked.length, 0);
      const stop = new AbortController();
      const reply = collect(at(baseUrl), hello, stop.signal);
      await until(() => asked.length === 1);
      stop.abort();
      assert.deepEqual(await reply, []);
    });

    it("is left alone when its reader leaves: its connection is closed", async () => {
      const { baseUrl, dropped } = await serve({ parts: [begun], ending: "hang" });
      for await (const event of at(baseUrl).stream(hello, new AbortController().signal)) {
        assert.equal(event.type, "text");
        break;
      }
      await until(() => dropped() === 1);
    });

    for (const ending of ["end", "reset"] as const)
      it(`has broken off when the server makes a ${ending} in its middle`, async () => {
        const { baseUrl } = await serve({ parts: [begun], ending });
        const got = await collect(at(baseUrl));
        const failed = failureOf(got);
        assert.deepEqual(kinds(got), ["text", "reply_malformed"]);
        assert.ok(failed.retryable);
        assert.match(failed.failure.message, /^127\.0\.0\.1:\d+ broke off/);
      });

    for (const ending of ["reset", "hang"] as const)
      it(`is complete with its last event, even when the server then makes a ${ending}`, async () => {
        const { baseUrl } = await serve({ parts: [answer], ending });
        assert.deepEqual(await collect(at(baseUrl)), answered);
      });

    for (const [what, parts, ending] of [
      ["hangs", [], "hang"],
      ["goes on with comments", Array.from({ length: 60 }, () => ": ping\n\n"), "hang"],
      ["is cut", [], "reset"],
    ] as const)
      it(`is whole once it has said how it ended, though the connection ${what} behind that`, async () => {
        const { baseUrl } = await serve({ parts: [whole, ...parts], pause: 5, ending });
        const clock = fakeClock();
        assert.deepEqual(await whileTimePasses(at(baseUrl, { clock, idleTimeout: 60_000 }), clock, true), answered);
      });

    for (const [what, part] of [
      ["its last event", answer],
      ["the word on how it ended", whole],
    ] as const)
      it(`is over soon after ${what}, though the server goes on with what says nothing`, async () => {
        const clock = fakeClock();
        const fetch = slowly([part, ...Array<string>(99).fill(unseen)], clock, 4_000);
        const { baseUrl } = await serve({});
        assert.deepEqual(await collect(at(baseUrl, { clock, idleTimeout: 60_000, fetch })), answered);
      });

    for (const [what, parts, types, seconds] of [
      ["nothing", [], ["reply_stalled"], 270],
      ["nothing that anybody sees", [": ping\n\n", unseen], ["reply_stalled"], 270],
      ["a word", [begun], ["text", "reply_stalled"], 60],
    ] as const)
      it(`BRAIN-EXEC-13 is waited for ${seconds} seconds when the model may be thinking and has shown ${what}`, async () => {
        const { baseUrl, dropped } = await serve({ parts, ending: "hang" });
        const clock = fakeClock();
        const model = at(baseUrl, { clock, idleTimeout: 60_000, thinkTimeout: 270_000 });
        const got = await whileTimePasses(model, clock, types.length > 1);
        assert.deepEqual(kinds(got), types);
        const { failure, retryable } = failureOf(got);
        assert.ok(retryable);
        assert.match(failure.message, new RegExp(`sent nothing for ${seconds} seconds`));
        await until(() => dropped() === 1);
      });

    it("is waited for as long as it takes to begin at home, and not longer than else once it has", async () => {
      const { baseUrl } = await serve({ parts: [": nothing yet\n\n", begun], pause: 50, ending: "hang" });
      const clock = fakeClock();
      const reply = at(baseUrl, { clock, idleTimeout: 60_000, patient: true });
      // An hour goes by with every turn of the event loop.
      assert.deepEqual(kinds(await whileTimePasses(reply, clock, false, 3_600_000)), ["text", "reply_stalled"]);
    });

    it("has not stalled while only comments come, nor while its reader takes time", async () => {
      const clock = fakeClock();
      let looks = 0;
      const counting: Clock = { ...clock, now: () => (looks++, clock.now()) };
      let read = (): void => undefined;
      const isRead = new Promise<void>((resolve) => (read = resolve));
      const later = async function* (): AsyncGenerator<string> {
        for (let pings = 0; pings < 4; pings += 1) {
          const before = looks;
          yield ": ping\n\n";
          await until(() => looks > before);
          await clock.advance(50_000);
        }
        yield begun;
        await isRead;
        yield answer.slice(begun.length);
      };
      const { baseUrl } = await serve({ later: later() });
      const got: ModelEvent[] = [];
      const model = at(baseUrl, { clock: counting, idleTimeout: 60_000 });
      for await (const event of model.stream(hello, new AbortController().signal)) {
        got.push(event);
        if (event.type !== "text") continue;
        await clock.advance(300_000);
        read();
      }
      assert.deepEqual(got, answered);
    });

    it("can be read although the server names its events or its type wrongly, with CRLF line ends", async () => {
      const { baseUrl } = await serve({ headers: plain, parts: [careless.replaceAll("\n", "\r\n")] });
      assert.deepEqual(await collect(at(baseUrl)), answered);
    });

    for (const [what, script] of Object.entries({
      ...unreadable,
      "something else": { headers: plain, parts: ["hello there\n\n"] },
    }))
      it(`cannot be read when it is ${what}, and that is said`, async () => {
        const { baseUrl } = await serve(script);
        const got = await collect(at(baseUrl));
        const { failure } = failureOf(got);
        assert.equal(got.length, 1);
        assert.equal(failure.code, "reply_malformed");
        assert.match(failure.message, /^127\.0\.0\.1:\d+ /);
      });
  });

/** What is shown, and how it went wrong; what was paid by then is told, too, where the wire says it. */
function kinds(events: readonly ModelEvent[]): readonly string[] {
  const told = events.filter(({ type }) => type !== "usage");
  return told.map((event) => (event.type === "error" ? event.failure.code : event.type));
}

function failureOf(events: readonly ModelEvent[]): Extract<ModelEvent, { type: "error" }> {
  const last = events.at(-1);
  assert.ok(last?.type === "error", JSON.stringify(last));
  return last;
}

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 3_000 && !holds(); i += 1) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(holds());
}
