// Meta and advisors: what they change in a request, when they speak, and that what they say is never done.
import assert from "node:assert/strict";
import { Validator } from "@cfworker/json-schema";
import fc from "fast-check";
import {
  adviceOf,
  advisorHandler,
  advisorOf,
  consultAdvisor,
  handlersOf,
  handlersPrepare,
  handlersReceive,
  metaHandler,
  metaOf,
  type Advisor,
  type Outgoing,
} from "../../../src/engine/handlers.ts";
import { bindTools, type ToolDefinition } from "../../../src/engine/activities.ts";
import type { Tool } from "../../../src/engine/ports.ts";
import { toolSpec } from "../../../src/engine/prompt.ts";
import { validateJson } from "../../../src/tools/jsonSchema.ts";
import { jsonSolutions } from "../../../src/engine/jsonSolutions.ts";
import { solutionSchema } from "../../../src/engine/solution.ts";
import { countedIds, kit, ofType, scriptedModel, tool } from "../../support/kit.ts";
import { solves } from "./solves.ts";

const asLatent = (definition: ToolDefinition): Tool => {
  const [made] = bindTools({ tools: [definition] }, validateJson);
  assert.ok(made?.fields?.latent);
  return made;
};
const meta = { domain: "games.test", path: "/321", version: "1.2.3", branches: ["main"], createdAt: "2026-01-01" };
const plain: Outgoing = { solution: { tools: [], references: false }, system: "You.", messages: [], notes: [] };
const accepts = (outgoing: Outgoing, solution: unknown): boolean =>
  new Validator(solutionSchema(outgoing.solution), "2020-12").validate(solution).valid;

function advisor(id: string, on: Advisor["on"], more: Record<string, unknown> = {}): Advisor {
  const made = advisorOf({ type: "advisor", id, role: `Looks for ${id}.`, on, ...more });
  assert.ok(made);
  return made;
}

describe("meta", () => {
  it("LOOP-META-1: is told and required, in front of all others, only when there is a meta message", () => {
    const outgoing = metaHandler(meta).prepare(plain, true);
    assert.deepEqual(outgoing.notes, [`## Data: ¶meta\n${JSON.stringify(meta)}`]);
    assert.match(outgoing.system, /^You\.\n\n# Meta\n/);
    assert.ok(accepts(outgoing, { meta, calls: [], output: "x" }));
    assert.ok(!accepts(outgoing, { calls: [], output: "x" }));
    assert.ok(!accepts(outgoing, { meta: { ...meta, version: 2 }, calls: [], output: "x" }));
    assert.ok(accepts(plain, { calls: [], output: "x" }));
    assert.ok(!accepts(plain, { meta, calls: [], output: "x" }));
  });

  it("LOOP-META-1: takes the version that the model gives, and tells it in the next request", () => {
    const handler = metaHandler(meta);
    const next = { ...meta, version: "1.2.4" };
    assert.equal(handler.receive({ meta: next, final: false, first: true }), "Version 1.2.4 of games.test/321.");
    assert.deepEqual(handler.prepare(plain, false).notes, [`## Data: ¶meta\n${JSON.stringify(next)}`]);
    assert.equal(handler.receive({ meta: next, final: true, first: false }), "");
  });

  it("LOOP-META-1: passes over what is no identity", () => {
    const handler = metaHandler(meta);
    for (const raw of [
      undefined,
      null,
      "2",
      [],
      {},
      { ...meta, version: 2 },
      { ...meta, branches: [1] },
      { ...meta, path: undefined },
    ]) {
      assert.equal(metaOf(raw), null);
      assert.equal(handler.receive({ meta: raw, final: false, first: true }), "");
    }
    assert.deepEqual(handler.prepare(plain, false).notes, [`## Data: ¶meta\n${JSON.stringify(meta)}`]);
  });
});

describe("advisors", () => {
  const risk = advisor("risk", "request", {
    scopes: ["†state.history", 7],
    schema: {
      type: "object",
      properties: { thought: { type: "string" }, id: { type: "number" } },
      required: ["thought"],
    },
  });

  it("LOOP-ADV-1: advice stands before the calls and has the advisor's own fields", () => {
    const outgoing = advisorHandler(risk).prepare(plain, false);
    assert.match(outgoing.system, /# Advisors\n.*\n- risk: Looks for risk\. It looks above all at †state\.history\.$/s);
    const advice = { id: "risk", thought: "No tests.", calls: '{"deploy": 10}' };
    assert.ok(accepts(outgoing, { advisors: [advice], calls: [], output: null }));
    for (const bad of [
      [],
      [{ ...advice, id: "other" }],
      [{ ...advice, thought: 1 }],
      [{ ...advice, calls: { deploy: 1 } }],
    ])
      assert.ok(!accepts(outgoing, { advisors: bad, calls: [], output: null }), JSON.stringify(bad));
  });

  it("LOOP-ADV-1: start speaks once, request always, finish with the output, null never, in a run of three requests", async () => {
    const ids = ["start", "finish", "request", "silent"];
    const handlers = handlersOf(ids.map((id) => ({ type: "advisor", id, role: id, on: id === "silent" ? null : id })));
    const advisors = ids.map((id) => ({ id, calls: "{}" }));
    const inner = scriptedModel(
      solves({ advisors, calls: [{ _tool: "look" }], output: null }),
      solves({ advisors, calls: [{ _tool: "look" }], output: null }),
      solves({ advisors, calls: [], output: "Done." }),
    );
    const made = kit({ model: jsonSolutions(inner, { ids: countedIds("call"), handlers }), tools: [tool("look")] });
    assert.equal((await made.run()).output, "Done.");
    const told = ofType(made.events, "stream:thinking").map(({ content }) => content.split(": ").join("").split("\n"));
    assert.deepEqual(told, [["start", "request"], ["request"], ["finish", "request"]]);
    const offered = inner.requests.map(({ system }) => ids.filter((id) => system.includes(`\n- ${id}: `)));
    assert.deepEqual(offered, [
      ["start", "finish", "request"],
      ["finish", "request"],
      ["finish", "request"],
    ]);
  });

  it("LOOP-ADV-2: votes for tools run none of them", async () => {
    const inner = scriptedModel(
      solves({ advisors: [{ id: "risk", thought: "Go.", calls: '{"deploy": 100}' }], calls: [], output: "Not done." }),
    );
    const ran: string[] = [];
    const deploy = tool("deploy", {
      run: () => {
        ran.push("deploy");
        return { status: "succeeded", content: "" };
      },
    });
    const made = kit({
      model: jsonSolutions(inner, { ids: countedIds(), handlers: [advisorHandler(risk)] }),
      tools: [deploy],
    });
    assert.equal((await made.run()).status, "completed");
    assert.deepEqual(ran, []);
    assert.deepEqual(ofType(made.events, "call:streaming", "tool:start"), []);
    assert.deepEqual(
      ofType(made.events, "stream:thinking").map(({ content }) => content),
      ["risk: Go. (deploy 100)"],
    );
  });

  it("LOOP-ADV-2: votes that are malformed are passed over, the rest of the advice is kept", () => {
    for (const calls of ["{deploy: 1}", "", "[1]", "null", '{"deploy":"1"}', { deploy: 1 }, 7, undefined, '{"a":1'])
      assert.deepEqual(adviceOf([{ id: "risk", thought: "t", calls }], risk), [
        { id: "risk", said: { thought: "t" }, votes: new Map() },
      ]);
    const some = adviceOf([{ id: "risk", calls: '{"a":1,"b":"x","__proto__":2}' }], risk);
    assert.deepEqual(
      some[0]?.votes,
      new Map([
        ["a", 1],
        ["__proto__", 2],
      ]),
    );
    assert.equal(Object.hasOwn(Object.prototype, "deploy"), false);
  });

  it("LOOP-ADV-2: whatever stands in advisors is read without throwing, as advice of this advisor or none", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.jsonValue(), fc.array(fc.record({ id: fc.constantFrom("risk", "x"), calls: fc.string() }))),
        (raw) => {
          const advice = adviceOf(raw, risk);
          assert.ok(advice.length <= 1 && advice.every(({ id }) => id === "risk"));
        },
      ),
    );
  });

  it("LOOP-ADV-1: an advisor of instances speaks once for each of them", () => {
    const each = advisor("each", "request", { isInstanced: true });
    const entries = ["①", "②"].map((_instance) => ({ id: "each", _instance, calls: "{}" }));
    assert.deepEqual(
      adviceOf(entries, each).map(({ instance }) => instance),
      ["①", "②"],
    );
    const outgoing = advisorHandler(each).prepare(plain, true);
    assert.ok(accepts(outgoing, { advisors: entries, calls: [], output: null }));
    assert.ok(!accepts(outgoing, { advisors: [{ id: "each", calls: "{}" }], calls: [], output: null }));
  });

  it("LOOP-ADV-1: advisors that speak when asked are asked through a latent tool", () => {
    assert.equal(consultAdvisor([risk]), null);
    const definition = consultAdvisor([risk, advisor("silent", null)]);
    assert.ok(definition);
    const spec = toolSpec(asLatent(definition), { dataFlow: false });
    const outgoing = { ...plain, solution: { tools: [spec], references: false } };
    const call = { _tool: "ConsultAdvisor", advisor: "silent", _output: { id: "silent", calls: "{}" } };
    assert.ok(accepts(outgoing, { calls: [call], output: null }));
    assert.ok(!accepts(outgoing, { calls: [{ ...call, advisor: "risk" }], output: null }));
  });
});

describe("the handlers of a context", () => {
  it("LOOP-SCHEMA-5: are taken in the context's order; other messages have none", () => {
    const context = [
      { type: "text", text: "x" },
      { type: "advisor", id: "b", role: "B.", on: "request" },
      { type: "meta", meta },
      { type: "meta", meta: { domain: "x" } },
      { type: "advisor", id: "a", role: "A.", on: "request" },
      { type: "advisor", id: "b", role: "again", on: "request" },
      { type: "advisor", role: "no id" },
      { type: "state", state: {} },
      null,
    ];
    const handlers = handlersOf(context);
    assert.equal(handlers.length, 3);
    const outgoing = handlersPrepare(handlers, plain, false);
    assert.match(outgoing.system, /- b: B\.\n\n# Meta\n[^#]*- a: A\.$/);
    assert.equal(outgoing.system.split("# Advisors").length, 2);
    assert.deepEqual(Object.keys(Object(solutionSchema(outgoing.solution)["properties"])), [
      "meta",
      "advisors",
      "calls",
      "output",
    ]);
    const answered = {
      meta: { ...meta, version: "2" },
      advisors: [
        { id: "a", t: 1 },
        { id: "b", t: "x" },
      ],
      final: false,
      first: false,
    };
    assert.equal(handlersReceive(handlers, answered), "b: x\nVersion 2 of games.test/321.\na: 1");
  });
});
