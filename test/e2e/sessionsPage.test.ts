// The page of sessions in a real window: from the button above the panel through search, pin and rename to an older session.
import assert from "node:assert/strict";
import { access, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { chatReply } from "../support/chatWire.ts";
import { openBrain } from "../support/e2e.ts";
import { runFromPalette } from "../support/palette.ts";
import { startSse } from "../support/sse.ts";

describe("the page of sessions", () => {
  it("finds an older session by what was said in it, pins, renames and opens it, finds more in it, and leaves the draft alone", async () => {
    const server = await startSse(
      chatReply(1, { text: "The needle is in the haystack." }),
      chatReply(2, { text: "Second." }),
    );
    const settings = {
      "brain.provider": "openai-chat",
      "brain.baseUrl": server.baseUrl,
      "brain.contextWindow": 128_000,
      "brain.model": "test",
    };
    const brain = await openBrain({ settings });
    const { panel, page, workspace } = brain;
    const ask = async (text: string, answer: string): Promise<void> => {
      await panel.getByRole("textbox", { name: "Message to Brain" }).fill(text);
      await page.keyboard.press("Enter");
      await panel.getByText(answer).waitFor();
      await panel.getByText(/^Worked/).waitFor();
    };
    try {
      await ask("Where is it?", "The needle is in the haystack.");
      await page.getByRole("button", { name: "New Session" }).click();
      await panel.getByText("The needle is in the haystack.").waitFor({ state: "detached" });
      await ask("Something else", "Second.");
      await panel.getByRole("textbox", { name: "Message to Brain" }).fill("half a sentence");
      await page.getByRole("button", { name: "Open Session" }).click();
      await panel.getByRole("row", { name: /^Something else\./ }).waitFor();
      await panel.getByRole("row", { name: /^Where is it\?/ }).waitFor();
      await panel.getByRole("searchbox").fill("haystack");
      await panel.getByText("Brain: The needle is in the haystack.").waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("p");
      await panel.getByRole("button", { name: "Unpin (P)" }).waitFor();
      await page.keyboard.press("F2");
      await page.keyboard.type("The needle");
      await page.keyboard.press("Enter");
      const row = panel.getByRole("row", { name: /^The needle\. Pinned\./ });
      await row.waitFor();
      await brain.screenshot("sessions-page");
      await row.press("Enter");
      await panel.locator(".transcript").getByText("The needle is in the haystack.").waitFor();
      assert.equal(await panel.getByRole("textbox", { name: "Message to Brain" }).inputValue(), "half a sentence");
      const find = panel.getByRole("search");
      await find.getByText("1 of 1").waitFor();
      assert.equal(await find.getByRole("textbox").inputValue(), "haystack");
      await page.keyboard.press("Escape");
      await find.waitFor({ state: "detached" });
      await panel.getByRole("textbox", { name: "Message to Brain" }).focus();
      await page.keyboard.press("Control+F");
      await find.waitFor();
      await page.keyboard.type("where  is");
      await find.getByText("1 of 1").waitFor();
      assert.equal(await find.getByRole("textbox").inputValue(), "where  is");
      await page.keyboard.press("Escape");
      await find.waitFor({ state: "detached" });
      await runFromPalette(page, "Brain: Find in Session");
      await find.waitFor();
      const pinned: string[] = [];
      for (const id of await readdir(path.join(workspace, ".brain/sessions"))) {
        const folder = path.join(workspace, ".brain/sessions", id);
        await access(path.join(folder, "pinned")).then(
          () => pinned.push(id),
          () => undefined,
        );
      }
      assert.equal(pinned.length, 1);
      const lines = await readFile(
        path.join(workspace, ".brain/sessions", pinned[0] ?? "", "transcript.jsonl"),
        "utf8",
      );
      assert.match(lines, /"type":"title".*"title":"The needle"/);
    } finally {
      await brain.close();
      await server.close();
    }
  });
});
