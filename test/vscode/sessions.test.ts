// Sessions in a real window: renamed, forked, exported, deleted and restored through the palette's commands; emptied trash.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import { isMessage } from "../../src/protocol/messages.ts";
import { chatReply } from "../support/chatWire.ts";
import { startSse } from "../support/sse.ts";
import { begin, exists, inFolder, transcript, withEndpoint } from "./flow.ts";

const command = <T>(name: string, argument?: object): Thenable<T> =>
  vscode.commands.executeCommand<T>(`brain.${name}`, argument);

describe("sessions in the window", () => {
  it("are renamed, forked, exported, deleted and restored", async () => {
    const server = await startSse(chatReply(1, { text: "Hello." }), chatReply(2, { text: "In the fork." }));
    try {
      await withEndpoint(server.baseUrl, async () => {
        const { sessionId } = await (await begin("Say hello")).outcome;
        assert.equal(await command<string>("renameSession", { title: "Greetings" }), "Greetings");
        const original = await transcript(sessionId);
        assert.equal(original.at(-1)?.["title"], "Greetings");

        const fork = await command<string>("forkSession");
        assert.notEqual(fork, sessionId);
        await command("runAgent", { message: "And again" });
        const said = (await transcript(fork)).flatMap((entry) =>
          isMessage(entry) && entry.role === "user" ? [entry.content] : [],
        );
        assert.deepEqual(said, ["Say hello", "And again"]);
        assert.deepEqual(await transcript(sessionId), original);

        const file = inFolder("hello.md");
        assert.equal(await command<string>("exportSession", { session: sessionId, file }), file);
        assert.match(await readFile(file, "utf8"), /^# Greetings\n[^]*> Say hello\n\nHello\.\n/);

        await command("deleteSession", { session: fork });
        assert.equal(await exists(inFolder(".brain", "sessions", fork)), false);
        assert.ok(await exists(inFolder(".brain", "trash", "sessions", fork)));
        assert.equal(await command<string>("restoreSession", { session: fork }), fork);
        assert.equal((await transcript(fork)).at(-1)?.["status"], "completed");
      });
    } finally {
      await server.close();
    }
  });

  it("are opened by their id, and go on from there", async () => {
    const older = (await (await begin("Which one is older?")).outcome).sessionId;
    await (
      await begin("What is Brain?")
    ).outcome;
    await command("openSession", { session: older });
    assert.equal(await command<string>("renameSession", { title: "Opened" }), "Opened");
    assert.equal((await transcript(older)).at(-1)?.["title"], "Opened");
  });
});
