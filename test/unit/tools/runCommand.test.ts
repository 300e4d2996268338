// run_command and the processes under it: whatever a command does, the call comes back and leaves nothing behind.
import assert from "node:assert/strict";
import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { keptOutput } from "../../../src/tools/keptOutput.ts";
import { gone } from "../../support/alive.ts";
import { openPlace, ready, refusal } from "./place.ts";

const generous = 25_000;

describe("run_command", function () {
  this.timeout(60_000);

  it("says what it would do before it does it", async () => {
    await using place = await openPlace();
    await mkdir(join(place.root, "sub"));
    const prepared = ready(
      await place.prepare("run_command", { command: "echo a\necho b", cwd: "sub", timeout_ms: 500 }),
    );
    assert.deepEqual(prepared.label, { verb: "Run", subject: "echo a" });
    assert.deepEqual(prepared.preview, {
      kind: "command",
      command: "echo a\necho b",
      cwd: "sub",
      confined: false,
      unconfined: {
        by: "system",
        why: "The sandbox for commands is switched off. The setting brain.sandbox turns it on.",
      },
    });
    assert.ok((prepared.timeout ?? 0) > 500);
    assert.ok((ready(await place.prepare("run_command", { command: "x" })).timeout ?? 0) > 30_000);
  });

  it("finds the programs of the folder's virtual environment, but not outside of the sandbox", async () => {
    await using place = await openPlace();
    await place.put(".venv/pyvenv.cfg", "");
    await place.put(".venv/bin/python", "#!/bin/sh\necho own of $VIRTUAL_ENV\n");
    await chmod(join(place.root, ".venv/bin/python"), 0o755);
    const command = "python; true";
    assert.match((await place.call("run_command", { command })).content, new RegExp(`own of ${place.root}/.venv`));
    const outside = await place.call("run_command", { command, outside_sandbox: "it needs more" });
    assert.doesNotMatch(outside.content, /own of/);
  });

  it("gives output and exit code, in the folder asked for", async () => {
    await using place = await openPlace();
    await mkdir(join(place.root, "sub"));
    const good = await place.call("run_command", { command: "pwd -P; echo err >&2", cwd: "sub" });
    assert.equal(good.status, "succeeded");
    assert.deepEqual(
      good.content.split("\n").toSorted(),
      ["", join(place.root, "sub"), "err", "exit code 0"].toSorted(),
    );
    const bad = await place.call("run_command", { command: "exit 3" });
    assert.deepEqual([bad.status, bad.content], ["failed", "(no output)\n\nexit code 3"]);
    const dash = await place.call("run_command", { command: "-l" });
    assert.match(dash.content, /exit code 127/);
    const killed = await place.call("run_command", { command: "kill -9 $$" });
    assert.deepEqual([killed.status, killed.content], ["failed", "(no output)\n\nended by SIGKILL"]);
  });

  it("refuses a folder that is none, and says when it cannot start", async () => {
    await using place = await openPlace();
    await place.put("file", "");
    assert.match(refusal(await place.prepare("run_command", { command: "x", cwd: "file" })), /not a folder/);
    assert.match((await place.call("run_command", { command: "echo \0" })).content, /^The command was not started/);
  });

  it("shows output as it comes, whole characters across chunks, and gives the model plain text", async () => {
    await using place = await openPlace();
    const command = String.raw`printf '\033[31mred\033[0m \342'; sleep 0.3; printf '\202\254\n10%%\r100%%\n'`;
    const result = await place.call("run_command", { command });
    assert.equal(result.content, "red €\n100%\n\nexit code 0");
    assert.ok(result.shown.includes("\u001B[31m") && result.shown.includes("€"));
  });

  it("has no secrets in its environment and nothing on its input", async () => {
    await using place = await openPlace();
    const result = await place.call("run_command", { command: "cat; read x; echo $PAGER $TERM ${CI-none}" });
    assert.equal(result.content, "cat dumb none\n\nexit code 0");
  });

  it("BRAIN-EXEC-5 ends a command at its limit with everything it started, and says so", async () => {
    await using place = await openPlace();
    const result = await place.call("run_command", { command: "sleep 100 & echo $!; wait", timeout_ms: 2_000 });
    assert.equal(result.status, "failed");
    assert.match(result.content, /ended by SIGTERM after 2 s: that was the limit/);
    await gone(Number.parseInt(result.content, 10));
  });

  it("BRAIN-EXEC-5 ends by force what does not want to end, grandchildren too", async () => {
    await using place = await openPlace();
    const stubborn = `trap "" TERM; bash -c 'trap "" TERM; echo $$; while :; do sleep 0.1; done' & echo $$; while :; do sleep 0.1; done`;
    const result = await place.call("run_command", { command: stubborn, timeout_ms: 2_000 });
    assert.match(result.content, /that was the limit/);
    const pids = result.content.split("\n").slice(0, 2).map(Number);
    assert.equal(pids.length, 2);
    for (const pid of pids) await gone(pid);
  });

  it("BRAIN-EXEC-5 ends a grandchild that ignores the signal its parent died of", async () => {
    await using place = await openPlace();
    const command = `bash -c 'trap "" TERM; echo $$; while :; do sleep 0.1; done' & wait`;
    const result = await place.call("run_command", { command, timeout_ms: 2_000 });
    await gone(Number.parseInt(result.content, 10));
  });

  it("comes back when a process left behind holds the pipe", async () => {
    await using place = await openPlace();
    const started = Date.now();
    const result = await place.call("run_command", { command: "sleep 30 & echo $!" });
    assert.ok(Date.now() - started < generous);
    assert.match(result.content, /exit code 0/);
    process.kill(Number.parseInt(result.content, 10));
  });

  it("bounds endless output and stays responsive", async () => {
    await using place = await openPlace();
    let ticks = 0;
    const timer = setInterval(() => ticks++, 20);
    const result = await place.call("run_command", { command: "yes", timeout_ms: 2_000 });
    clearInterval(timer);
    assert.match(result.content, /that was the limit/);
    assert.match(result.content, /characters left out/);
    assert.ok(result.content.length < 61_000);
    assert.ok(result.shown.length < 64 * 1024 * 100, `${result.shown.length}`);
    assert.ok(ticks > 3, `${ticks}`);
  });

  it("BRAIN-EXEC-9 stops at once when the run is stopped", async () => {
    await using place = await openPlace();
    const started = Date.now();
    const result = await place.call("run_command", { command: "echo $$; sleep 100" }, AbortSignal.timeout(2_000));
    assert.ok(Date.now() - started < generous);
    assert.match(result.content, /ended by SIGTERM: the call was stopped/);
    await gone(Number.parseInt(result.content, 10));
  });

  it("does not start when it is already stopped", async () => {
    await using place = await openPlace();
    await place.call("run_command", { command: "touch started" }, AbortSignal.abort());
    await assert.rejects(place.get("started"));
  });

  it("leaves no listener on the run's signal", async () => {
    await using place = await openPlace();
    const controller = new AbortController();
    const warnings: string[] = [];
    const onWarning = (warning: Error) => warnings.push(warning.name);
    process.on("warning", onWarning);
    for (let count = 0; count < 15; count++) await place.call("run_command", { command: "true" }, controller.signal);
    await sleep(10);
    process.off("warning", onWarning);
    assert.deepEqual(warnings, []);
  });
});

describe("Kept output", () => {
  it("is whole when it is short, else its beginning and end", () => {
    const short = keptOutput(10);
    for (const chunk of ["01234", "56789", "abcde", "fghij"]) short.add(chunk);
    assert.equal(short.text(), "0123456789abcdefghij");
    const long = keptOutput(10);
    for (let count = 0; count < 1_000; count++) long.add("0123456");
    assert.equal(long.text(), "0123456012\n[… 6980 characters left out …]\n4560123456");
  });

  it("is plain text", () => {
    const kept = keptOutput(1_000);
    kept.add("\u001B]0;title\u0007a\u001B[1mb\u001B[0m\u0000\b\r\nold\rnew\r\nlast\r");
    assert.equal(kept.text(), "ab\nnew\nlast");
  });
});
