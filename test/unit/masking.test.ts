// Secrets in what tools read and print, through a whole run: none of them is seen by the model, told, or written down.
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { createBrain } from "../../src/headless.ts";
import type { Params } from "../../src/protocol/messages.ts";
import { maskSecrets } from "../../src/scope/secrets.ts";
import { secretShapes } from "../../src/scope/secretShapes.ts";
import { chatReply } from "../support/chatWire.ts";
import { secretSamples, type SecretSample } from "../support/secretSamples.ts";
import { startSse } from "../support/sse.ts";

/** What a run leaves behind and what it has told, by where that is. */
type Traces = ReadonlyMap<string, string>;

/** All files below a folder but the copies for undo, which must be true. */
async function filesIn(dir: string): Promise<readonly (readonly [string, string])[]> {
  const names = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = names
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !file.includes(`${path.sep}snapshots${path.sep}`));
  return Promise.all(files.map(async (file) => [path.relative(dir, file), await readFile(file, "latin1")] as const));
}

/** A tool, its parameters, and how the call must end if not well. */
type Planned = readonly [name: string, params: Params, status?: "failed"];

async function tracesOf(dir: string, calls: readonly Planned[]): Promise<Traces> {
  const rounds = calls.map((call, index) => chatReply(index + 1, { calls: [[call[0], call[1]]] }));
  const server = await startSse(...rounds, chatReply(99, { text: "Done." }));
  const logged: string[] = [];
  const brain = createBrain({
    workspace: dir,
    provider: "openai-chat",
    baseUrl: server.baseUrl,
    model: "test",
    approve: "all",
    sandbox: "off",
    config: { maxToolIterations: 50 },
    log: (line) => void logged.push(line),
  });
  const events: string[] = [];
  const endings: string[] = [];
  try {
    const run = brain.run({ message: "Look around." });
    for await (const event of run) {
      events.push(JSON.stringify(event));
      if (event.type === "tool:end") endings.push(`${event.toolName} ${event.status}`);
    }
    const { status, toolCalls } = await run.result;
    assert.deepEqual([status, toolCalls.length], ["completed", calls.length]);
    assert.deepEqual(
      endings,
      calls.map(([name, , status = "succeeded"]) => `${name} ${status}`),
    );
  } finally {
    await brain.dispose();
    await server.close();
  }
  const asked = server.asked.map(({ body }) => body).join("\n");
  const told = events.join("\n");
  return new Map([
    ["model", asked],
    ["events", told],
    ["log", logged.join("\n")],
    ...(await filesIn(path.join(dir, ".brain"))),
  ]);
}

/** Half of a secret is too much. */
function shows(text: string, secret: string): boolean {
  const middle = secret.length / 2;
  return text.includes(secret.slice(0, middle)) || text.includes(secret.slice(middle));
}

/** Wherever a result is cut, it is cut in the middle of this. */
function longText(samples: readonly SecretSample[]): string {
  const block = samples.map(({ text }) => `${text}\n`).join("");
  return block.repeat(Math.ceil(260_000 / block.length));
}

describe("Secrets in results", function () {
  this.timeout(120_000);

  it("have a sample of every shape", () => {
    for (const { name, found } of secretShapes) {
      const fits = secretSamples(1).filter(({ kind, text }) => kind === name && text.search(found) !== -1);
      assert.notEqual(fits.length, 0, `${name} ${found.source}`);
    }
    for (const { kind, text, hidden } of secretSamples(1)) {
      const masked = maskSecrets(text);
      assert.ok(masked.includes(`[masked: ${kind}]`), `${kind}: ${masked}`);
      assert.ok(
        hidden.every((secret) => !masked.includes(secret)),
        kind,
      );
    }
  });

  it("are nowhere but in the files, whichever they are", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1 }), async (seed) => {
        const samples = secretSamples(seed);
        const dir = await realpath(await mkdtemp(path.join(tmpdir(), "brain-masking-")));
        const marked = samples
          .map(({ text }) =>
            text
              .split("\n")
              .map((line) => `${line}\n`)
              .join(""),
          )
          .join("");
        await writeFile(path.join(dir, "notes.txt"), `first\n${marked}last\n`);
        await writeFile(path.join(dir, "long.txt"), longText(samples));
        await writeFile(
          path.join(dir, "keys.txt"),
          samples.map(({ text }, index) => `before ${index}.\n${text}\n`).join(""),
        );
        const edits = samples.map((_, index) => ({ old_text: `before ${index}.`, new_text: `still ${index}.` }));
        const printed = "tail -n +1 long.txt";
        try {
          const traces = await tracesOf(dir, [
            ["read_file", { path: "notes.txt" }],
            ["read_file", { path: "notes.txt", offset: 33, limit: 3 }],
            ["read_file", { path: "long.txt" }],
            ["search_text", { pattern: "[A-Za-z0-9]{12}", regex: true }],
            ["run_command", { command: "cat notes.txt" }],
            ["run_command", { command: "cat notes.txt >&2; exit 1" }, "failed"],
            ["run_command", { command: printed, _outputPath: "†state.printed" }],
            ["run_command", { command: `${printed}; sleep 0.5`, background: true, timeout_ms: 400 }],
            ["run_command", { command: "printf 'Say %s: ' \"$(sed -n 4p notes.txt)\"; read x", input: true }, "failed"],
            ["edit_file", { path: "keys.txt", edits }],
            [
              "edit_file",
              { path: "keys.txt", edits: [{ old_text: "still 1\nno such line", new_text: "x" }] },
              "failed",
            ],
            ["write_file", { path: "notes.txt", content: "nothing\n" }],
            ["move_file", { path: "keys.txt", to: "moved.txt" }],
            ["delete_file", { path: "moved.txt" }],
          ]);
          assert.ok([...traces.keys()].some((name) => name.endsWith("transcript.jsonl")));
          assert.ok([...traces.keys()].some((name) => name.endsWith(".log")));
          const seen = [...traces].flatMap(([where, text]) =>
            samples.flatMap(({ kind, hidden }) =>
              hidden.some((secret) => shows(text, secret)) ? [`${kind} in ${where}`] : [],
            ),
          );
          assert.deepEqual(seen, []);
          assert.match(traces.get("model") ?? "", /masked: private key/);
        } finally {
          await rm(dir, { recursive: true, force: true });
        }
      }),
      { numRuns: 3 },
    );
  });
});
