// Ways out of the workspace, tried by a model in a real window: through links, names and encodings, with every tool, none leads out.
import assert from "node:assert/strict";
import { mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { isMessage, type ToolEntry } from "../../src/protocol/messages.ts";
import { chatReply } from "../support/chatWire.ts";
import { startSse } from "../support/sse.ts";
import { approveRest, begin, inFolder, transcript, withEndpoint } from "./flow.ts";

const canary = "canary-51f2";

describe("BRAIN-EXEC-4 ways out of the workspace, in the window", () => {
  let outside = "";
  before(async () => {
    outside = await realpath(await mkdtemp(path.join(tmpdir(), "brain-outside-")));
    await writeFile(path.join(outside, "secret.txt"), canary);
    await writeFile(inFolder(".env"), `KEY=${canary}`);
    await symlink(outside, inFolder("out"));
    await symlink(path.join(outside, "secret.txt"), inFolder("plain.txt"));
    await symlink(".env", inFolder("settings.txt"));
  });
  after(async () => {
    for (const name of ["out", "plain.txt", "settings.txt", ".env"]) await rm(inFolder(name), { force: true });
    await rm(outside, { recursive: true, force: true });
  });

  it("are refused to each tool, and nothing outside is read or changed", async () => {
    const up = path.relative(inFolder(), path.join(outside, "secret.txt"));
    const paths = [
      path.join(outside, "secret.txt"),
      up,
      `src/../${up}`,
      "out/secret.txt",
      "plain.txt",
      "settings.txt",
      ".env",
      ".ENV",
      "./src/../.env",
      `file://${outside}/secret.txt`,
      `/proc/self/root${outside}/secret.txt`,
    ];
    const uses = paths.flatMap((name) => [
      ["read_file", { path: name }] as const,
      ["search_text", { path: name, pattern: "canary" }] as const,
      ["write_file", { path: name, content: "written" }] as const,
      ["delete_file", { path: name }] as const,
      ["move_file", { path: name, to: "moved.txt" }] as const,
    ]);
    const server = await startSse(chatReply(1, { calls: uses }), chatReply(2, { text: "None." }));
    try {
      await withEndpoint(server.baseUrl, async () => {
        const { outcome } = await begin("Get out.");
        const { sessionId } = await approveRest(outcome);
        const results = (await transcript(sessionId)).filter(
          (entry): entry is ToolEntry => isMessage(entry) && entry.role === "tool",
        );
        assert.equal(results.length, uses.length);
        for (const { name, content, status } of results) {
          assert.notEqual(status, "succeeded", `${name}: ${content}`);
          assert.ok(!content.includes(canary), `${name}: ${content}`);
        }
      });
    } finally {
      await server.close();
    }
    assert.equal(await readFile(path.join(outside, "secret.txt"), "utf8"), canary);
    assert.equal(await readFile(inFolder(".env"), "utf8"), `KEY=${canary}`);
  });
});
