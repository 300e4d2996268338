// Undo through a whole run: a scripted model, the real tools in a folder without git, and what the model is told afterwards.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compose, type Composition } from "../../src/compose.ts";
import { startRun, type Outcome } from "../../src/engine/run.ts";
import type { LoopEvent } from "../../src/protocol/events.ts";
import { loopDefaults } from "../../src/protocol/config.ts";
import { replay } from "../../src/protocol/replay.ts";
import { emptyView, reduce } from "../../src/protocol/view.ts";
import { approveAll, calls, ofType, says, scriptedModel, type Script, type ScriptedModel } from "../support/kit.ts";

interface Place {
  readonly root: string;
  readonly composition: Composition;
  readonly model: ScriptedModel;
  readonly events: LoopEvent[];
  readonly run: (sessionId?: string) => Promise<Outcome>;
}

async function inPlace(scripts: readonly Script[], test: (place: Place) => Promise<void>): Promise<void> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "brain-undo-")));
  const model = scriptedModel(...scripts);
  const events: LoopEvent[] = [];
  const composition = compose({
    root,
    brainDir: join(root, ".brain"),
    trusted: true,
    choice: () => Promise.reject(new Error("the model is scripted")),
    approve: approveAll,
    commandTimeout: () => 30_000,
    undoMaxSize: () => 100,
    log: () => undefined,
  });
  const ports = { ...composition.ports, model: () => Promise.resolve(model) };
  const run: Place["run"] = (sessionId) =>
    startRun({ message: "Do it.", ...(sessionId && { sessionId }) }, ports, loopDefaults, (event) => events.push(event))
      .result;
  try {
    await mkdir(join(root, "src"));
    await writeFile(join(root, "src/a.txt"), "one two\n");
    await writeFile(join(root, "src/b.txt"), "b\r\n");
    await writeFile(join(root, "c.txt"), "c");
    await symlink("a.txt", join(root, "src/link"));
    await test({ root, composition, model, events, run });
  } finally {
    await composition.dispose();
    await rm(root, { recursive: true, force: true });
  }
}

const command = (id: string, line: string) => [id, "run_command", { command: line }] as const;

describe("a run is undone", function () {
  this.timeout(60_000);

  it("whatever its commands and edits did, in a folder without git, and the model is told with the next message", async () => {
    const scripts = [
      calls(command("c1", "sed -i s/one/1/ src/a.txt"), command("c2", "mv c.txt d.txt")),
      calls(["c3", "write_file", { path: "src/new/e.txt", content: "e\n" }], command("c4", "rm -r src")),
      says("Done."),
      says("I see."),
    ];
    await inPlace(scripts, async ({ composition, model, events, run }) => {
      const { sessionId, runId, toolResults, status } = await run();
      assert.equal(status, "completed", JSON.stringify(toolResults));
      assert.deepEqual(
        ofType(events, "call:changes").map(({ toolCallId, changes }) => [
          toolCallId,
          changes.files.map(({ path, kind }) => `${kind} ${path}`),
        ]),
        [
          ["c1", ["changed src/a.txt"]],
          ["c2", ["deleted c.txt", "added d.txt"]],
          ["c3", ["added src/new/e.txt"]],
          ["c4", ["deleted src/a.txt", "deleted src/b.txt", "deleted src/link", "deleted src/new/e.txt"]],
        ],
      );
      assert.deepEqual(
        toolResults.map(({ changes }) => changes?.files.length),
        [1, 2, 1, 4],
      );
      const plan = await composition.undo.plan(sessionId, { runId });
      assert.ok(plan.steps.every(({ conflict }) => conflict === null));
      const entry = await composition.undo.apply(sessionId, plan, { over: false });
      assert.deepEqual(entry.left, []);
      await run(sessionId);
      const said = model.requests.at(-1)?.messages.at(-1)?.content ?? "";
      assert.match(said, /^\[The person undid what was changed in answer to “Do it\.”\. These files/);
      assert.match(said, /- c\.txt \(there again\)[^]*- d\.txt \(gone again\)[^]*\]\n\nDo it\.$/);
      assert.equal(model.requests.at(-1)?.messages.filter(({ content }) => content.includes("undid")).length, 1);
    });
  });

  it("by places in an editor too: the model is told which file is different now", async () => {
    const scripts = [calls(["c1", "write_file", { path: "c.txt", content: "e\n" }]), says("Done."), says("I see.")];
    await inPlace(scripts, async ({ composition, model, run }) => {
      const { sessionId, runId } = await run();
      const entry = await composition.undo.note(sessionId, { runId, path: "c.txt", count: 2 });
      assert.deepEqual([entry.calls, entry.left, entry.places], [[], [], 2]);
      await run(sessionId);
      const said = model.requests.at(-1)?.messages.at(-1)?.content ?? "";
      assert.match(
        said,
        /^\[The person undid what was changed in 2 places of c\.txt\. [^]*- c\.txt \(put back\)\]\n\nDo it\.$/,
      );
    });
  });

  it("to the bytes, and the panel shows the same after a reload", async () => {
    const scripts = [calls(command("c1", "rm -r src && echo x > c.txt")), says("Done.")];
    await inPlace(scripts, async ({ root, composition, events, run }) => {
      const { sessionId, runId } = await run();
      const plan = await composition.undo.plan(sessionId, { runId, toolCallId: "c1" });
      const entry = await composition.undo.apply(sessionId, plan, { over: false });
      assert.equal(entry.what, "what “Run rm -r src && echo x > c.txt” changed");
      assert.equal(await readFile(join(root, "src/b.txt"), "utf8"), "b\r\n");
      assert.equal(await readFile(join(root, "src/link"), "utf8"), "one two\n");
      assert.equal(await readFile(join(root, "c.txt"), "utf8"), "c");
      const stored = replay(await composition.sessions.read(sessionId), { id: sessionId, title: "" });
      const view = stored.reduce(reduce, emptyView);
      assert.equal(view.turns.length, 1);
      const [call] = view.turns[0]?.items.filter((item) => item.kind === "call") ?? [];
      assert.deepEqual(call?.changes, ofType(events, "call:changes")[0]?.changes);
      assert.equal(call?.undone, true);
      assert.equal(view.turns[0]?.items.at(-1)?.kind, "undo");
    });
  });

  it("but not while it is going on", async () => {
    const scripts = [calls(command("c1", "echo x > c.txt")), says("Done."), says("Unheard.")];
    await inPlace(scripts, async ({ composition, run }) => {
      const { sessionId, runId } = await run();
      const plan = await composition.undo.plan(sessionId, { runId });
      const other = await composition.ports.sessions.open(sessionId, { create: false, runId: "other" });
      await assert.rejects(composition.undo.apply(sessionId, plan, { over: false }), { code: "session_busy" });
      await other.release();
    });
  });

  it("also where the command failed, or was stopped in its middle", async () => {
    const scripts = [
      calls(["c1", "run_command", { command: "echo x > c.txt; sleep 100", timeout_ms: 3_000 }]),
      calls(command("c2", "rm src/b.txt; exit 3")),
      says("Done."),
    ];
    await inPlace(scripts, async ({ root, composition, run }) => {
      const { sessionId, runId, toolResults } = await run();
      assert.deepEqual(
        toolResults.map(({ status, changes }) => [status, changes?.files.map(({ path }) => path)]),
        [
          ["failed", ["c.txt"]],
          ["failed", ["src/b.txt"]],
        ],
      );
      await composition.undo.apply(sessionId, await composition.undo.plan(sessionId, { runId }), { over: false });
      assert.equal(await readFile(join(root, "c.txt"), "utf8"), "c");
      assert.equal(await readFile(join(root, "src/b.txt"), "utf8"), "b\r\n");
    });
  });
});
