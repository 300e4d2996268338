// Commands that hang, flood, fork and hide, on real processes: each call comes back with the truth, and nothing is left.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { commandRecords } from "../../../src/tools/commandRecords.ts";
import { gone } from "../../support/alive.ts";
import { noneLeft } from "./marks.ts";
import { openPlace, type Place } from "./place.ts";

const crashing = fileURLToPath(new URL("crashing.ts", import.meta.url));
const node = JSON.stringify(process.execPath);

/** Runs a command that must end, one way or another, with nothing of it left. */
async function ends(place: Place, command: string, params: { timeout_ms?: number; input?: boolean } = {}) {
  const result = await place.call("run_command", { command, timeout_ms: 20_000, ...params });
  assert.deepEqual(place.workspace.commands.list(), []);
  await noneLeft(place.root);
  return result;
}

function idIn(content: string): string {
  const id = /cmd-[0-9a-f]{8}/.exec(content)?.[0];
  assert.ok(id, content);
  return id;
}

describe("BRAIN-EXEC-5 commands that would hang", function () {
  this.timeout(60_000);

  it("have nothing to wait for: their input is empty, and the model is told what to do about a question", async () => {
    await using place = await openPlace();
    assert.equal((await ends(place, "cat; wc -c; exit 4")).content, "0\n\nexit code 4");
    const asked = await ends(place, "printf 'Continue? [y/N] '; read answer || exit 1");
    assert.match(asked.content, /^Continue\? \[y\/N\]\n\nexit code 1\nIt seems to have asked something.+set input/);
    const fine = await ends(place, "printf 'done:'");
    assert.equal(fine.content, "done:\n\nexit code 0");
  });

  for (const [what, command] of Object.entries({
    "print for ever": "yes",
    "ignore the signal": `trap "" TERM; while :; do sleep 0.1; done`,
    "ignore every signal they can": `trap "" TERM INT HUP QUIT; (trap "" TERM INT HUP QUIT; while :; do sleep 0.1; done)`,
    "are behind a double fork": `( ( trap "" TERM; sleep 100; sleep 100 ) & ) ; sleep 100`,
    "have a session of their own": `setsid bash -c 'trap "" TERM; while :; do sleep 0.1; done' & wait`,
    "have a session and no parent": `(setsid setsid sleep 100 &) ; sleep 100`,
    "have no environment": `env -i sleep 100`,
    "have no environment and no group": `env -i setsid sleep 100 & env -i sleep 100`,
    "are a server": `exec ${node} -e 'require("http").createServer().listen(0, "127.0.0.1", () => console.log("up"))'`,
    "fork again and again": "while :; do sleep 5 & sleep 0.01; done",
    "wait for nothing at all": "sleep 100",
    "stand still": "kill -STOP $$",
  }))
    it(`end at their limit: those that ${what}`, async () => {
      await using place = await openPlace();
      const result = await ends(place, command, { timeout_ms: 700 });
      assert.equal(result.status, "failed");
      assert.match(result.content, /ended by SIGTERM after 0\.7 s: that was the limit/);
    });

  it("end when the call is stopped, wherever their processes have gone", async () => {
    await using place = await openPlace();
    const command = `setsid sleep 100 & (sleep 100 &) ; trap "" TERM; while :; do sleep 0.1; done`;
    const result = await place.call("run_command", { command, timeout_ms: 20_000 }, AbortSignal.timeout(1_500));
    assert.match(result.content, /ended by SIGTERM: the call was stopped\.$/);
    await noneLeft(place.root);
  });
});

describe("BRAIN-EXEC-5 how commands end", function () {
  this.timeout(60_000);

  it("is told by their own code or signal, whatever they print", async () => {
    await using place = await openPlace();
    const cases = {
      "exit 0": "(no output)\n\nexit code 0",
      "exit 255": "(no output)\n\nexit code 255",
      "printf 'exit code 0'; exit 7": "exit code 0\n\nexit code 7",
      "false | true": "(no output)\n\nexit code 0",
      "kill -TERM $$": "(no output)\n\nended by SIGTERM",
      "kill -SEGV $$": "(no output)\n\nended by SIGSEGV",
      "(": /syntax error[^]*\n\nexit code 2$/,
      "exec no-such-program-here": /not found\n\nexit code 127$/,
    };
    for (const [command, expected] of Object.entries(cases)) {
      const { content } = await ends(place, command, { timeout_ms: 10_000 });
      if (typeof expected === "string") assert.equal(content, expected, command);
      else assert.match(content, expected);
    }
  });

  it("comes with both outputs in the order in which they were written", async () => {
    await using place = await openPlace();
    const numbers = Array.from({ length: 300 }, (_, index) => index);
    const command = numbers.map((n) => `echo ${n}${n % 2 === 0 ? "" : " >&2"}`).join("; ");
    assert.equal((await ends(place, command, { timeout_ms: 10_000 })).content, `${numbers.join("\n")}\n\nexit code 0`);
  });

  it("survives a storm of short children", async () => {
    await using place = await openPlace();
    const command = "for i in $(seq 300); do (true &) ; done; echo done";
    assert.match((await place.call("run_command", { command, timeout_ms: 20_000 })).content, /^done\n\nexit code 0/);
  });

  it("leaves odd output readable: no newline, invalid UTF-8, halves of characters; what is binary is only counted", async () => {
    await using place = await openPlace();
    const odd = String.raw`printf 'a\377b\303'; sleep 0.1; printf '\251 \360\237\230\200'`;
    assert.equal((await ends(place, odd)).content, "a\uFFFDbé 😀\n\nexit code 0");
    const binary = await ends(place, String.raw`printf 'ELF\0\1\2'`);
    assert.equal(binary.content, "(binary output, 6 bytes)\n\nexit code 0");
  });

  it("keeps 100 MB on the disk up to its cap, and shows head, tail and the way to the rest", async () => {
    await using place = await openPlace();
    const command = "echo first; yes 0123456789abcdef | head -c 100000000; echo; echo last";
    const result = await place.call("run_command", { command, timeout_ms: 60_000 });
    assert.match(result.content, /^first\n0123/);
    assert.match(result.content, /last\n\nexit code 0$/);
    assert.match(
      result.content,
      /characters left out; read_output with id cmd-\w+ reads them from any byte of 100000012/,
    );
    assert.ok(result.content.length < 41_000);
    const id = idIn(result.content);
    const middle = await place.call("read_output", { id, offset: 17 * 1_000_000 + 6 });
    assert.match(middle.content, /^0123456789abcdef\n0123/);
    assert.match(
      middle.content,
      /Bytes 17000006 to 17030006 of 67108864\. Pass offset 17030006.+More than that was not kept/,
    );
  });
});

describe("Commands in the background", function () {
  this.timeout(60_000);

  it("go on without their call, are read piece by piece, and end when they are told to", async () => {
    await using place = await openPlace();
    const server = `${node} -e 'require("http").createServer((_, r) => { console.log("asked"); r.end("hello") }).listen(0, "127.0.0.1", function () { console.log("port " + this.address().port) })'`;
    const started = await place.call("run_command", { command: server, background: true, timeout_ms: 5_000 });
    assert.equal(started.status, "succeeded");
    assert.match(started.content, /^port \d+\n\nstill running, in the background, as cmd-/);
    const id = idIn(started.content);
    assert.deepEqual(
      place.workspace.commands.list().map((one) => [one.id, one.command]),
      [[id, server]],
    );
    assert.match((await place.call("read_output", { id })).content, /^port \d+\n\n.+still running/);
    const port = /port (\d+)/.exec(started.content)?.[1];
    assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), "hello");
    assert.match(
      (await place.call("read_output", { id })).content,
      /^asked\n\nBytes \d+ to \d+ of \d+\. The command is/,
    );
    assert.match((await place.call("read_output", { id })).content, /^\(nothing new\)/);
    assert.equal((await place.call("stop_command", { id })).content, "It has ended.");
    await noneLeft(place.root);
    assert.deepEqual(place.workspace.commands.list(), []);
    assert.match((await place.call("read_output", { id, offset: 0 })).content, /^port[^]+The command was stopped\.$/);
    assert.equal((await place.call("stop_command", { id: "cmd-00000000" })).status, "failed");
  });

  it("are what a person sends there while its call waits for it", async () => {
    await using place = await openPlace();
    const { commands } = place.workspace;
    const waiting = place.call("run_command", { command: "echo up; sleep 100", timeout_ms: 20_000 });
    const released = setInterval(() => commands.release("delegate/call"), 50);
    const result = await waiting;
    clearInterval(released);
    assert.match(result.content, /still running, in the background, as cmd-/);
    assert.equal(commands.list().length, 1);
    await commands.dispose();
    await noneLeft(place.root);
  });

  it("are what has nothing to say and nothing to do for a while; the model is told that, and what runs on can be ended", async () => {
    await using place = await openPlace();
    const quiet = { command: "echo up; sleep 100", timeout_ms: 60_000, idle_timeout_ms: 2_000 };
    const result = await place.call("run_command", quiet);
    assert.equal(result.status, "succeeded");
    assert.match(
      result.content,
      /^up\n\nstill running, in the background since it has printed nothing for 2 s and seems to wait, as cmd-/,
    );
    await place.call("stop_command", { id: idIn(result.content) });
    await noneLeft(place.root);
  });

  it("are not there for what ends before the call stops waiting", async () => {
    await using place = await openPlace();
    const result = await place.call("run_command", { command: "echo quick; exit 2", background: true });
    assert.deepEqual([result.content, place.workspace.commands.list()], ["quick\n\nexit code 2", []]);
  });

  it("are what a command has left behind, with its exit code", async () => {
    await using place = await openPlace();
    const command = "(while :; do echo tick; sleep 0.1; done) & echo $!; exit 0";
    const result = await place.call("run_command", { command });
    assert.match(result.content, /exit code 0\nWhat it started and did not wait for goes on in the background as cmd-/);
    const id = idIn(result.content);
    assert.equal(place.workspace.commands.list().length, 1);
    await place.call("stop_command", { id });
    await gone(Number.parseInt(result.content, 10));
    await noneLeft(place.root);
  });

  it("end with the window, and with their session", async () => {
    await using place = await openPlace();
    const { commands } = place.workspace;
    const start = () => place.call("run_command", { command: "setsid sleep 100", background: true, timeout_ms: 200 });
    await start();
    await commands.endSession("another");
    assert.equal(commands.list().length, 1);
    await commands.endSession("session");
    await noneLeft(place.root);
    await start();
    await commands.dispose();
    await noneLeft(place.root);
  });

  it("cannot be read by another name, or where there is none", async () => {
    await using place = await openPlace();
    for (const id of ["cmd-00000000", "../../x", "cmd-0000000g"])
      assert.match((await place.call("read_output", { id })).content, /^There is no output of a command/);
  });
});

describe("Commands that wait for input", function () {
  this.timeout(60_000);

  it("ask the person, who types lines; the time of the call stands still meanwhile", async () => {
    await using place = await openPlace();
    const prompts: string[] = [];
    place.enter = (prompt) =>
      new Promise((resolve) => void setTimeout(() => resolve(prompts.push(prompt) === 1 ? "Ada\n" : "36\n"), 3_500));
    const command = `printf 'Name? '; read name; printf 'Age: '; read age; echo "$name $age"`;
    const result = await ends(place, command, { input: true, timeout_ms: 6_000 });
    assert.equal(result.content, "Name? Age: Ada 36\n\nexit code 0");
    assert.deepEqual(prompts, ["Name? ", "Name? Age: "]);
  });

  it("are noticed without a prompt, and by their prompt alone where nobody can look", async () => {
    await using place = await openPlace();
    place.enter = () => Promise.resolve("x\n");
    assert.equal(
      (await ends(place, "read a; echo got $a", { input: true, timeout_ms: 5_000 })).content,
      "got x\n\nexit code 0",
    );
    // It reads by an event, not by a blocking call.
    const program = `process.stdout.write("Sure? "); process.stdin.once("data", (d) => { console.log("got " + d); process.exit() })`;
    const result = await ends(place, `${node} -e '${program}'`, { input: true, timeout_ms: 8_000 });
    assert.match(result.content, /^Sure\? got x\n/);
  });

  it("get an end of input where nobody is there, and the model is told", async () => {
    await using place = await openPlace();
    const result = await ends(place, "printf 'Token: '; cat; echo end", { input: true, timeout_ms: 5_000 });
    assert.match(result.content, /^Token: end\n\nexit code 0\nIt waited for input after “Token:”: nobody typed/);
  });
});

describe("What is written down of running commands", function () {
  this.timeout(60_000);

  it("is gone when they have ended, and there while they run", async () => {
    await using place = await openPlace();
    const names = async () => (await readdir(place.records).catch(() => [])).length;
    await place.call("run_command", { command: "true" });
    assert.equal(await names(), 0);
    await place.call("run_command", { command: "sleep 100", background: true, timeout_ms: 100 });
    assert.equal(await names(), 1);
    const [name = ""] = await readdir(place.records);
    assert.ok((await readFile(`${place.records}/${name}`, "utf8")).includes(`"pid":${process.pid}`));
    await place.workspace.commands.dispose();
    assert.equal(await names(), 0);
  });

  it("lets the next window end what a crashed one has left, and nothing else", async () => {
    await using place = await openPlace();
    const bystander = spawn("sleep", ["100"], { stdio: "ignore" });
    const command = `trap "" TERM; setsid sleep 100 & (env -i sleep 100 &) ; while :; do sleep 0.1; done`;
    const window = spawn(process.execPath, [crashing, place.root, command, place.root], { stdio: "pipe" });
    await once(window.stdout, "data");
    const records = commandRecords(`${place.root}/running`);
    assert.equal(await records.sweep(), 0, "its window is still there");
    window.kill("SIGKILL");
    await once(window, "exit");
    const [name = ""] = await readdir(`${place.root}/running`);
    const written = await readFile(`${place.root}/running/${name}`, "utf8");
    // As if the number had gone to somebody else meanwhile.
    const shell = /"shell":\{"pid":\d+/;
    const forged = written
      .replace(shell, `"shell":{"pid":${bystander.pid}`)
      .replace(/"mark":"[^"]+"/, `"mark":"${randomUUID()}"`);
    await writeFile(`${place.root}/running/forged.json`, forged);
    await writeFile(`${place.root}/running/torn.json`, "{");
    assert.equal(await records.sweep(), 2);
    await noneLeft(place.root);
    assert.deepEqual(await readdir(`${place.root}/running`), ["torn.json"]);
    assert.equal(bystander.exitCode ?? bystander.signalCode, null);
    bystander.kill();
    await once(bystander, "exit");
  });
});
