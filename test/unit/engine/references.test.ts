// References and the data they read: what is one, what it gives, what is never followed, and how messages fold.
import assert from "node:assert/strict";
import fc from "fast-check";
import { dataOf } from "../../../src/engine/data.ts";
import { flowOf, readiness, type Producer } from "../../../src/engine/dataflow.ts";
import { parseReference, resolve, resolveParams, type Reference } from "../../../src/engine/references.ts";
import { foldKind, lookupIn, writing, type DataMessage } from "../../../src/engine/state.ts";
import type { Params } from "../../../src/protocol/messages.ts";
import { calls, kit, says, scriptedModel, tool } from "../../support/kit.ts";

const holding = (data: unknown): DataMessage[] => [{ kind: "state", data }];
const look = (data: unknown) => lookupIn(holding(data), undefined);
const valueOf = (value: unknown, data: unknown): unknown => {
  const resolved = resolve(value, look(data));
  return resolved.kind === "resolved" ? resolved.value : resolved.error;
};

describe("references", () => {
  it("LOOP-REF-1, LOOP-REF-2: a whole text that begins with † is one, at any depth; a dagger inside or behind a backslash is a letter", () => {
    const data = { a: { b: 1 }, list: [{ x: "y" }] };
    assert.equal(valueOf("†state.a.b", data), 1);
    assert.deepEqual(valueOf("  †state ", data), data);
    assert.deepEqual(valueOf([{ deep: ["†state.a"] }, "plain †state.a"], data), [
      { deep: [{ b: 1 }] },
      "plain †state.a",
    ]);
    assert.equal(valueOf("\\†state.a", data), "†state.a");
    assert.equal(valueOf("†", data), "syntax");
    assert.equal(valueOf("†state..a", data), "syntax");
    assert.equal(valueOf("†state.a || ", data), "syntax");
  });

  it("LOOP-REF-6: null, false, 0 and an empty text are values; only what is not there is missing", () => {
    const data = { n: null, f: false, z: 0, e: "" };
    assert.deepEqual(
      Object.keys(data).map((key) => valueOf(`†state.${key}`, data)),
      [null, false, 0, ""],
    );
    assert.equal(valueOf("†state.n || †state.z", data), null);
    assert.equal(valueOf("†state.u", data), "missing");
    assert.equal(valueOf("†other", data), "missing");
  });

  it("LOOP-REF-7: fields that begin with _ are no parameters", () => {
    const resolved = resolveParams({ _outputPath: "†state.never", p: "†state.a" }, look({ a: 1 }));
    assert.deepEqual(resolved, { kind: "resolved", value: { _outputPath: "†state.never", p: 1 } });
  });

  it("LOOP-REF-8: a number counts into a list; past its end there is nothing", () => {
    const data = { list: ["a", ["b"]] };
    assert.deepEqual(
      ["†state.list.0", "†state.list.1.0", "†state.list.2", "†state.list.-1", "†state.list.length"].map((one) =>
        valueOf(one, data),
      ),
      ["a", "b", "missing", "missing", "missing"],
    );
  });

  it("LOOP-EXPR-1, LOOP-EXPR-2: || is the first that exists, && all of them and the last one's value; && binds tighter", () => {
    const data = { a: 1, b: 2 };
    assert.equal(valueOf("†state.x || †state.a", data), 1);
    assert.equal(valueOf("†state.a && †state.b", data), 2);
    assert.equal(valueOf("†state.a && †state.x", data), "missing");
    assert.equal(valueOf("†state.x && †state.a || †state.b", data), 2);
  });

  it("LOOP-REF-4: names that lead out of plain data are never followed and never written, whatever the text", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "__proto__", "constructor", "prototype", "toString", "0"), { minLength: 1 }),
        (path) => {
          const reference = `†state.${path.join(".")}`;
          const got = valueOf(reference, { a: { b: 1 } });
          assert.ok(got === "forbidden" || got === "missing" || typeof got === "object");
          const flow = flowOf({}, { _outputPath: reference });
          const forbidden = path.some((name) => ["__proto__", "constructor", "prototype"].includes(name));
          assert.equal(typeof flow === "string", forbidden);
        },
      ),
    );
    assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
  });

  it("any text: reading it never throws, and what is no reference comes back as it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const parsed = parseReference(text);
        if (!text.trim().startsWith("†") && !text.trim().startsWith("\\†"))
          assert.deepEqual(parsed, { kind: "literal", value: text });
      }),
    );
  });

  it("LOOP-REF-5, LOOP-ERR-1: a value is checked where it is used, against the schema of its parameter", async () => {
    let ran = false;
    const made = kit({
      model: scriptedModel(
        calls(["a", "give", { _outputPath: "†state.a" }], ["b", "take", { path: "†state.a" }]),
        says("ok"),
      ),
      tools: [
        tool("give", { run: () => ({ status: "succeeded", content: "1", value: 1 }) }),
        tool("take", {
          prepare: ({ path }) =>
            typeof path === "string" ? null : { kind: "refused", status: "failed", content: "path: must be text" },
          run: () => ((ran = true), { status: "succeeded", content: "" }),
        }),
      ],
    });
    const outcome = await made.run();
    assert.equal(ran, false);
    assert.deepEqual(
      outcome.toolResults.map(({ status, error }) => [status, error?.type]),
      [
        ["succeeded", undefined],
        ["failed", "structural"],
      ],
    );
  });
});

describe("data", () => {
  it("LOOP-DATA-1, LOOP-INST-1: messages of one kind and instance merge, lists are replaced, others are not touched", () => {
    const messages = dataOf([
      { type: "state", state: { a: { x: 1 }, list: [1, 2] } },
      { type: "data", kind: "state", data: { a: { y: 2 }, list: [3] } },
      { type: "state", state: { a: { z: 3 } }, _instance: "one" },
      { type: "input", input: { a: "other" } },
    ]);
    assert.deepEqual(foldKind(messages, "state", undefined), {
      found: true,
      value: { a: { x: 1, y: 2 }, list: [3] },
    });
    assert.deepEqual(foldKind(messages, "state", "one"), {
      found: true,
      value: { a: { x: 1, y: 2, z: 3 }, list: [3] },
    });
  });

  it("LOOP-OUT-1: a result is a message of its own, with its value at its place; nothing that was there is changed", () => {
    const before = holding({ a: 1 });
    const place: Reference = { kind: "state", path: ["b", "c"] };
    const message = writing(place, [1], { method: "push", instance: "two" });
    assert.deepEqual(message, {
      kind: "state",
      data: { b: { c: [1] } },
      instance: "two",
      written: { path: ["b", "c"], method: "push" },
    });
    assert.deepEqual(before, holding({ a: 1 }));
  });

  it("an agent's data and a request's reach the model as blocks, and calls can refer to them", async () => {
    const model = scriptedModel(calls(["a", "use", { text: "†input.name" }]), says("ok"));
    const seen: unknown[] = [];
    const made = kit({
      model,
      agent: { context: [{ type: "state", state: { mode: "strict" } }] },
      tools: [tool("use", { run: (_, { text }) => (seen.push(text), { status: "succeeded", content: "" }) })],
    });
    await made.run({ context: [{ type: "input", input: { name: "Ada" }, description: "Who asks." }] });
    assert.deepEqual(seen, ["Ada"]);
    const system = model.requests[0]?.system ?? "";
    assert.match(system, /## Data: ¶state\n\{"mode":"strict"\}/);
    assert.match(system, /## Data: ¶input\n\{"name":"Ada"\}[\s\S]*Who asks\./);
  });
});

describe("who waits for whom", () => {
  const reader = (text: string): ReturnType<typeof readiness> => {
    const flow = flowOf({ text }, {});
    assert.ok(typeof flow === "object");
    const producer = (id: string, path: string, more: Params = {}): Producer => {
      const own = flowOf({}, { _outputPath: path, ...more });
      assert.ok(typeof own === "object");
      return { id, flow: own, wrote: null };
    };
    const earlier = [producer("whole", "†state.u"), producer("part", "†state.v.name"), producer("far", "†state.vw")];
    return readiness(flow, { earlier, later: [], lookup: look({}), open: false });
  };

  it("LOOP-DEP-4: a place above or below the one that is read counts, one beside it does not", () => {
    assert.deepEqual(reader("†state.u.name"), { kind: "waits", for: ["whole"] });
    assert.deepEqual(reader("†state.v"), { kind: "waits", for: ["part"] });
    assert.deepEqual(reader("†state"), { kind: "waits", for: ["whole", "part", "far"] });
    assert.deepEqual(reader("†state.v.age"), { kind: "never", why: "missing" });
  });

  it("LOOP-INST-2, LOOP-DEP-9: the same steps for several instances run side by side", async () => {
    const made = kit({
      model: scriptedModel(
        calls(
          ...["①", "②", "③"].flatMap((instance) => [
            [`get${instance}`, "slow", { text: instance, _instance: instance, _outputPath: "†state.v" }] as const,
            [`use${instance}`, "slow", { text: "†state.v", _instance: instance }] as const,
          ]),
        ),
        says("ok"),
      ),
      tools: [
        tool("slow", {
          run: (_, { text }) =>
            new Promise(
              (resolve) =>
                void made.clock.after(100, () => resolve({ status: "succeeded", content: String(text), value: text })),
            ),
        }),
      ],
    });
    const start = made.clock.now();
    let took = 0;
    const result = made.run().then((outcome) => ((took = made.clock.now() - start), outcome));
    await made.clock.advance(1_000);
    const outcome = await result;
    assert.equal(took, 200);
    assert.deepEqual(
      outcome.toolResults.filter(({ tool_call_id: id }) => id.startsWith("use")).map(({ content }) => content),
      ["①", "②", "③"],
    );
  });
});
