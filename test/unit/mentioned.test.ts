// What a message names by `@`, through a whole run: neither rules nor masks have a way around them there.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createBrain } from "../../src/headless.ts";
import { chatReply } from "../support/chatWire.ts";
import { startSse } from "../support/sse.ts";

describe("what messages name", () => {
  let dir = "";
  beforeEach(async () => {
    dir = await realpath(await mkdtemp(path.join(tmpdir(), "brain-mentioned-")));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  async function asked(message: string): Promise<string> {
    const server = await startSse(chatReply(1, { text: "Done." }));
    const brain = createBrain({
      workspace: dir,
      provider: "openai-chat",
      baseUrl: server.baseUrl,
      model: "test",
      rules: [{ decision: "deny", path: "plans/**" }],
      sandbox: "off",
      log: () => undefined,
    });
    try {
      assert.equal((await brain.run({ message }).result).status, "completed");
      return JSON.stringify(server.asked);
    } finally {
      await brain.dispose();
      await server.close();
    }
  }

  it("a rule that denies a path denies it there, too", async () => {
    await mkdir(path.join(dir, "plans"));
    await writeFile(path.join(dir, "plans/next.md"), "to be kept back");
    await writeFile(path.join(dir, "open.md"), "to be read");
    const sent = await asked("See @plans/next.md and @open.md");
    assert.ok(sent.includes("to be read") && !sent.includes("to be kept back"));
  });

  it("lines out of the middle of a private key are masked", async () => {
    const begin = ["-----BEGIN", "RSA PRIVATE KEY-----"].join(" ");
    const end = ["-----END", "RSA PRIVATE KEY-----"].join(" ");
    const line = (letter: string): string => `MIIEow${letter.repeat(58)}`;
    await writeFile(path.join(dir, "notes.txt"), [begin, line("a"), line("b"), line("c"), end, ""].join("\n"));
    const sent = await asked("See @notes.txt:3-3");
    assert.ok(sent.includes("notes.txt:3-3") && !sent.includes(line("b")));
  });
});
