// A change decided by keyboard alone, in panel and editor; and what was changed, in the source control and the gutter, also after a reload.
import assert from "node:assert/strict";
import { readFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { Entry, isMessage, type ToolEntry } from "../../src/protocol/messages.ts";
import { chatReply } from "../support/chatWire.ts";
import { openBrain, type OpenedBrain } from "../support/e2e.ts";
import { openByName } from "../support/palette.ts";
import { startSse, type SseServer } from "../support/sse.ts";

const numbers = Array.from({ length: 12 }, (_, index) => `const n${index + 1} = ${index + 1};\n`);
const original = numbers.join("");
const edits = [2, 6, 10].map((line) => ({ old_text: `n${line} = ${line};`, new_text: `n${line} = "${line}";` }));

async function withChange(work: (brain: OpenedBrain, server: SseServer) => Promise<void>): Promise<void> {
  const server = await startSse(
    chatReply(1, { calls: [["edit_file", { path: "numbers.js", edits }]] }),
    chatReply(2, { text: "All as you decided." }),
  );
  const settings = {
    "brain.provider": "openai-chat",
    "brain.baseUrl": server.baseUrl,
    "brain.model": "test",
    "brain.contextWindow": 128_000,
  };
  const brain = await openBrain({ settings });
  try {
    await writeFile(file(brain), original);
    await work(brain, server);
  } catch (error) {
    console.log(`What it looked like: ${await brain.screenshot(`e2e-changes-failed-${Date.now()}`)}`);
    throw error;
  } finally {
    await brain.close();
    await server.close();
  }
}

const file = (brain: OpenedBrain): string => path.join(brain.workspace, "numbers.js");

async function ask(brain: OpenedBrain): Promise<void> {
  // Until the panel knows its model it takes no message.
  await brain.panel.locator('button[title^="Model:"]').waitFor();
  await brain.panel.getByRole("textbox", { name: "Message to Brain" }).focus();
  await brain.page.keyboard.type("Make them texts");
  await brain.page.keyboard.press("Enter");
  await brain.panel.locator("li.pending-row").waitFor();
}

/** A command of an extension has moved the cursor: what is typed goes there. */
const atLine = ({ page }: OpenedBrain, line: number): Promise<void> =>
  page.locator(".statusbar").getByText(`Ln ${line}, Col`).waitFor();

async function edited(brain: OpenedBrain): Promise<ToolEntry> {
  const sessions = path.join(brain.workspace, ".brain/sessions");
  const [session = ""] = await readdir(sessions);
  const text = await readFile(path.join(sessions, session, "transcript.jsonl"), "utf8");
  const entries = text
    .trimEnd()
    .split("\n")
    .map((line) => Entry.parse(JSON.parse(line)));
  const found = entries.find((entry): entry is ToolEntry => isMessage(entry) && entry.role === "tool");
  assert.ok(found);
  return found;
}

describe("a change of three hunks", () => {
  it("one accepted in the panel, one written over in the editor, one rejected, by keyboard: disk, undo stack, transcript and model agree", () =>
    withChange(async (brain, server) => {
      const { page, panel } = brain;
      await openByName(page, "numbers.js");
      await ask(brain);
      await panel.getByRole("button", { name: "Accept hunk 1 of 3" }).focus();
      await page.keyboard.press("Enter");
      await panel.getByRole("listitem", { name: "Hunk 1 of 3, accepted" }).waitFor();

      await panel.locator("li.pending-row").focus();
      await page.keyboard.press("v");
      const tab = page.locator(".tab.active").filter({ hasText: "proposed by Brain" });
      await tab.waitFor();
      await page.locator(".editor.modified .codelens-decoration").filter({ hasText: "Accept" }).first().waitFor();
      // The first that is open after the one that is accepted.
      await page.keyboard.press("Alt+F5");
      await atLine(brain, 6);
      await page.keyboard.press("End");
      await page.keyboard.type(" // by hand");
      await page.keyboard.press("Alt+Enter");
      await panel.getByRole("listitem", { name: "Hunk 2 of 3, accepted" }).waitFor();
      await atLine(brain, 10);
      await page.keyboard.press("Alt+Backspace");
      await panel.getByText("All as you decided.").waitFor();

      const decided = original.replace("n2 = 2;", 'n2 = "2";').replace("n6 = 6;", 'n6 = "6"; // by hand');
      assert.equal(await readFile(file(brain), "utf8"), decided);
      const entry = await edited(brain);
      assert.equal(entry.status, "succeeded");
      assert.equal(entry.verdict?.by, "person");
      const told: { messages: { role: string; content: string }[] } = JSON.parse(server.asked[1]?.body ?? "");
      const result = told.messages.find(({ role }) => role === "tool")?.content ?? "";
      assert.equal(result, entry.content, "the model reads something else than the transcript says");
      assert.match(result, /\+const n6 = "6"; \/\/ by hand\n/);
      assert.match(result, /The person decided what is written.*-const n10|The person decided what is written/s);
      assert.ok(!result.slice(0, result.indexOf("The person decided")).includes('n10 = "10"'));

      // One step of the editor takes all of the call back.
      await page.keyboard.press("Alt+1");
      await tab.waitFor({ state: "detached" });
      await page.keyboard.press("Control+Z");
      await page.keyboard.press("Control+S");
      await page.locator(".tab.active.dirty").waitFor({ state: "detached" });
      await until(async () => (await readFile(file(brain), "utf8")) === original);
    }));

  it("stands in the source control with marks in the gutter, is kept in the inline view and undone by key, and the rest comes back after a reload", () =>
    withChange(async (brain) => {
      const { page, panel } = brain;
      await ask(brain);
      await panel.locator("li.pending-row").focus();
      await page.keyboard.press("Enter");
      await panel.getByText("All as you decided.").waitFor();
      await openByName(page, "numbers.js");
      const marks = page.locator(".editor-instance .dirty-diff-modified");
      await marks.nth(2).waitFor();
      await page.keyboard.press("Control+Shift+G");
      await page.locator(".scm-view").getByText("Brain Changes").waitFor();
      await page.locator(".scm-view").getByText("This run").waitFor();
      await brain.screenshot("changes-dark");

      // The editor's own way from change to change, with the two actions in its inline view.
      await openByName(page, "numbers.js");
      await page.keyboard.press("Alt+F3");
      const peek = page.locator(".peekview-widget");
      await peek.waitFor();
      const keep = peek.locator(".codicon-check");
      await keep.waitFor();
      await brain.screenshot("changes-peek-dark");
      await keep.click();
      await marks.nth(2).waitFor({ state: "detached" });
      await page.keyboard.press("Escape");
      await openByName(page, "numbers.js");
      await page.keyboard.press("Control+End");
      await page.keyboard.press("Control+K");
      await page.keyboard.press("Alt+Backspace");
      await marks.nth(1).waitFor({ state: "detached" });
      const now = original.replace("n2 = 2;", 'n2 = "2";').replace("n10 = 10;", 'n10 = "10";');
      await until(async () => (await readFile(file(brain), "utf8")) === now);

      await brain.reload();
      await openByName(page, "numbers.js");
      await marks.first().waitFor();
      assert.equal(await marks.count(), 1);
    }));
});

/** Polls until it is true; the test's own limit ends it. */
async function until(look: () => Promise<boolean>): Promise<void> {
  while (!(await look())) await new Promise((resolve) => setTimeout(resolve, 100));
}
