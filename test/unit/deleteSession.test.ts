// A session is deleted with what runs in its background; one that cannot be deleted keeps that.
import assert from "node:assert/strict";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compose } from "../../src/compose.ts";
import { startRun } from "../../src/engine/run.ts";
import { loopDefaults } from "../../src/protocol/config.ts";
import { approveAll, calls, says, scriptedModel } from "../support/kit.ts";

describe("deleting a session", function () {
  this.timeout(60_000);

  it("ends the commands in its background, but not while it runs: then it stays as it is", async () => {
    const root = await realpath(await mkdtemp(join(tmpdir(), "brain-delete-")));
    const composition = compose({
      root,
      brainDir: join(root, ".brain"),
      trusted: true,
      choice: () => Promise.reject(new Error("the model is scripted")),
      approve: approveAll,
      sandbox: () => "off",
      commandTimeout: () => 30_000,
      log: () => undefined,
    });
    try {
      const wait = { command: "sleep 600", background: true };
      const model = scriptedModel(calls(["c1", "run_command", wait]), says("Done."));
      const ports = { ...composition.ports, model: () => Promise.resolve(model) };
      const { sessionId } = await startRun({ message: "Do it." }, ports, loopDefaults, () => undefined).result;
      const left = (): number => composition.commands.list().length;
      assert.equal(left(), 1);
      const held = await composition.ports.sessions.open(sessionId, { create: false, runId: "another" });
      await assert.rejects(composition.sessions.delete(sessionId), /while it runs/);
      assert.equal(left(), 1);
      await held.release();
      await composition.sessions.delete(sessionId);
      assert.equal(left(), 0);
    } finally {
      await composition.dispose();
      await rm(root, { recursive: true, force: true });
    }
  });
});
