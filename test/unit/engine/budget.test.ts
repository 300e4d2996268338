// Limits that pause a run with a choice, end it when nobody is there, and a model that goes round in circles.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { AgentDefinition } from "../../../src/protocol/agents.ts";
import { repeated } from "../../../src/engine/repetition.ts";
import type { Choose, Model, ModelEvent, Pause } from "../../../src/engine/ports.ts";
import type { PauseChoice } from "../../../src/protocol/messages.ts";
import { RequestRecord } from "../../../src/protocol/usage.ts";
import { calls, kit, ofType, says, scriptedModel, tool, type Script } from "../../support/kit.ts";

/** Chooses in order, and remembers what it was asked. */
function chooser(...choices: readonly PauseChoice[]): { choose: Choose; asked: Pause[] } {
  const asked: Pause[] = [];
  return {
    asked,
    choose: (pause) => {
      asked.push(pause);
      return Promise.resolve(choices[asked.length - 1] ?? "stop");
    },
  };
}

const reads = (count: number): Script[] =>
  Array.from({ length: count }, (_, n) => calls([`c${n}`, "read_file", { path: `${n}` }]));

describe("the limits of a run", () => {
  it("C-03: rounds that are used up pause with a choice; going on allows as many again, and the model knows nothing of it", async () => {
    const model = scriptedModel(...reads(5), says("done"));
    const { choose, asked } = chooser("continue", "continue");
    const made = kit({ model, tools: [tool("read_file")], config: { maxToolIterations: 2 }, ports: { choose } });
    assert.equal((await made.run()).status, "completed");
    assert.deepEqual(
      asked.map(({ reason, message }) => [reason, message]),
      [
        ["rounds", "Brain has made 2 rounds of calls."],
        ["rounds", "Brain has made 4 rounds of calls."],
      ],
    );
    assert.deepEqual(
      ofType(made.events, "run:paused", "run:resumed").map(({ type }) => type),
      ["run:paused", "run:resumed", "run:paused", "run:resumed"],
    );
    assert.ok(
      model.requests.every(({ tools, messages }) => tools.length === 1 && !JSON.stringify(messages).includes("rounds")),
    );
    assert.equal(made.lines.filter((line) => "type" in line && line.type === "pause").length, 2);
  });

  it("a person can have it summed up, or stopped", async () => {
    for (const [choice, status, requests] of [
      ["sumUp", "max_iterations", 3],
      ["stop", "aborted", 2],
    ] as const) {
      const model = scriptedModel(...reads(2), says("So far."));
      const { choose } = chooser(choice);
      const made = kit({ model, tools: [tool("read_file")], config: { maxToolIterations: 2 }, ports: { choose } });
      const outcome = await made.run();
      assert.deepEqual([outcome.status, model.requests.length], [status, requests], choice);
      if (choice === "sumUp") assert.deepEqual(model.requests[2]?.tools, []);
      assert.equal(made.locked(), false);
    }
  });

  it("tokens and money: pause where somebody chooses, end with a sentence where nobody does", async () => {
    const priced = (...scripts: Script[]) => ({
      ...scriptedModel(...scripts),
      price: { input: 1_000, output: 100_000 },
    });
    for (const config of [{ maxRunTokens: 20 }, { maxRunCost: 1 }]) {
      const alone = kit({ model: priced(...reads(4)), tools: [tool("read_file")], config });
      const outcome = await alone.run();
      assert.deepEqual([outcome.status, outcome.failure?.code], ["error", "budget_spent"], JSON.stringify(config));
      assert.match(outcome.failure?.message ?? "", /This run has (used 30 tokens|cost about \$1\.02)\./);
      const { choose, asked } = chooser("continue", "continue", "continue");
      const made = kit({
        model: priced(...reads(3), says("ok")),
        tools: [tool("read_file")],
        config,
        ports: { choose },
      });
      assert.equal((await made.run()).status, "completed");
      assert.equal(asked.length, 1);
    }
  });

  it("BRAIN-PERS-3: what a run cost stands at its end, a delegate's with it; where a price is not known, nothing does", async () => {
    const price = { input: 1_000, output: 100_000 };
    const ask = tool("ask", { run: ({ delegate }) => delegate({ agent: "helper", task: "Help.", data: [] }) });
    const costs = async (own: Partial<Model>, helper: Partial<Model>, ...scripts: Script[]): Promise<unknown[]> => {
      const model = { ...scriptedModel(...scripts), ...own };
      const helping = { ...scriptedModel(says("Helped.")), ...helper };
      const ports = { model: ({ name }: AgentDefinition) => Promise.resolve(name === "helper" ? helping : model) };
      const made = kit({ model, tools: [ask], agents: { helper: {} }, ports });
      const { cost } = await made.run();
      const end = made.lines.at(-1);
      assert.equal(end?.["type"], "run_end");
      return [cost, end["cost"]];
    };
    // Ten tokens in and two out, as `says` has it; a round of calls takes ten in and five out.
    assert.deepEqual(await costs({ price }, {}, says("Hello.")), [0.21, 0.21]);
    assert.deepEqual(await costs({}, { price }, says("Hello.")), [undefined, undefined]);
    const asks = [calls(["d", "ask", {}]), says("Done.")];
    assert.deepEqual(await costs({ price }, { price: { input: 0, output: 50_000 } }, ...asks), [0.82, 0.82]);
    assert.deepEqual(await costs({ price }, {}, ...asks), [undefined, undefined]);
    assert.deepEqual(
      await costs({ price: { ...price, cached: 100, long: { over: 9, price } } }, {}, says("Hi.")),
      [0.21, 0.21],
    );
    const cheap = { ...price, long: { over: 10, price: null } };
    assert.deepEqual(await costs({ price: cheap }, {}, says("Hi.")), [0.21, 0.21], "ten are not more than ten");
    const unknown = { ...price, long: { over: 9, price: null } };
    assert.deepEqual(await costs({ price: unknown }, {}, says("Hi.")), [undefined, undefined], "a long request");
    const cached = [
      { type: "text", text: "Hi." } as const,
      { type: "usage", usage: { input: 10, output: 2, cached: 4 } } as const,
      { type: "finish", reason: "stop" } as const,
    ];
    assert.deepEqual(await costs({ price: { ...price, cached: 500 } }, {}, cached), [0.208, 0.208]);
    assert.deepEqual(await costs({ price }, {}, cached), [0.21, 0.21]);
    const written = cached.map((event) =>
      event.type === "usage" ? { ...event, usage: { input: 10, output: 2, written: 6 } } : event,
    );
    assert.deepEqual(await costs({ price: { ...price, cacheWrite: 2_000 } }, {}, written), [0.216, 0.216]);
    assert.deepEqual(await costs({ price }, {}, written), [0.21, 0.21]);
    const thought = cached.map((event) =>
      event.type === "usage" ? { ...event, usage: { input: 10, output: 2, reasoning: 8 }, beside: 8 } : event,
    );
    assert.deepEqual(await costs({ price }, {}, thought), [1.01, 1.01], "thoughts beside the output are paid, too");
    const silent = [{ type: "text", text: "Hello." } as const, { type: "finish", reason: "stop" } as const];
    assert.deepEqual(await costs({ price }, {}, silent), [undefined, undefined], "nobody said what it used");
  });

  it("what the endpoint itself says that a request cost counts before any price: at the end, for the limit, with a delegate's, once for each try", async () => {
    const price = { input: 1_000, output: 100_000 };
    const billed = (cost: number, script: readonly ModelEvent[]): ModelEvent[] =>
      script.map((event) => (event.type === "usage" ? { ...event, cost } : event));
    const ask = tool("ask", { run: ({ delegate }) => delegate({ agent: "helper", task: "Help.", data: [] }) });
    const costs = async (own: Partial<Model>, helper: Script, ...scripts: Script[]): Promise<unknown[]> => {
      const model = { ...scriptedModel(...scripts), ...own };
      const ports = {
        model: ({ name }: AgentDefinition) => Promise.resolve(name === "helper" ? scriptedModel(helper) : model),
      };
      const made = kit({ model, tools: [ask], agents: { helper: {} }, ports });
      const { cost } = await made.run();
      const asked = made.lines.flatMap((line) => ("request" in line ? [RequestRecord.parse(line.request).cost] : []));
      assert.equal(made.lines.at(-1)?.["cost"], cost);
      return [cost, asked];
    };
    const asks = calls(["d", "ask", {}]);
    const hi = says("Hi.");
    assert.deepEqual(await costs({ price }, hi, billed(0.5, hi)), [0.5, [0.5]]);
    assert.deepEqual(await costs({}, hi, billed(0.5, hi)), [0.5, [0.5]], "no price is known");
    assert.deepEqual(await costs({ price }, hi, billed(0, hi)), [0, [0]], "it was free");
    assert.deepEqual(await costs({}, billed(2, hi), billed(0.5, asks), billed(0.25, hi)), [2.75, [0.5, 2, 0.25]]);
    assert.deepEqual(await costs({}, hi, billed(0.5, asks), billed(0.25, hi)), [undefined, [0.5, undefined, 0.25]]);
    assert.deepEqual(await costs({ price }, billed(2, hi), asks, billed(0.25, hi)), [2.76, [0.51, 2, 0.25]], "both");
    const tries = [...billed(0.5, hi).slice(1, 2), ...billed(0.25, hi)];
    assert.deepEqual(await costs({}, hi, tries), [0.75, [0.75]], "two tries");
    const halfSaid = [...hi.slice(1, 2), ...billed(1, hi)];
    assert.deepEqual(await costs({ price }, hi, halfSaid), [1.21, [1.21]], "the endpoint says it of one try");
    assert.deepEqual(await costs({}, hi, halfSaid), [undefined, [undefined]]);
    const long = { ...price, long: { over: 15, price: null } };
    const twice = [...hi.slice(1, 2), ...hi];
    assert.deepEqual(await costs({ price: long }, hi, twice), [0.42, [0.42]], "neither of two tries is a long one");

    const { choose, asked } = chooser("continue", "stop");
    const model = scriptedModel(...reads(4).map((script) => (Array.isArray(script) ? billed(0.6, script) : script)));
    const made = kit({ model, tools: [tool("read_file")], config: { maxRunCost: 1 }, ports: { choose } });
    assert.equal((await made.run()).status, "aborted");
    assert.deepEqual(
      asked.map(({ reason, message }) => [reason, message]),
      [
        ["cost", "This run has cost about $1.20."],
        ["cost", "This run has cost about $2.40."],
      ],
    );
    const half = [...billed(2, hi).slice(1, 2), ...calls(["c", "read_file", {}])];
    const partly = kit({
      model: scriptedModel(half, says("No.")),
      tools: [tool("read_file")],
      config: { maxRunCost: 1 },
      ports: { choose },
    });
    assert.equal((await partly.run()).status, "aborted", "what is known of it counts for the limit");
  });

  it("time: with somebody there the run is not cut off but asks at the next safe point, and waiting costs no time", async () => {
    let answer = (_choice: PauseChoice): void => undefined;
    const choose: Choose = () => new Promise((resolve) => (answer = resolve));
    const slow = tool("read_file", {
      timeout: 600_000,
      run: () =>
        new Promise((resolve) => void made.clock.after(90_000, () => resolve({ status: "succeeded", content: "" }))),
    });
    const made = kit({
      model: scriptedModel(...reads(2), says("ok")),
      tools: [slow],
      config: { executionTimeout: 60_000 },
      ports: { choose },
    });
    const result = made.run();
    await made.clock.advance(89_000);
    assert.equal(ofType(made.events, "run:paused").length, 0, "the call that runs is not cut off");
    await made.clock.advance(2_000);
    assert.equal(ofType(made.events, "run:paused")[0]?.message, "Brain has worked for 1 minute.");
    await made.clock.advance(3_600_000);
    answer("continue");
    await made.clock.advance(91_000);
    assert.equal(ofType(made.events, "run:paused").length, 2, "a minute was allowed again, and is over");
    answer("continue");
    await made.clock.advance(1_000);
    assert.equal((await result).status, "completed");
  });

  it("stopping ends a pause", async () => {
    const made = kit({
      model: scriptedModel(...reads(2)),
      tools: [tool("read_file")],
      config: { maxToolIterations: 1 },
      ports: { choose: () => new Promise(() => undefined) },
    });
    const run = made.start();
    await made.clock.advance(10);
    run.stop();
    assert.equal((await run.result).status, "aborted");
    assert.equal(made.locked(), false);
  });

  it("a model in a circle is told after three rounds, and after five the run pauses", async () => {
    const same = Array.from({ length: 6 }, (_, n) => calls([`c${n}`, "read_file", { path: "same" }]));
    const model = scriptedModel(...same, says("ok"));
    const { choose, asked } = chooser("continue");
    const made = kit({ model, tools: [tool("read_file")], config: { maxToolIterations: 50 }, ports: { choose } });
    await made.run();
    const told = model.requests.map(({ messages }) => /same calls 3 times/.test(messages.at(-1)?.content ?? ""));
    assert.deepEqual(told, [false, false, false, true, false, false, false]);
    assert.deepEqual(
      asked.map(({ reason, message }) => [reason, message]),
      [["repetition", "The model has made the same calls 5 times, with the same results."]],
    );
  });

  it("counts cycles of up to four rounds, and nothing that only looks like one", () => {
    assert.equal(repeated([]), 1);
    assert.equal(repeated(["a", "b", "c"]), 1);
    assert.equal(repeated(["x", "a", "a", "a"]), 3);
    assert.equal(repeated(["a", "b", "a", "b", "a", "b"]), 3);
    assert.equal(repeated(["a", "a", "b"]), 1);
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("p", "q"), { maxLength: 6 }),
        fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 6 }),
        (before, cycle, times) => {
          const rounds = [...before, ...Array.from({ length: times }, () => cycle).flat()];
          assert.equal(repeated(rounds), times);
        },
      ),
    );
  });
});
