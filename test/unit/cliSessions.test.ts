// The session commands of the command line, in this process and as one: what they print, what they change on the disk, and every bad input with its sentence.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { createSessions } from "../../src/brain/sessions.ts";
import { createSessionCommands } from "../../src/cliSessions.ts";
import { Entry } from "../../src/protocol/messages.ts";
import { fakeClock } from "../support/kit.ts";
import { root } from "../support/run.ts";
import { conversation, inFolder, sessionId, toText } from "./brain/disk.ts";

describe("brain, about sessions", () => {
  interface Ran {
    readonly stdout: string;
    readonly lines: () => readonly Record<string, unknown>[];
  }
  type Command = (...args: readonly string[]) => Promise<Ran>;
  interface Project {
    readonly brain: Command;
    readonly sessions: string;
    readonly folder: string;
  }

  /** A folder with one session of two turns, and the commands for it. */
  const inProject = (test: (project: Project) => Promise<void>): Promise<void> =>
    inFolder(async (folder) => {
      const store = createSessions({ dir: path.join(folder, ".brain"), clock: fakeClock() });
      const handle = await store.open(sessionId, { create: true, runId: "run-1" });
      await handle.append([...conversation("run-1"), ...conversation("run-2", 60)]);
      await handle.release();
      const brain: Command = async (name = "", ...args) => {
        let stdout = "";
        const commands = createSessionCommands({
          read: asUsage,
          folder: (named) => (named === "." ? folder : asUsage(() => assert.fail(`There is no folder ${named}.`))),
          print: (value) => (stdout += `${JSON.stringify(value)}\n`),
          write: (text) => (stdout += text),
          usage: (message) => new Usage(message),
        });
        const ended = await commands.get(name)?.(args);
        assert.equal(ended, "completed");
        return { stdout, lines: () => linesOf(stdout) };
      };
      await test({ brain, sessions: path.join(folder, ".brain/sessions"), folder });
    });

  it("sessions: lists them, and says in which session and line a text is", () =>
    inProject(async ({ brain }) => {
      const listed = await brain("sessions");
      assert.deepEqual(
        listed.lines().map(({ id, messageCount }) => [id, messageCount]),
        [[sessionId, 10]],
      );
      const found = await brain("sessions", "--search", "LOOK FIRST");
      assert.deepEqual(
        found.lines().map(({ sessionId: id, role, line, excerpt }) => [id, role, line, excerpt]),
        [
          [sessionId, "assistant", 2, "I look first."],
          [sessionId, "assistant", 8, "I look first."],
        ],
      );
      assert.equal((await brain("sessions", "--search", "nowhere")).stdout, "");
    }));

  it("export: prints Markdown, or every entry as a JSON line", () =>
    inProject(async ({ brain }) => {
      const markdown = await brain("export", sessionId);
      assert.match(markdown.stdout, /^# Make the tests pass 🌱\n\nsession [^]*\n## You, 2026-01-02 10:01 UTC\n/);
      const json = await brain("export", sessionId, "--format", "json");
      assert.equal(json.stdout, toText([...conversation("run-1"), ...conversation("run-2", 60)]));
    }));

  it("fork, rename, delete, restore: each does it, and prints the session", () =>
    inProject(async ({ brain, sessions }) => {
      const [fork] = (await brain("fork", sessionId, "--at", "run-1-user")).lines();
      assert.deepEqual(fork?.["forkedFrom"], { sessionId, entryId: "run-1-user" });
      const id = String(fork["id"]);
      const kinds = async (): Promise<readonly string[]> => {
        const lines = (await readFile(path.join(sessions, id, "transcript.jsonl"), "utf8")).trimEnd().split("\n");
        const entries = lines.map((line) => Entry.parse(JSON.parse(line)));
        return entries.map((entry) => String("role" in entry ? entry.role : entry.type));
      };
      const copied = ["user", "assistant", "tool", "tool", "assistant", "run_end", "fork", "title"];
      assert.deepEqual(await kinds(), copied);
      const [renamed] = (await brain("rename", id, "A better title")).lines();
      assert.equal(renamed?.["title"], "A better title");
      assert.deepEqual(await kinds(), [...copied, "title"]);
      const [deleted] = (await brain("delete", id)).lines();
      assert.deepEqual([deleted?.["id"], typeof deleted?.["deletedAt"]], [id, "string"]);
      assert.deepEqual(await readdir(sessions), [sessionId]);
      assert.deepEqual((await brain("restore", id)).lines(), [{ id }]);
      assert.deepEqual((await readdir(sessions)).toSorted(), [id, sessionId].toSorted());
      assert.deepEqual(await kinds(), [...copied, "title"]);
    }));

  it("does nothing to a session that runs, and says so", () =>
    inProject(async ({ brain, sessions }) => {
      const store = createSessions({
        dir: path.dirname(sessions),
        clock: { now: Date.now, after: () => () => undefined },
      });
      const run = await store.open(sessionId, { create: false, runId: "run-3" });
      const where = "Another run, in this window,";
      for (const [args, done] of [
        [["fork", sessionId], "forked"],
        [["rename", sessionId, "x"], "renamed"],
        [["delete", sessionId], "deleted"],
      ] as const) {
        const words = new RegExp(`^LoopError: A session is not ${done} while it runs\\. ${where}`);
        await assert.rejects(brain(...args), words);
      }
      await run.release();
    }));

  it("says what is wrong with its arguments, and what to do", () =>
    inProject(async ({ brain }) => {
      const bad: readonly (readonly [readonly string[], RegExp])[] = [
        [["export"], /^Usage: ID is missing\./],
        [["rename", sessionId], /^Usage: TITLE is missing\./],
        [
          ["rename", sessionId, "two", "words"],
          /^Usage: “words” is too much\. A text of several words goes into quotes/,
        ],
        [["export", sessionId, "--format", "pdf"], /^Usage: --format must be one of markdown, json, not “pdf”\./],
        [["sessions", "--search", " "], /^Usage: --search is empty/],
        [["sessions", "more"], /^Usage: “more” is too much/],
        [["sessions", "--workspace", "/nowhere"], /^Usage: .*There is no folder \/nowhere/],
        [["delete", sessionId, "--force"], /^Usage: .*--force/],
        [["rename", sessionId, " "], /^LoopError: The title is empty\./],
        [["fork", sessionId, "--at", "x"], /^LoopError: There is no message x in this session\./],
        [["delete", "../.."], /^LoopError: “\.\.\/\.\.” is not the id of a session\./],
        [["restore", sessionId], /^LoopError: There is no deleted session/],
      ];
      for (const [args, words] of bad) await assert.rejects(brain(...args), words, args.join(" "));
    }));

  it("are commands of the process, with its exit codes and its current folder", () =>
    inProject(async ({ folder }) => {
      const listed = await brainIn(folder, ["sessions"]);
      assert.deepEqual([listed.code, linesOf(listed.stdout).map(({ id }) => id)], [0, [sessionId]]);
      const missing = await brainIn(folder, ["export"]);
      assert.deepEqual([missing.code, missing.stderr], [2, "ID is missing.\nSee `brain --help`.\n"]);
      const { code, stderr } = await brainIn(folder, ["fork", sessionId, "--at", "x"]);
      assert.deepEqual(
        [code, stderr],
        [1, "There is no message x in this session. Choose a message of this session.\n"],
      );
    }));

  it("without any session lists nothing, and makes no folder", () =>
    inFolder(async (dir) => {
      await mkdir(path.join(dir, "empty"));
      const store = createSessions({ dir: path.join(dir, "empty", ".brain"), clock: fakeClock() });
      assert.deepEqual([await store.list(), await store.deleted(), await store.emptyTrash()], [[], [], 0]);
      assert.deepEqual(await readdir(path.join(dir, "empty")), []);
    }));
});

function brainIn(cwd: string, args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path.join(root, "src/cli.ts"), ...args], { cwd });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => void (stdout += part));
    child.stderr.setEncoding("utf8").on("data", (part: string) => void (stderr += part));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? -1, stdout, stderr }));
  });
}

class Usage extends Error {
  override readonly name = "Usage";
}

function asUsage<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Usage(error instanceof Error ? error.message : String(error));
  }
}

function linesOf(text: string): Record<string, unknown>[] {
  return text.split("\n").flatMap((line) => (line === "" ? [] : [record(line)]));
}

function record(line: string): Record<string, unknown> {
  return JSON.parse(line);
}
