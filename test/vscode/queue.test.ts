// Messages and plans in a real window: what waits, steers or interrupts, and plans and pauses decided through the palette.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import { isMessage, type Entry } from "../../src/protocol/messages.ts";
import { chatReply } from "../support/chatWire.ts";
import { startSse, type Script, type SseServer } from "../support/sse.ts";
import { approveNext, begin, exists, inFolder, transcript, until, withEndpoint } from "./flow.ts";

const write = (turn: number, name: string): Script =>
  chatReply(turn, { calls: [["write_file", { path: name, content: "x\n" }]] });

const done = (turn: number): Script => chatReply(turn, { text: "Done." });

/** Answers as scripted and gives the work the server that was asked. */
async function withReplies(scripts: readonly Script[], work: (server: SseServer) => Promise<void>): Promise<void> {
  const server = await startSse(...scripts);
  try {
    await withEndpoint(server.baseUrl, () => work(server));
  } finally {
    await vscode.commands.executeCommand("brain.stop");
    await server.close();
  }
}

/** Sends a message while a run is going on. */
async function say(message: string): Promise<unknown> {
  return vscode.commands.executeCommand("brain.runAgent", { message });
}

/** What persons said, in order, with the status of each run's end between. */
function story(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) => {
    if (!isMessage(entry)) return entry.type === "run_end" ? [`— ${entry.status}`] : [];
    return entry.role === "user" ? [entry.content] : [];
  });
}

async function storyOf(sessionId: string, length: number): Promise<string[]> {
  return until("the whole story", async () => {
    const told = story(await transcript(sessionId));
    return told.length >= length ? told : null;
  });
}

async function withSettings(values: Readonly<Record<string, unknown>>, work: () => Promise<void>): Promise<void> {
  const settings = vscode.workspace.getConfiguration("brain");
  const set = async (name: string, value: unknown): Promise<void> =>
    settings.update(name, value, vscode.ConfigurationTarget.Global);
  for (const [name, value] of Object.entries(values)) await set(name, value);
  try {
    await work();
  } finally {
    for (const name of Object.keys(values)) await set(name, undefined);
  }
}

describe("messages while a run is going on", () => {
  it("wait, and are sent in order when it has ended", () =>
    withReplies([write(1, "queued.txt"), done(2)], async (server) => {
      const { outcome } = await begin("One.");
      await until("the first request", () => server.asked.length > 0);
      for (const message of ["Two.", "Three."]) assert.equal(await say(message), null);
      await approveNext();
      const { status, sessionId } = await outcome;
      assert.equal(status, "completed");
      const told = await storyOf(sessionId, 6);
      assert.deepEqual(told, ["One.", "— completed", "Two.", "— completed", "Three.", "— completed"]);
      assert.ok(await exists(inFolder("queued.txt")));
    }));

  it("X-3: one that steers is read before the next request, in the same run", () =>
    withReplies([write(1, "steered.txt"), done(2)], async (server) => {
      const { outcome } = await begin("One.");
      await until("the first request", () => server.asked.length > 0);
      await vscode.commands.executeCommand("brain.steerRun", { message: "And mind the gap." });
      await approveNext();
      const { status, sessionId, unread } = await outcome;
      assert.equal(status, "completed");
      assert.deepEqual(unread, []);
      assert.ok(server.asked[1]?.body.includes("And mind the gap."));
      assert.deepEqual(await storyOf(sessionId, 3), ["One.", "And mind the gap.", "— completed"]);
    }));

  it("wait on after a stop, until something is sent", () =>
    withReplies([write(1, "never.txt"), done(2)], async (server) => {
      const { outcome } = await begin("One.");
      await until("the first request", () => server.asked.length > 0);
      await say("Two.");
      await vscode.commands.executeCommand("brain.steerRun", { message: "Not read." });
      await vscode.commands.executeCommand("brain.stop");
      const { status, sessionId } = await outcome;
      assert.equal(status, "aborted");
      assert.deepEqual(story(await transcript(sessionId)), ["One.", "— aborted"]);
      await say("Three.");
      const told = await storyOf(sessionId, 8);
      assert.deepEqual(told.slice(2), ["Three.", "— completed", "Not read.", "— completed", "Two.", "— completed"]);
      assert.equal(await exists(inFolder("never.txt")), false);
    }));
});

describe("plans and pauses", () => {
  it("LOOP-PLAN-3: nothing of a plan starts before it is approved; then each call still asks", () =>
    withSettings({ plan: "lazy" }, () =>
      withReplies(
        [
          chatReply(1, {
            calls: [
              ["list_files", {}],
              ["write_file", { path: "planned.txt", content: "x\n" }],
            ],
          }),
          done(2),
        ],
        async () => {
          const { outcome } = await begin("Plan it.");
          await until("a waiting plan", () => vscode.commands.executeCommand<boolean | undefined>("brain.approvePlan"));
          assert.equal(await exists(inFolder("planned.txt")), false);
          await approveNext();
          const { status, sessionId } = await outcome;
          assert.equal(status, "completed");
          assert.ok(await exists(inFolder("planned.txt")));
          const kinds = (await transcript(sessionId)).map((entry) => (isMessage(entry) ? entry.role : entry.type));
          assert.deepEqual(kinds, ["user", "assistant", "plan", "tool", "tool", "assistant", "run_end"]);
        },
      ),
    ));

  it("a call can be replaced by another from the palette, and what ran is written down", () =>
    withReplies([write(1, "src/cart.js"), done(2)], async (server) => {
      const before = await readFile(inFolder("src", "cart.js"), "utf8");
      const { outcome } = await begin("Empty the cart.");
      await until("the first request", () => server.asked.length > 0);
      let isOver = false;
      const replaced = until("the call", () => vscode.commands.executeCommand<true | undefined>("brain.replaceCall"));
      void replaced.then(() => (isOver = true));
      // Takes the first tool, which reads, and then its parameters as they are proposed.
      await until("the lists", async () => {
        await vscode.commands.executeCommand("workbench.action.acceptSelectedQuickOpenItem");
        return isOver;
      });
      await replaced;
      const { sessionId } = await outcome;
      assert.equal(await readFile(inFolder("src", "cart.js"), "utf8"), before);
      const verdicts = (await transcript(sessionId)).flatMap((entry) =>
        isMessage(entry) && entry.role === "tool" ? [[entry.status, entry.verdict?.decision]] : [],
      );
      const call = { name: "read_file", params: { path: "src/cart.js" } };
      assert.deepEqual(verdicts, [["succeeded", { kind: "replace", call }]]);
    }));

  it("a run that has cost more than it may pauses, by the prices of the settings", () =>
    withSettings({ inputPrice: 10_000, outputPrice: 10_000, maxRunCost: 1 }, () =>
      withReplies([chatReply(1, { calls: [["list_files", {}]] }), done(2)], async () => {
        const { outcome } = await begin("Look.");
        await until("a pause", () => vscode.commands.executeCommand<boolean | undefined>("brain.continueRun"));
        const { status, sessionId } = await outcome;
        assert.equal(status, "completed");
        const pauses = (await transcript(sessionId)).filter((entry) => !isMessage(entry) && entry.type === "pause");
        assert.deepEqual(
          pauses.map(({ reason }) => reason),
          ["cost"],
        );
      }),
    ));

  it("a run that has used up its rounds pauses, and goes on when it is told to", () =>
    withSettings({ maxToolIterations: 1 }, () =>
      withReplies([chatReply(1, { calls: [["list_files", {}]] }), done(2)], async () => {
        const { outcome } = await begin("Look.");
        await until("a pause", () => vscode.commands.executeCommand<boolean | undefined>("brain.continueRun"));
        const { status, sessionId, iterations } = await outcome;
        assert.equal(status, "completed");
        assert.equal(iterations, 2);
        const pauses = (await transcript(sessionId)).filter((entry) => !isMessage(entry) && entry.type === "pause");
        assert.deepEqual(
          pauses.map(({ choice }) => choice),
          ["continue"],
        );
      }),
    ));
});
