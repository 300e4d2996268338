// As a person would: a task typed into the panel, calls changed, refused and approved, and what is on the disk afterwards.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import type { Locator } from "playwright-core";
import { Entry, isMessage } from "../../src/protocol/messages.ts";
import { createSandbox } from "../../src/scope/sandbox.ts";
import { chatReply } from "../support/chatWire.ts";
import { openBrain, showBrain, type OpenedBrain } from "../support/e2e.ts";
import { startSse, type SseServer } from "../support/sse.ts";
import { writtenDown } from "../support/windowState.ts";

const composer = ({ panel }: OpenedBrain): Locator => panel.getByRole("textbox", { name: "Message to Brain" });
const waiting = ({ panel }: OpenedBrain): Locator =>
  panel.locator("[data-row][data-call]").and(panel.locator("li.pending-row"));
const send = async (brain: OpenedBrain, text: string): Promise<void> => {
  await composer(brain).click();
  await brain.page.keyboard.type(text);
  await brain.page.keyboard.press("Enter");
};
const read = (brain: OpenedBrain, ...names: string[]): Promise<string> =>
  readFile(path.join(brain.workspace, ...names), "utf8");

async function transcript(brain: OpenedBrain): Promise<Entry[]> {
  const [session] = await readdir(path.join(brain.workspace, ".brain/sessions"));
  assert.ok(session);
  const text = await read(brain, ".brain/sessions", session, "transcript.jsonl");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => Entry.parse(JSON.parse(line)));
}

/** Whether commands run in a sandbox on this machine: there they do not ask. */
async function isConfined(): Promise<boolean> {
  const sandbox = createSandbox({ mode: () => "auto" });
  const { kind } = await sandbox.state();
  await sandbox.dispose();
  return kind === "on";
}

async function withBrain(
  options: Parameters<typeof openBrain>[0],
  work: (brain: OpenedBrain) => Promise<void>,
): Promise<void> {
  const brain = await openBrain(options);
  try {
    await work(brain);
  } catch (error) {
    console.log(`What it looked like: ${await brain.screenshot("e2e-failed")}`);
    throw error;
  } finally {
    await brain.close();
  }
}

/** The trace of the only run opens from its end, with every request and call of the transcript, and the edit's wait. */
async function showsTimeline(brain: OpenedBrain): Promise<void> {
  const told = (await transcript(brain)).filter((entry) => isMessage(entry) && entry.role !== "user");
  await brain.panel.getByRole("button", { name: "Timeline" }).click();
  const grid = brain.panel.getByRole("treegrid", { name: "Requests and calls" });
  await grid.waitFor();
  assert.equal(await grid.getAttribute("aria-rowcount"), String(told.length + 1));
  const rows = brain.panel.locator(".trace-row.of-call");
  await rows.filter({ hasText: /Edit src\/cart\.js.*waiting for you/s }).waitFor();
  await brain.page.keyboard.press("Escape");
  await rows.first().waitFor({ state: "detached" });
}

describe("a session in the panel", () => {
  it("the demo: a new user runs the task to green tests, and in a sandbox approves nothing but the edit", () =>
    withBrain({}, async (brain) => {
      const confined = await isConfined();
      await brain.panel.getByRole("button", { name: "Fix the failing test" }).click();
      for (const what of confined ? ["Edit"] : ["Edit", "Run"]) {
        const row = waiting(brain).first();
        await row.filter({ hasText: what }).waitFor();
        await row.getByRole("button", { name: /^Approve/ }).click();
      }
      await brain.panel.getByText("the tests pass").first().waitFor();
      await brain.panel.getByText(/Worked/).waitFor();
      await showsTimeline(brain);
      assert.match(await read(brain, "src/cart.js"), /percent \/ 100/);
      const decided = (await transcript(brain)).flatMap((entry) =>
        isMessage(entry) && entry.role === "tool" && entry.verdict?.by === "person" ? [entry.name] : [],
      );
      assert.deepEqual(decided, confined ? ["edit_file"] : ["edit_file", "run_command"]);
    }));

  describe("with three calls waiting", () => {
    let server: SseServer;
    before(async () => {
      server = await startSse(
        chatReply(1, {
          text: "I write three files and run a check.",
          calls: [
            ["write_file", { path: "one.txt", content: "one\n", _reasoningForCall: "the first" }],
            ["write_file", { path: "two.txt", content: "two\n" }],
            ["write_file", { path: "three.txt", content: "three\n" }],
            ["run_command", { command: "cat one.txt three.txt" }],
          ],
        }),
        chatReply(2, { text: "All **done**, as you decided." }),
      );
    });
    after(() => server.close());

    it("one is modified, one rejected, the rest approved, by keyboard and mouse; files, transcript, model and panel agree", () =>
      withBrain(
        {
          settings: {
            "brain.provider": "openai-chat",
            "brain.baseUrl": server.baseUrl,
            "brain.contextWindow": 128_000,
            "brain.model": "test",
            "brain.sandbox": "off",
          },
        },
        async (brain) => {
          const { panel, page } = brain;
          await send(brain, "Write three files");
          await waiting(brain).nth(2).waitFor();
          assert.equal(await waiting(brain).count(), 3);
          await panel
            .getByText(/after Write/)
            .first()
            .waitFor();
          assert.deepEqual(
            (await readdir(brain.workspace)).filter((name) => name.endsWith(".txt")),
            [],
            "nothing is written before it is approved",
          );
          await brain.screenshot("three-waiting-dark");

          // The status bar leads to the one that asked first; they were made ready side by side, so that it can be any.
          await page.locator(".statusbar").getByText("Brain: 3 waiting").click();
          await waiting(brain).and(panel.locator(":focus")).waitFor();

          // Modify the second by keyboard.
          await waiting(brain).filter({ hasText: "two.txt" }).focus();
          await page.keyboard.press("e");
          const content = panel.getByRole("textbox", { name: /content/i });
          await content.fill("zwei\n");
          await brain.screenshot("modify-dark");
          await content.press("Control+Enter");
          await waiting(brain).nth(2).waitFor({ state: "detached" });

          // Reject the third by keyboard, with a reason.
          await waiting(brain).filter({ hasText: "three.txt" }).focus();
          await page.keyboard.press("Backspace");
          await page.keyboard.type("two are enough");
          await page.keyboard.press("Enter");
          await waiting(brain).nth(1).waitFor({ state: "detached" });

          // Approve the first by mouse, then the command that waited for it.
          await waiting(brain)
            .filter({ hasText: "one.txt" })
            .getByRole("button", { name: /^Approve/ })
            .click();
          const command = waiting(brain).filter({ hasText: "cat one.txt" });
          await command.waitFor();
          await command.focus();
          await page.keyboard.press("Enter");
          await panel.getByText("as you decided").waitFor();
          await panel.getByText(/Worked/).waitFor();

          assert.equal(await read(brain, "one.txt"), "one\n");
          assert.equal(await read(brain, "two.txt"), "zwei\n");
          assert.ok(!(await readdir(brain.workspace)).includes("three.txt"));
          const tools = (await transcript(brain)).flatMap((entry) =>
            isMessage(entry) && entry.role === "tool"
              ? [[entry.tool_call_id, entry.status, entry.verdict?.decision.kind, entry.verdict?.by]]
              : [],
          );
          assert.deepEqual(
            new Map(tools.map(([id, ...rest]) => [id, rest])),
            new Map([
              ["call_1_1", ["succeeded", "modify", "person"]],
              ["call_1_2", ["rejected", "reject", "person"]],
              ["call_1_0", ["succeeded", "approve", "person"]],
              ["call_1_3", ["failed", "approve", "person"]],
            ]),
          );
          const told: { messages: { role: string; content: string }[] } = JSON.parse(server.asked[1]?.body ?? "");
          const results = told.messages.filter(({ role }) => role === "tool").map(({ content: text }) => text);
          assert.match(results[1] ?? "", /^Changed by the person before it ran.*zwei/s);
          assert.equal(results[2], "Rejected by the person: two are enough");
          await panel.getByText("two are enough").first().waitFor();
          await brain.screenshot("finished-dark");

          // Killed and made again, the panel is the same.
          const shown = panel.getByRole("region", { name: "Conversation" });
          const before = await shown.innerText();
          await page
            .locator(".activitybar")
            .getByRole("tab", { name: /Explorer/ })
            .click();
          await panel.locator("#root").waitFor({ state: "detached" });
          await showBrain(page);
          await panel.getByText("as you decided").waitFor();
          assert.equal(await shown.innerText(), before);

          // So it is after the whole window was loaded again, in what the transcript holds.
          const [session = ""] = await readdir(path.join(brain.workspace, ".brain/sessions"));
          await writtenDown(page, session);
          await brain.reload();
          await panel.getByText("as you decided").waitFor();
          await panel.getByText("two are enough").first().waitFor();
        },
      ));
  });

  it("stop ends the run, and the next message goes on from a valid history", async () => {
    const server = await startSse(
      chatReply(1, { calls: [["run_command", { command: "sleep 60", timeout_ms: 60_000 }]] }),
      chatReply(2, { text: "Here again." }),
    );
    try {
      await withBrain(
        {
          settings: {
            "brain.provider": "openai-chat",
            "brain.baseUrl": server.baseUrl,
            "brain.contextWindow": 128_000,
            "brain.model": "test",
            "brain.sandbox": "off",
          },
        },
        async (brain) => {
          await send(brain, "Sleep");
          await waiting(brain)
            .first()
            .getByRole("button", { name: /^Approve/ })
            .click();
          await brain.panel.getByRole("button", { name: "Stop" }).click();
          await brain.panel.getByText(/Stopped by you/).waitFor();
          await send(brain, "Are you there?");
          await brain.panel.getByText("Here again.").waitFor();
          const sent: { messages: { role: string }[] } = JSON.parse(server.asked[1]?.body ?? "");
          assert.deepEqual(
            sent.messages.map(({ role }) => role),
            ["system", "user", "assistant", "tool", "user"],
          );
        },
      );
    } finally {
      await server.close();
    }
  });
});
