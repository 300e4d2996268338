// Before a run: the key that a person enters, Restricted Mode, and a model that cannot be reached.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { chatReply, httpError } from "../support/chatWire.ts";
import { openBrain, type OpenedBrain } from "../support/e2e.ts";
import { runFromPalette } from "../support/palette.ts";
import { startJson } from "../support/jsonServer.ts";
import { startSse } from "../support/sse.ts";

const send = async ({ panel, page }: OpenedBrain, text: string): Promise<void> => {
  await panel.getByRole("textbox", { name: "Message to Brain" }).click();
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
};

describe("setting up", () => {
  it("a wrong key leads to the box for a new one; the key goes to its endpoint only and is kept in no file", async () => {
    const server = await startSse(
      httpError(401, "Incorrect API key provided"),
      chatReply(2, { text: "The key fits." }),
    );
    const brain = await openBrain({
      settings: {
        "brain.provider": "openai-chat",
        "brain.baseUrl": server.baseUrl,
        "brain.model": "test",
        "brain.contextWindow": 128_000,
      },
    });
    try {
      await send(brain, "Hello");
      await brain.panel.getByRole("button", { name: /key/i }).first().click();
      const box = brain.page.locator(".quick-input-widget input[type=password]");
      await box.waitFor();
      await brain.screenshot("set-key-dark");
      await brain.page.keyboard.type("sk-secret-123");
      await brain.page.keyboard.press("Enter");
      await box.waitFor({ state: "hidden" });
      await send(brain, "Hello again");
      await brain.panel.getByText("The key fits.").waitFor();
      assert.equal(server.asked[0]?.headers.authorization === "Bearer sk-secret-123", false);
      assert.equal(server.asked[1]?.headers.authorization, "Bearer sk-secret-123");
      const { execFileSync } = await import("node:child_process");
      assert.throws(
        () => execFileSync("grep", ["-rl", "sk-secret-123", brain.workspace]),
        "the key was written into the folder",
      );
    } finally {
      await brain.close();
      await server.close();
    }
  });

  it("a model is set up from the panel: provider, address, key, model, one try, and the next task goes there", async () => {
    const list = { data: [{ id: "tiny-1" }, { id: "tiny-2" }] };
    const refused = { status: 401, body: { error: { message: "Missing key" } } };
    const server = await startJson({
      "GET /v1/models": [refused, { body: list }],
      "POST /v1/chat/completions": { body: chatReply(1, { text: "Here I am." }).parts?.join("") },
      "GET /props": { body: { default_generation_settings: { n_ctx: 24_000 } } },
    });
    const brain = await openBrain();
    const { page, panel } = brain;
    const enter = async (prompt: string | RegExp, text: string): Promise<void> => {
      await page.locator(".quick-input-widget", { hasText: prompt }).waitFor();
      await page.locator(".quick-input-widget input").first().fill(text);
      await page.keyboard.press("Enter");
    };
    try {
      await panel.getByRole("button", { name: "Set up a model" }).click();
      await page.locator(".quick-input-list .monaco-list-row", { hasText: "llama.cpp" }).first().waitFor();
      await brain.screenshot("set-up-providers-dark");
      await enter("llama.cpp", "llama.cpp");
      await enter("Address of llama.cpp", `${server.root}/v1`);
      await enter("asks for a key", "sk-mine");
      await page.locator(".quick-input-list .monaco-list-row", { hasText: "tiny-2" }).first().waitFor();
      await brain.screenshot("set-up-models-dark");
      await enter("tiny-2", "tiny-2");
      await page
        .getByText(/tiny-2 at 127\.0\.0\.1:\d+ answered.*24,000 tokens/)
        .first()
        .waitFor();
      await panel.getByTitle(/Model: tiny-2 at openai-chat/).waitFor();
      await send(brain, "Hello");
      await panel.getByText("Here I am.").waitFor();
      const asked = server.asked.slice(1);
      assert.ok(asked.every(({ headers }) => headers.authorization === "Bearer sk-mine"));
      assert.equal(JSON.parse(asked.at(-1)?.body ?? "{}").model, "tiny-2");
    } finally {
      await brain.close();
      await server.close();
    }
  });

  it("Restricted Mode says so, reads, and writes nothing into the folder", async () => {
    const brain = await openBrain({ trust: false });
    try {
      await brain.panel
        .getByText(/Restricted Mode/)
        .first()
        .waitFor();
      await brain.screenshot("restricted-dark");
      await send(brain, "Fix the failing test");
      await brain.panel.getByText(/Worked/).waitFor();
      assert.ok(!(await readdir(brain.workspace)).includes(".brain"));
    } finally {
      await brain.close();
    }
  });

  it("“Brain: Run Agent” asks for the agent and the task, and the panel follows", async () => {
    const brain = await openBrain();
    try {
      await runFromPalette(brain.page, "Brain: Run Agent");
      await brain.page.locator(".quick-input-title", { hasText: "Agent" }).waitFor();
      await brain.page.keyboard.press("Enter");
      await brain.page.locator(".quick-input-title", { hasText: "Run coder" }).waitFor();
      await brain.page.keyboard.type("What are you?");
      await brain.page.keyboard.press("Enter");
      await brain.panel.getByText("What are you?").waitFor();
      await brain.panel
        .getByText(/scripted/i)
        .first()
        .waitFor();
      await brain.panel.getByText(/Worked/).waitFor();
    } finally {
      await brain.close();
    }
  });
});

describe("how it looks", () => {
  for (const theme of ["light", "high-contrast"] as const) {
    it(`in ${theme}, with an edit waiting`, async () => {
      const brain = await openBrain({ theme, settings: { "brain.sandbox": "off" } });
      try {
        await brain.panel.getByRole("button", { name: "Fix the failing test" }).click();
        await brain.panel.locator("li.pending-row").first().waitFor();
        await brain.screenshot(`pending-${theme}`);
        await brain.panel
          .locator("li.pending-row")
          .first()
          .getByRole("button", { name: /^Approve/ })
          .click();
        await brain.panel
          .locator("li.pending-row")
          .filter({ hasText: "Run" })
          .getByRole("button", { name: /^Approve/ })
          .click();
        await brain.panel.getByText(/Worked/).waitFor();
        await brain.screenshot(`finished-${theme}`);
      } finally {
        await brain.close();
      }
    });
  }
});
