// Whole runs on a scripted model, a fake clock and counted ids: every event and every transcript line, as files to be read and diffed.
// `UPDATE=1 npx mocha` writes them anew; the diff is then reviewed like code.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Approve } from "../../src/engine/ports.ts";
import { calls, kit, pathOf, says, scriptedModel, tool, type Kit } from "../support/kit.ts";

const write = () => tool("write_file", { effect: "write", touches: (params) => ({ writes: [pathOf(params)] }) });
const run = () => tool("run_command", { effect: "run" });
const decide: Approve = ({ toolCallId }) => {
  if (toolCallId === "refused")
    return Promise.resolve({ decision: { kind: "reject", reason: "not that one" }, by: "person" });
  if (toolCallId === "changed")
    return Promise.resolve({ decision: { kind: "modify", params: { path: "other.js" } }, by: "person" });
  return Promise.resolve({ decision: { kind: "approve" }, by: "person" });
};

const cases: Readonly<Record<string, () => Promise<Kit>>> = {
  "read-edit-run": async () => {
    const model = scriptedModel(
      calls(["a", "read_file", { path: "a.js" }], ["b", "read_file", { path: "b.js" }]),
      calls(["c", "write_file", { path: "a.js" }], ["d", "run_command", { _reasoningForCall: "to see" }]),
      says("Done."),
    );
    const made = kit({ model, tools: [tool("read_file"), write(), run()], approve: decide });
    await made.run({ message: "Fix it." });
    return made;
  },
  "changed-and-refused": async () => {
    const model = scriptedModel(
      calls(["changed", "write_file", { path: "a.js" }], ["refused", "run_command", {}], ["unknown", "fly", {}]),
      says("As you decided."),
    );
    const made = kit({ model, tools: [write(), run()], approve: decide });
    await made.run({ message: "Do it." });
    return made;
  },
  stopped: async () => {
    const model = scriptedModel(calls(["a", "write_file", { path: "a.js" }], ["b", "run_command", {}]));
    const made = kit({ model, tools: [write(), run()], approve: () => new Promise(() => undefined) });
    const started = made.start({ message: "Do it." });
    await made.clock.advance(5_000);
    started.stop();
    await made.clock.advance(5_000);
    await started.result;
    return made;
  },
  "endpoint-fails": async () => {
    const failure = {
      code: "key_rejected",
      status: 401,
      message: "The key was refused.",
      next: "Set another.",
      action: "setKey",
    } as const;
    const made = kit({ model: scriptedModel([{ type: "error", failure, retryable: false }]) });
    await made.run({ message: "Hello" });
    return made;
  },
};

const jsonLines = (values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join("");

describe("golden runs", () => {
  for (const [name, play] of Object.entries(cases)) {
    it(name, async () => {
      const { events, lines } = await play();
      for (const [kind, values] of [
        ["events", events],
        ["transcript", lines],
      ] as const) {
        const file = path.join(import.meta.dirname, `${name}.${kind}.jsonl`);
        const text = jsonLines(values);
        if (process.env["UPDATE"] === "1") writeFileSync(file, text);
        assert.equal(text, readFileSync(file, "utf8"));
      }
    });
  }
});
