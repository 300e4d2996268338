// A dozen recorded runs, done again from nothing but their transcripts: what the loop writes must not differ, and not vary (C-09).
// `UPDATE=1 npx mocha` records them anew; the diff is then reviewed like code.
import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Approve, ModelEvent, Tool } from "../../src/engine/ports.ts";
import type { Kit, Script } from "../support/kit.ts";
import { LoopError } from "../../src/protocol/errors.ts";
import { calls, coder, kit, says, scriptedModel, tool } from "../support/kit.ts";
import { jsonLines, rerunText, sentencesOf, slowly, timedTool } from "../support/recording.ts";

const person = "person" as const;
const approve = { decision: { kind: "approve" }, by: person } as const;

/** Decides by the id of the call. */
const decide: Approve = ({ toolCallId }) => {
  if (toolCallId.startsWith("refused"))
    return Promise.resolve({ decision: { kind: "reject", reason: "not that one" }, by: person });
  if (toolCallId.startsWith("changed"))
    return Promise.resolve({ decision: { kind: "modify", params: { path: "other.js" } }, by: person });
  if (toolCallId.startsWith("replaced"))
    return Promise.resolve({
      decision: { kind: "replace", call: { name: "read_file", params: { path: "b.js" } } },
      by: person,
    });
  return Promise.resolve(approve);
};

/** Makes a kit whose tools and model share its clock. */
function make(
  scripts: (clock: () => Kit["clock"]) => readonly Script[],
  options: Partial<Parameters<typeof kit>[0]> = {},
): Kit {
  const clock = (): Kit["clock"] => made.clock;
  const tools: readonly Tool[] = [
    timedTool(clock, "read_file"),
    timedTool(clock, "write_file", "write"),
    timedTool(clock, "run_command", "run"),
  ];
  const made = kit({ model: scriptedModel(...scripts(clock)), tools, approve: decide, ...options });
  return made;
}

async function finish(made: Kit, message = "Do it."): Promise<Kit> {
  const started = made.start({ message });
  await made.clock.advance(3_600_000);
  await started.result;
  return made;
}

const broken: ModelEvent = {
  type: "error",
  failure: { code: "provider_failed", status: 502, message: "The stream broke.", next: "Try again." },
  retryable: true,
};

const cases: Readonly<Record<string, () => Promise<Kit>>> = {
  "parallel-reads": () =>
    finish(
      make(() => [
        calls(...[5, 4, 3, 2, 1].map((n) => [`r${n}`, "read_file", { path: `${n}.js`, ms: n * 10 }] as const)),
        says("Read."),
      ]),
    ),
  "edit-then-command": () =>
    finish(
      make(() => [
        calls(
          ["w", "write_file", { path: "a.js", ms: 30, _reasoningForCall: "a fix" }],
          ["again", "write_file", { path: "./a.js", ms: 1 }],
          ["r", "read_file", { path: "b.js", ms: 5 }],
          ["c", "run_command", { ms: 2 }],
        ),
        says("Fixed and tested."),
      ]),
    ),
  references: () =>
    finish(
      make((clock) => [
        slowly(
          clock,
          calls(
            [
              "a",
              "read_file",
              { path: "a.js", ms: 20, value: { name: "Ada", all: [1, 2] }, _outputPath: "†state.user" },
            ],
            ["b", "read_file", { path: "b.js", ms: 5, _outputPath: "†state.b" }],
            ["one", "write_file", { path: "†state.user.name", ms: 3 }],
            ["two", "write_file", { path: "†state.b", ms: 1 }],
            ["three", "read_file", { path: "†state.none || †state.user.name" }],
            ["never", "read_file", { path: "†state.none" }],
            ["wrong", "read_file", { path: "†" }],
          ),
          [0, 5, 0, 5, 0, 5, 0, 5],
        ),
        says("Combined."),
      ]),
    ),
  "failing-branch": () =>
    finish(
      make(() => [
        calls(
          ["p", "read_file", { fail: true, ms: 4, _outputPath: "†state.good || †state.bad" }],
          ["good", "read_file", { path: "†state.good" }],
          ["bad", "write_file", { path: "†state.bad.message" }],
          ["gone", "read_file", { refuse: "denied", _outputPath: "†state.gone" }],
          ["after", "read_file", { path: "†state.gone" }],
          ["off", "read_file", { refuse: "failed" }],
        ),
        says("Some of it."),
      ]),
    ),
  decided: () =>
    finish(
      make(() => [
        calls(
          ["changed", "write_file", { path: "a.js", _outputPath: "†state.changed" }],
          ["replaced", "run_command", { ms: 3 }],
          ["refused", "run_command", {}],
          ["unknown", "fly", { high: true }],
        ),
        says("As you decided."),
      ]),
    ),
  "plan-approved": () =>
    finish(
      make(
        () => [
          calls(["look", "read_file", { path: "a.js" }]),
          calls(
            ["a", "read_file", { path: "a.js", ms: 3, _outputPath: "†state.a" }],
            ["w", "write_file", { path: "b.js", ms: 5 }],
            ["x", "write_file", { path: "†state.a" }],
            ["c", "run_command", {}],
          ),
          calls(["loop", "read_file", { path: "†state.z", _outputPath: "†state.z" }]),
          says("Done as planned."),
        ],
        {
          config: { plan: "lazy" },
          ports: { approvePlan: () => Promise.resolve({ decision: { kind: "approveAll" }, by: person }) },
        },
      ),
    ),
  "plan-changed": () =>
    finish(
      make(
        () => [
          calls(
            ["a", "read_file", { path: "a.js", ms: 3, _outputPath: "†state.a" }],
            ["w", "write_file", { path: "b.js", ms: 5 }],
            ["x", "write_file", { path: "†state.a" }],
            ["c", "run_command", {}],
          ),
          says("Done as it was left."),
        ],
        {
          config: { plan: "lazy" },
          ports: {
            approvePlan: () => {
              const changed = [
                { toolCallId: "a", params: { path: "c.js" } },
                { toolCallId: "x", params: { path: "†state.a", ms: 2 } },
                { toolCallId: "c", params: { command: "test" } },
              ];
              const changes = { removed: ["w"], changed };
              return Promise.resolve({ decision: { kind: "approve", changes }, by: person });
            },
          },
        },
      ),
    ),
  "plan-rejected": () =>
    finish(
      make(
        () => [
          calls(["w", "write_file", { path: "b.js" }], ["bad", "read_file", "{"], ["r", "read_file", {}]),
          says("Then not."),
        ],
        {
          config: { plan: "lazy" },
          ports: {
            approvePlan: () => Promise.resolve({ decision: { kind: "reject", reason: "Too much." }, by: person }),
          },
        },
      ),
    ),
  paused: () =>
    finish(
      make(
        () => [
          ...[1, 2, 3, 4, 5].map((n) => calls([`r${n}`, "read_file", { path: `${n}.js` }])),
          says("What is left: everything."),
        ],
        {
          config: { maxToolIterations: 2 },
          ports: { choose: ({ message }) => Promise.resolve(message.includes("4 rounds") ? "sumUp" : "continue") },
        },
      ),
    ),
  "rounds-used-up": () =>
    finish(
      make(() => [calls(["r", "read_file", {}]), calls(["s", "read_file", {}]), says("Not done.")], {
        config: { maxToolIterations: 2 },
      }),
    ),
  "tokens-used-up": () =>
    finish(
      make(() => [1, 2, 3, 4].map((n) => calls([`r${n}`, "read_file", { path: `${n}.js` }])), {
        config: { maxRunTokens: 20 },
        ports: { choose: ({ message }) => Promise.resolve(message.includes("60") ? "stop" : "continue") },
      }),
    ),
  "money-used-up": () => {
    const dear = scriptedModel(
      ...[1, 2, 3].map((n) => [
        ...calls([`r${n}`, "read_file", { path: `${n}.js` }]).filter(({ type }) => type !== "usage"),
        { type: "usage" as const, usage: { input: 1_000 * n + 10, output: 15, cached: 5 } },
      ]),
    );
    const model = { ...dear, price: { input: 300, output: 1_500 } };
    const choose = () => Promise.resolve("continue" as const);
    return finish(make(() => [], { model, config: { maxRunCost: 0.25 }, ports: { choose } }));
  },
  "budget-spent": () =>
    finish(
      make(() => [calls(["r", "read_file", {}]), calls(["s", "read_file", {}])], { config: { maxRunTokens: 20 } }),
    ),
  "time-used-up": () =>
    finish(
      make(
        () => [
          calls(["r", "read_file", { ms: 700_000 }]),
          calls(["s", "read_file", { ms: 5 }], ["w", "write_file", { path: "a.js" }]),
          says("Late."),
        ],
        { config: { toolTimeout: 1e9 }, ports: { choose: () => Promise.resolve("continue") } },
      ),
    ),
  "timed-out": () => finish(make(() => [calls(["r", "read_file", { ms: 700_000 }])], { config: { toolTimeout: 1e9 } })),
  "a-call-times-out": () =>
    finish(make(() => [calls(["r", "read_file", { ms: 60_000 }], ["s", "read_file", { ms: 20 }]), says("Slow.")])),
  "before-the-first-request": () => {
    const failure = new LoopError("key_missing", "There is no key.");
    return finish(make(() => [], { ports: { model: () => Promise.reject(failure) } }));
  },
  "latent-and-fixed": () => {
    const output = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    const note = { ...tool("note"), fields: { latent: { output }, outputPath: "†state.note || †state.wrong" } };
    const use = tool("use", { run: (_context, params) => ({ status: "succeeded", content: JSON.stringify(params) }) });
    const model = scriptedModel(
      calls(["good", "note", { _output: { n: 1 } }], ["use", "use", { path: "†state.note.n" }]),
      calls(["bad", "note", { _output: { n: "one" } }], ["none", "note", {}], ["why", "use", { path: "†state.wrong" }]),
      says("Noted."),
    );
    return finish(make(() => [], { model, tools: [note, use] }));
  },
  steered: async () => {
    const made = make((clock) => [
      slowly(clock, calls(["r", "read_file", { ms: 10 }]), [0, 5]),
      slowly(clock, says("All of it."), [5]),
      says("In French."),
    ]);
    const started = made.start({ message: "Read it." });
    started.steer("Now, please.");
    await made.clock.advance(8);
    started.steer("Only the first part.");
    await made.clock.advance(10);
    started.steer("Answer in French.");
    started.steer("Briefly.");
    await made.clock.advance(1_000);
    await started.result;
    return made;
  },
  stopped: async () => {
    const model = calls(
      ["done", "read_file", { ms: 1 }],
      ["busy", "read_file", { ms: 900 }],
      ["asked", "write_file", { path: "a.js" }],
      ["later", "run_command", {}],
      ["early", "read_file", { refuse: "denied" }],
    );
    const made = make(() => [model], { approve: () => new Promise(() => undefined) });
    const started = made.start({ message: "Do it." });
    await made.clock.advance(100);
    started.stop();
    await made.clock.advance(5_000);
    await started.result;
    return made;
  },
  "stopped-in-a-reply": async () => {
    const events: ModelEvent[] = [
      { type: "text", text: "I begin" },
      ...calls(["r", "read_file", { ms: 50 }], ["s", "read_file", { ms: 1 }]),
    ];
    const made = make((clock) => [slowly(clock, events, [0, 1, 1, 1, 1, 1_000])]);
    const started = made.start({ message: "Do it." });
    await made.clock.advance(30);
    started.stop();
    await made.clock.advance(5_000);
    await started.result;
    return made;
  },
  "stream-breaks": () =>
    finish(
      make(() => [
        [{ type: "text", text: "First " }, ...calls(["r", "read_file", { ms: 5 }]).slice(0, 2), broken],
        says("The rest."),
      ]),
    ),
  "endpoint-fails": () => finish(make(() => [calls(["r", "read_file", {}]), [{ ...broken, retryable: false }]])),
  "mended-arguments": () =>
    finish(
      make(() => [
        calls(
          ["m", "write_file", '{"path": "a.js",}'],
          ["fenced", "read_file", '```json\n{"path": "b.js", "ms": 3}\n```'],
          ["half", "write_file", '{"path": "a.'],
          ["list", "read_file", "[]"],
        ),
        says("Mended."),
      ]),
    ),
  "final-output": () => {
    const agent = {
      ...coder,
      output: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
    };
    return finish(
      make(
        () => [
          says("Forty-two."),
          calls(["f1", "final_output", { sum: "42" }]),
          calls(["f2", "final_output", { sum: 42 }], ["w", "write_file", { path: "a.js", fail: true, ms: 4 }]),
          calls(["r", "read_file", { fail: true, ms: 2 }], ["f3", "final_output", { sum: 43 }]),
        ],
        { config: { reconsiderOnError: true }, ports: { agents: { resolve: () => Promise.resolve(agent) } } },
      ),
    );
  },
  delegated: () => {
    const ask = tool("delegate", {
      run: ({ delegate }) => delegate({ agent: null, task: "Look around.", data: [] }),
    });
    const clock = (): Kit["clock"] => made.clock;
    const made: Kit = kit({
      model: scriptedModel(
        calls(["d", "delegate", { _outputPath: "†state.found" }], ["r", "read_file", { ms: 50 }]),
        calls(["inner", "read_file", { ms: 5 }]),
        says("There is a file."),
        says("It has found a file."),
      ),
      tools: [ask, timedTool(clock, "read_file")],
    });
    return finish(made);
  },
};

describe("recorded runs, done again", () => {
  const folder = path.join(import.meta.dirname, "recorded");
  for (const [name, play] of Object.entries(cases)) {
    it(`C-09 ${name}: no difference, and twice the same bytes`, async () => {
      const file = path.join(folder, `${name}.jsonl`);
      const recorded = jsonLines((await play()).lines);
      if (process.env["UPDATE"] === "1") writeFileSync(file, recorded);
      const text = readFileSync(file, "utf8");
      assert.equal(recorded, text);
      const [first, second] = [await rerunText(text), await rerunText(text)];
      assert.deepEqual(sentencesOf(first), []);
      assert.ok(first.length > 0 && first.every(({ entries }) => entries.length > 1));
      assert.equal(
        jsonLines(first.flatMap(({ entries }) => entries)),
        jsonLines(second.flatMap(({ entries }) => entries)),
      );
    });
  }

  it("leave no recording behind that nobody plays", () => {
    const files = readdirSync(folder).map((file) => path.basename(file, ".jsonl"));
    assert.ok(isDeepStrictEqual(files.toSorted(), Object.keys(cases).toSorted()), files.join());
  });
});
