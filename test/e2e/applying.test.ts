// Code of an answer in the panel, applied to the file that it names: reviewed in the editor, then written.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { chatReply } from "../support/chatWire.ts";
import { openBrain, type OpenedBrain } from "../support/e2e.ts";
import { startSse, type SseServer } from "../support/sse.ts";

const code = `/** How many things are in the cart. */
export function count(cart) {
  return cart.items.length;
}`;

describe("code of an answer", () => {
  let server: SseServer;
  let brain: OpenedBrain;
  before(async () => {
    server = await startSse(chatReply(1, { text: `Count them otherwise:\n\n\`\`\`js src/cart.js\n${code}\n\`\`\`\n` }));
    const settings = {
      "brain.provider": "openai-chat",
      "brain.baseUrl": server.baseUrl,
      "brain.model": "test",
      "brain.contextWindow": 128_000,
    };
    brain = await openBrain({ settings });
  });
  after(async () => {
    await server.close();
    await brain.close();
  });
  afterEach(async function () {
    if (this.currentTest?.state === "failed")
      console.log(`What it looked like: ${await brain.screenshot("e2e-failed")}`);
  });

  it("is proposed for the file that it names, and written once it is accepted", async () => {
    const { panel, page, workspace } = brain;
    const read = (): Promise<string> => readFile(path.join(workspace, "src/cart.js"), "utf8");
    const before = await read();
    await panel.getByRole("textbox", { name: "Message to Brain" }).fill("How?");
    await panel.getByRole("button", { name: "Send" }).click();
    await panel.getByText(/Worked/).waitFor();
    const apply = panel.getByRole("button", { name: "Apply this js code to a file" });
    await apply.focus();
    await apply.press("Enter");
    const lens = page.locator(".editor.modified .codelens-decoration a").filter({ hasText: "Accept" });
    await lens.first().waitFor();
    await brain.screenshot("applying");
    assert.equal(await read(), before, "it was written before anybody had decided");
    await lens.first().click();
    await page.getByText("The code was applied to “src/cart.js”.").first().waitFor();
    assert.equal(
      await read(),
      before.replace("cart.items.reduce((sum, item) => sum + item.quantity, 0)", "cart.items.length"),
    );
    await page.getByRole("button", { name: "Undo" }).last().click();
    while ((await read()) !== before) await page.waitForTimeout(50);
  });
});
