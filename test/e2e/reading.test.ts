// A session in the panel that a command line works in: read along, taken over with a click, and written in from there.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";

import type { Locator } from "playwright-core";
import { Entry, isMessage } from "../../src/protocol/messages.ts";
import { chatReply } from "../support/chatWire.ts";
import { openBrain, type OpenedBrain } from "../support/e2e.ts";
import { root } from "../support/run.ts";
import { startSse, type SseServer } from "../support/sse.ts";

async function sessionIn({ workspace }: OpenedBrain): Promise<string> {
  const [session] = await readdir(path.join(workspace, ".brain/sessions"));
  assert.ok(session);
  return session;
}

async function transcript({ workspace }: OpenedBrain, session: string): Promise<Entry[]> {
  const text = await readFile(path.join(workspace, ".brain/sessions", session, "transcript.jsonl"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => Entry.parse(JSON.parse(line)));
}

/** `brain run` in the same folder and session. */
function commandLine({ workspace }: OpenedBrain, session: string, baseUrl: string): ChildProcess {
  const where = ["--workspace", workspace, "--session", session, "--provider", "openai-chat", "--base-url", baseUrl];
  const args = ["run", ...where, "--model", "test", "--message", "Look around for a while"];
  return spawn(process.execPath, [path.join(root, "src/cli.ts"), ...args], { stdio: "ignore" });
}

const composer = ({ panel }: OpenedBrain): Locator => panel.getByRole("textbox", { name: "Message to Brain" });

describe("a session that a command line works in", () => {
  let server: SseServer;
  let brain: OpenedBrain;
  before(async () => {
    server = await startSse(
      chatReply(1, { text: "Here I am." }),
      chatReply(2, { text: "I look first.", calls: [["read_file", { path: "package.json" }]] }),
      { parts: [": waits\n\n"], ending: "hang" },
      chatReply(4, { text: "Now it is mine." }),
    );
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

  it("is read along in the panel, and taken over there: the other ends with all it has done kept", async () => {
    const { panel } = brain;
    const send = panel.getByRole("button", { name: "Send" });
    await composer(brain).fill("Hello");
    await send.click();
    await panel.getByText("Here I am.").waitFor();
    await panel.getByText(/Worked/).waitFor();
    const session = await sessionIn(brain);
    const other = commandLine(brain, session, server.baseUrl);
    const ended = new Promise<number | null>((resolve) => other.once("close", resolve));
    try {
      await panel.getByRole("note").getByText("You are reading along.").waitFor();
      await panel.getByText("Look around for a while").first().waitFor();
      await panel.getByText("I look first.").first().waitFor();
      await brain.screenshot("reading-along");
      await composer(brain).fill("Mine now");
      await composer(brain).press("Enter");
      await panel.getByText("What you type is kept.").waitFor();
      await panel.getByRole("button", { name: "Take Over" }).click();
      assert.equal(await ended, 130);
      await panel.locator(".banner").waitFor({ state: "detached" });
      await send.click();
      await panel.getByText("Now it is mine.").first().waitFor();
    } finally {
      other.kill();
      await ended;
    }
    await panel
      .getByText(/Worked/)
      .nth(1)
      .waitFor();
    const entries = await transcript(brain, session);
    const said = entries.flatMap((entry) => (isMessage(entry) && entry.role === "user" ? [entry.content] : []));
    assert.deepEqual(said, ["Hello", "Look around for a while", "Mine now"]);
    const ends = entries.flatMap((entry) => (!isMessage(entry) && entry.type === "run_end" ? [entry.status] : []));
    assert.deepEqual(ends, ["completed", "aborted", "completed"]);
  });
});
