// invokeAgent by itself: what it returns, what it throws, what goes between model and handlers, and what is streamed.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { ModelEvent } from "../../src/engine/ports.ts";
import { calls, ofType, says, type Script } from "../support/kit.ts";
import { errorOf, invoking, plainAgent, withPrompts } from "../support/invoking.ts";

const looking = (id: string, at = "x"): Script => calls([id, "look", { at }]);
const text = ({ content }: { readonly content: readonly { readonly value: string }[] } = { content: [] }): string =>
  content.map(({ value }) => value).join("");

describe("invokeAgent", () => {
  it("PROMPTY-9.0-1 takes a path or an agent, with inputs, and returns the processed answer", () =>
    withPrompts({ "a.prompty": "---\noutputs: {n: 0}\n---\nsystem:\nBe {{ mood }}." }, async (dir) => {
      const byPath = invoking({ agent: `${dir}/a.prompty`, inputs: { mood: "brief" }, scripts: [says('{"n": 3}')] });
      assert.deepEqual(await byPath.run.result, { n: 3 });
      assert.equal(byPath.model.requests[0]?.system, "Be brief.");
      const byObject = invoking({ inputs: { question: "2 + 2?" }, tools: { look: () => "" }, scripts: [says("4")] });
      assert.equal(await byObject.run.result, "4");
      const [request] = byObject.model.requests;
      assert.equal(request?.system, "You help.");
      assert.deepEqual(
        request.messages.map(({ role, content }) => [role, content]),
        [["user", "2 + 2?"]],
      );
    }));

  it("an answer that does not keep to the declared outputs is its text", async () => {
    const agent = { instructions: "Go.", outputs: { n: 0 } };
    assert.equal(await invoking({ agent, scripts: [says("three")] }).run.result, "three");
  });

  it("PROMPTY-9.1-1 asks ten times at most, or as often as it is told", async () => {
    for (const [options, most] of [[{}, 10] as const, [{ maxIterations: 3 }, 3] as const]) {
      const scripts = Array.from({ length: 12 }, (_, i) => looking(`c${i}`, `place ${i}`));
      const { run, model } = invoking({ tools: { look: () => "seen" }, scripts, options });
      const error = await errorOf(run);
      assert.equal(error.message, `Agent loop exceeded ${most} iterations`);
      assert.equal(model.requests.length, most);
    }
  });

  it("PROMPTY-9.1-2 PROMPTY-9.1-3 that error comes before the next request and carries the messages so far", async () => {
    const scripts = [looking("a"), looking("b")];
    const { run, model } = invoking({ tools: { look: () => "seen" }, scripts, options: { maxIterations: 2 } });
    const { code, outcome } = await errorOf(run);
    assert.equal(code, "iterations_exceeded");
    assert.equal(model.requests.length, 2);
    assert.deepEqual(
      outcome.messages.map(({ role }) => role),
      ["system", "user", "assistant", "tool", "assistant", "tool"],
    );
    assert.equal(outcome.status, "max_iterations");
  });

  it("PROMPTY-9.2-1 puts tools beside the agent's own for this one time, and changes no agent", async () => {
    const before = structuredClone(plainAgent);
    const more = [{ name: "more", description: "More", parameters: { type: "object" }, handler: () => "done" }];
    const first = invoking({ tools: [...more, { name: "look", handler: () => "" }], scripts: [says("ok")] });
    await first.run.result;
    assert.deepEqual(
      first.model.requests[0]?.tools.map(({ name }) => name),
      ["look", "more"],
    );
    assert.deepEqual(plainAgent, before);
    const error = await errorOf(invoking({ scripts: [says("ok")] }).run);
    assert.equal(error.message, "No handler registered for tool: look (kind: function).");
  });

  it("PROMPTY-9.2-2 PROMPTY-9.2-3 calls and results stand in the conversation in the specification's form", async () => {
    const { run } = invoking({ tools: { look: () => "seen" }, scripts: [looking("c1"), says("done")] });
    const [, , call, result, last] = (await run.outcome).messages;
    const written = { id: "c1", type: "function", function: { name: "look", arguments: '{"at":"x"}' } };
    assert.deepEqual(call, { role: "assistant", content: [], metadata: { tool_calls: [written] } });
    const content = [{ kind: "text", value: "seen" }];
    assert.deepEqual(result, { role: "tool", content, metadata: { tool_call_id: "c1" } });
    assert.deepEqual(last, { role: "assistant", content: [{ kind: "text", value: "done" }] });
  });

  it("PROMPTY-9.2-4 an empty result is sent as it is", async () => {
    const { run, model } = invoking({ tools: { look: () => "" }, scripts: [looking("c1"), says("done")] });
    await run.result;
    const sent = model.requests[1]?.messages.at(-1);
    assert.equal(sent?.role, "tool");
    assert.equal(sent.content, "");
  });

  it("PROMPTY-9.2-5 PROMPTY-9.2-6 all calls of a reply run, in their order, until a reply has none", async () => {
    const order: unknown[] = [];
    const scripts = [calls(["a", "look", { at: "1" }], ["b", "look", { at: "2" }]), looking("c", "3"), says("done")];
    const tools = {
      look: async ({ at }: { readonly at?: unknown }) => {
        order.push(`begin ${String(at)}`);
        await new Promise((resolve) => setImmediate(resolve));
        order.push(`end ${String(at)}`);
        return at;
      },
    };
    const { run, model } = invoking({ tools, scripts });
    assert.equal(await run.result, "done");
    assert.deepEqual(order, ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"]);
    assert.deepEqual(
      model.requests[2]?.messages.flatMap((one) => (one.role === "tool" ? [one.tool_call_id] : [])),
      ["a", "b", "c"],
    );
  });

  it("runs the calls of a reply at the same time when it is told to, and keeps the order of their results", async () => {
    let open = (): void => undefined;
    const second = new Promise<void>((resolve) => (open = resolve));
    const tools = { look: ({ at }: { at?: unknown }) => (at === "1" ? second.then(() => "one") : (open(), "two")) };
    const scripts = [calls(["a", "look", { at: "1" }], ["b", "look", { at: "2" }]), says("done")];
    const { run } = invoking({ tools, scripts, options: { parallel: true } });
    const results = (await run.outcome).messages.filter(({ role }) => role === "tool").map(text);
    assert.deepEqual(results, ["one", "two"]);
  });

  it("PROMPTY-9.2-7 handlers may be sync or async", async () => {
    for (const look of [() => "seen", () => Promise.resolve("seen")]) {
      const { run } = invoking({ tools: { look }, scripts: [looking("c"), says("done")] });
      assert.equal(text((await run.outcome).messages[3]), "seen");
    }
  });

  it("PROMPTY-9.2-8 a result that is no text is JSON, and nothing is an empty text", async () => {
    const cases: [unknown, string][] = [
      [{ a: [1, null] }, '{"a":[1,null]}'],
      [4.5, "4.5"],
      [null, "null"],
      [undefined, ""],
      [new Uint8Array([104, 105]), "aGk="],
    ];
    for (const [value, expected] of cases) {
      const { run } = invoking({ tools: { look: () => value }, scripts: [looking("c"), says("done")] });
      assert.equal(text((await run.outcome).messages[3]), expected);
    }
  });

  it("PROMPTY-9.2-9 PROMPTY-9.2-10 arguments are JSON, none are none, and what is no JSON is mended or told", async () => {
    const given: unknown[] = [];
    const look = (args: unknown): string => (given.push(args), "seen");
    const written = ["", '```json\n{"at": "x",}\n```', '{"at": "x', "[1]"];
    const scripts = [calls(...written.map((one, i) => [`c${i}`, "look", one] as const)), says("done")];
    const { run } = invoking({ tools: { look }, scripts });
    const { toolResults } = await run.outcome;
    assert.deepEqual(given, [{}, { at: "x" }]);
    assert.deepEqual(
      toolResults.map(({ status }) => status),
      ["succeeded", "succeeded", "failed", "failed"],
    );
    assert.match(toolResults[2]?.content ?? "", /not valid JSON/);
  });

  it("PROMPTY-9.2-11 what a handler throws is its result, and the loop goes on", async () => {
    const look = (): never => {
      throw new Error("no light");
    };
    const { run } = invoking({ tools: { look }, scripts: [looking("c"), says("It is dark.")] });
    assert.equal(await run.result, "It is dark.");
    assert.equal(text((await run.outcome).messages[3]), "look failed: no light");
  });

  it("PROMPTY-9.2-12 a call of a tool that was not offered ends it", async () => {
    const scripts = [calls(["a", "look", { at: "x" }], ["b", "guess", {}]), says("never")];
    const { run, model } = invoking({ tools: { look: () => "seen" }, scripts });
    const error = await errorOf(run);
    assert.equal(error.code, "tool_unknown");
    assert.equal(error.message, "Tool not registered: guess. The tools are: look.");
    assert.equal(model.requests.length, 1);
    assert.equal(text(error.outcome.messages.at(-1)), "seen");
  });

  it("PROMPTY-9.2-13 a declared tool that nobody does the work of is said before the first request", async () => {
    const { run, model } = invoking({ scripts: [says("never")] });
    assert.equal((await errorOf(run)).code, "tool_invalid");
    assert.equal(model.requests.length, 0);
  });

  it("PROMPTY-9.2-14 text beside calls stays in the conversation", async () => {
    const both: ModelEvent[] = [{ type: "text", text: "I look." }, ...calls(["c", "look", {}])];
    const { run, model } = invoking({ tools: { look: () => "seen" }, scripts: [both, says("done")] });
    await run.result;
    assert.equal(model.requests[1]?.messages[1]?.content, "I look.");
  });

  it("ends as a value or with an error when it is stopped", async () => {
    const { run } = invoking({ options: { signal: AbortSignal.abort() }, tools: { look: () => "" } });
    assert.equal((await run.outcome).status, "aborted");
    const error = await errorOf(run);
    assert.equal(error.code, "run_cancelled");
    assert.equal(error.outcome.messages.length, 2);
  });

  it("a message can be sent into it before it has begun, and while it goes on", async () => {
    const made = invoking({
      tools: { look: () => (made.run.steer("Second."), "seen") },
      scripts: [looking("c"), says("ok")],
    });
    assert.equal(made.run.steer("First."), true);
    assert.equal(await made.run.result, "ok");
    const said = made.model.requests[1]?.messages.flatMap(({ role, content }) => (role === "user" ? [content] : []));
    assert.deepEqual(said, ["Go.", "First.", "Second."]);
    assert.equal(made.run.steer("Third."), false);
  });

  it("guardrails refuse what goes in, an answer, or a call", async () => {
    const tools = { look: () => "seen" };
    const input = invoking({ tools, options: { guardrails: { input: () => "Not this." } } });
    assert.equal((await errorOf(input.run)).message, "Not this.");
    assert.equal(input.model.requests.length, 0);
    const output = invoking({ tools, scripts: [says("42")], options: { guardrails: { output: (said) => said } } });
    assert.equal((await errorOf(output.run)).code, "guardrail_denied");
    const options = { guardrails: { tool: (name: string, { at }: { at?: unknown }) => `${name} ${String(at)}` } };
    const tool = invoking({ tools, scripts: [looking("c"), says("ok")], options });
    assert.equal(await tool.run.result, "ok");
    assert.match((await tool.run.outcome).toolResults[0]?.content ?? "", /denied by guardrail: look x/);
  });

  it("a listener that throws changes nothing", async () => {
    const onEvent = (): never => {
      throw new Error("listener");
    };
    const { run } = invoking({ tools: { look: () => "" }, scripts: [says("ok")], options: { onEvent } });
    assert.equal(await run.result, "ok");
  });
});

/** Words, one piece each. */
const words = (...said: readonly string[]): ModelEvent[] => said.map((one) => ({ type: "text", text: one }));
const stop: ModelEvent = { type: "finish", reason: "stop" };

async function textOf(stream: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const one of stream) all.push(one);
  return all;
}

describe("the text of an invocation", () => {
  const tools = { look: () => "seen" };

  it("PROMPTY-9.3-1 a call runs once all of its arguments are there", async () => {
    const given: unknown[] = [];
    const whole = '{"at":"a long place"}';
    const call = { id: "c", name: "look", arguments: whole };
    const script: Script = async function* () {
      yield { type: "call:start", id: "c", name: "look" };
      assert.deepEqual(given, []);
      yield { type: "call", call };
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(given, [], "nothing runs before the reply is there");
      yield { type: "finish", reason: "calls" };
    };
    const { run } = invoking({ tools: { look: (args) => void given.push(args) }, scripts: [script, says("ok")] });
    await run.result;
    assert.deepEqual(given, [JSON.parse(whole)]);
  });

  it("PROMPTY-9.3-2 PROMPTY-9.3-4 leaves out what was said before calls, which events have at once and marked", async () => {
    const first: ModelEvent[] = [...words("I ", "look."), ...calls(["c", "look", {}])];
    const { run, events } = invoking({ tools, scripts: [first, [...words("It ", "is."), stop]] });
    assert.deepEqual(await textOf(run.text), ["It ", "is."]);
    const deltas = ofType(events, "stream:delta").map(({ content }) => content);
    assert.deepEqual(deltas, ["I ", "look.", "It ", "is."]);
    assert.deepEqual(
      ofType(events, "message:end").map(({ interim }) => interim),
      [true, false],
    );
  });

  it("PROMPTY-9.3-2 never has anything of a reply with calls, wherever they stand in it", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.constantFrom("t", "c"), { maxLength: 5 }), { maxLength: 4 }),
        async (plan) => {
          const scripts = plan.map((parts, i): ModelEvent[] => {
            const pieces = parts.flatMap((part, j): ModelEvent[] => {
              const id = `c${i}-${j}`;
              if (part === "t") return words(`interim ${i}.${j}`);
              return [
                { type: "call:start", id, name: "look" },
                { type: "call", call: { id, name: "look", arguments: "{}" } },
              ];
            });
            const call: ModelEvent = { type: "call", call: { id: `c${i}`, name: "look", arguments: "{}" } };
            return [...pieces, call, { type: "finish", reason: "calls" }];
          });
          const { run } = invoking({ tools, scripts: [...scripts, [...words("final"), stop]] });
          assert.deepEqual(await textOf(run.text), ["final"]);
        },
      ),
      { numRuns: 40 },
    ));

  it("PROMPTY-9.3-3 has each piece as it arrives where no calls can follow, or where that is asked for", async () => {
    const cases = [
      { agent: { instructions: "Go." }, options: {} },
      { agent: plainAgent, options: { forwarding: "early" as const } },
    ];
    for (const { agent, options } of cases) {
      let read = (): void => undefined;
      const first = new Promise<void>((resolve) => (read = resolve));
      const script: Script = async function* () {
        yield* words("one");
        await first;
        yield* words("two");
        yield stop;
      };
      const { run } = invoking({ agent, tools, scripts: [script], options });
      const heard: string[] = [];
      for await (const piece of run.text) {
        heard.push(piece);
        read();
      }
      assert.deepEqual(heard, ["one", "two"]);
    }
  });

  it("PROMPTY-9.3-5 of a reply that broke off is no answer: the stream ends with the error", async () => {
    const failure = { code: "provider_failed", status: 502, message: "Cut.", next: "" } as const;
    const broken: ModelEvent[] = [...words("half"), { type: "error", failure, retryable: false }];
    const { run } = invoking({ tools, scripts: [broken] });
    await assert.rejects(textOf(run.text), /Cut\./);
    const { messages, status } = await run.outcome;
    assert.equal(status, "error");
    assert.equal(text(messages.at(-1)), "half");
  });

  it("PROMPTY-9.3-6 what a model thinks before its calls is no text of it", async () => {
    const thinking: ModelEvent[] = [{ type: "thinking", text: "hm" }, ...calls(["c", "look", {}])];
    const { run } = invoking({ tools, scripts: [thinking, [{ type: "thinking", text: "ah" }, ...says("ok")]] });
    assert.deepEqual(await textOf(run.text), ["ok"]);
  });

  it("of a model that refuses is its answer, and the stream says so at its end", async () => {
    const refusal: ModelEvent[] = [...words("No."), { type: "finish", reason: "refusal" }];
    const { run } = invoking({ tools, scripts: [refusal] });
    assert.equal(await run.result, "No.");
    await assert.rejects(textOf(run.text), /refused/);
  });
});
