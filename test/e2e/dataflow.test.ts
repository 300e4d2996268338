// Calls that use each other's results, as a person sees them: ready one after another, one replaced by another, and the model told.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Locator } from "playwright-core";
import { chatReply } from "../support/chatWire.ts";
import { openBrain, type OpenedBrain } from "../support/e2e.ts";
import { startSse, type Script, type SseServer } from "../support/sse.ts";

/** One event a write, with a pause between: slow enough to be watched. */
function slowly({ parts = [] }: Script): Script {
  const events = parts.flatMap((part) => String(part).match(/.*?\n\n/gs) ?? []);
  return { parts: events, pause: 60 };
}

const waiting = ({ panel }: OpenedBrain, text: string): Locator =>
  panel.locator("li.pending-row").filter({ hasText: text });

describe("calls that depend on each other, in the panel", () => {
  let server: SseServer;
  before(async () => {
    server = await startSse(
      slowly(
        chatReply(1, {
          text: "I copy the prices and look at the copy.",
          calls: [
            ["read_file", { path: "src/price.js", _outputPath: "†state.price" }],
            ["write_file", { path: "copy.js", content: ["// a copy\n", "†state.price"] }],
            ["run_command", { command: "cat copy.js" }],
          ],
        }),
      ),
      chatReply(2, { text: "You looked for yourself." }),
    );
  });
  after(() => server.close());

  it("go ready one after another; one is replaced by keyboard, and the model reads what ran instead", async () => {
    const endpoint = {
      "brain.provider": "openai-chat",
      "brain.baseUrl": server.baseUrl,
      "brain.model": "test",
      "brain.contextWindow": 128_000,
    };
    // Without a sandbox every command asks, wherever this runs.
    const brain = await openBrain({ settings: { ...endpoint, "brain.sandbox": "off" } });
    try {
      const { panel, page, workspace } = brain;
      await panel.getByRole("textbox", { name: "Message to Brain" }).click();
      await page.keyboard.type("Copy the prices");
      await page.keyboard.press("Enter");

      // The write waits for a person with the value that was read, while the command waits for the write.
      await waiting(brain, "copy.js").first().waitFor();
      await panel
        .getByText(/after Write/)
        .first()
        .waitFor();
      assert.equal(await waiting(brain, "cat copy.js").count(), 0);
      await brain.screenshot("dataflow-write-waits");
      await waiting(brain, "copy.js")
        .getByRole("button", { name: /^Approve/ })
        .click();

      const command = waiting(brain, "cat copy.js");
      await command.waitFor();
      await command.focus();
      await page.keyboard.press("r");
      await page.keyboard.type("read_file");
      await page.keyboard.press("Enter");
      await panel.getByRole("textbox", { name: "Path" }).fill("copy.js");
      await brain.screenshot("dataflow-replace");
      await page.keyboard.press("Control+Enter");

      await panel.getByText("You looked for yourself.").waitFor();
      const price = await readFile(path.join(workspace, "src/price.js"), "utf8");
      assert.equal(await readFile(path.join(workspace, "copy.js"), "utf8"), `// a copy\n${price}`);
      assert.equal(server.asked.length, 2, "all of it took one request, and the answer another");
      const told = server.asked[1]?.body ?? "";
      assert.match(told, /Replaced by the person\. Instead this ran: read_file \{\\"path\\":\\"copy\.js\\"\}/);
      await panel
        .getByText(/You replaced it by/)
        .first()
        .waitFor();
    } catch (error) {
      console.log(`What it looked like: ${await brain.screenshot("e2e-failed")}`);
      throw error;
    } finally {
      await brain.close();
    }
  });
});
