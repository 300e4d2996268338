// Tools with masked results: neither the result, its value nor the live output holds a secret, and no file loses one.
import assert from "node:assert/strict";
import type { Tool } from "../../../src/engine/ports.ts";
import { createKnownSecrets } from "../../../src/tools/knownSecrets.ts";
import { withMaskedResults, type Masking } from "../../../src/tools/masked.ts";
import { callContext } from "../../support/kit.ts";
import { openPlace, ready, refusal, type Place } from "./place.ts";

const { signal } = new AbortController();
const token = `ghp_${"aB3dE6gH9j".repeat(4).slice(0, 36)}`;
const mask = "[masked: GitHub token]";

const masking = (enabled = true, keep: Masking["keep"] = () => undefined): Masking => ({
  enabled: () => enabled,
  known: createKnownSecrets(),
  keep,
});

async function run(place: Place, name: string, params: Readonly<Record<string, unknown>>, enabled = true) {
  let shown = "";
  const tool = withMaskedResults(place.tool(name), masking(enabled));
  const prepared = ready(await tool.prepare(params, new AbortController().signal, "call"));
  const result = await prepared.run(callContext(new AbortController().signal, (chunk) => (shown += chunk)));
  return { ...result, shown };
}

describe("Masked results", () => {
  it("keeps secrets from the model, also as values and while a command runs", async () => {
    await using place = await openPlace();
    await place.put("notes.txt", `one\n${token}\n`);
    assert.match((await run(place, "read_file", { path: "notes.txt" })).content, /\[masked: GitHub token\]/);
    assert.match((await run(place, "search_text", { pattern: "ghp_" })).content, /\[masked: GitHub token\]/);
    const cut = `printf %s ${token.slice(0, 20)}; sleep 0.2; printf '%s\n' ${token.slice(20)}`;
    const ran = await run(place, "run_command", { command: cut });
    assert.deepEqual([ran.content, ran.value, ran.shown], [`${mask}\n\nexit code 0`, `${mask}\n`, `${mask}\n`]);
  });

  it("masks what a refused call quotes", async () => {
    await using place = await openPlace();
    await place.put("a.txt", `token ${token}\nlast line\n`);
    const tool = withMaskedResults(place.tool("edit_file"), masking());
    const edits = [{ old_text: "token x\nlast line", new_text: "y" }];
    const asked = await tool.prepare({ path: "a.txt", edits }, new AbortController().signal, "call");
    assert.doesNotMatch(refusal(asked), /ghp_/);
  });

  it("does not let a mask be written over the secret that it stands for", async () => {
    await using place = await openPlace();
    await place.put("a.txt", token);
    const tool = withMaskedResults(place.tool("write_file"), masking());
    const asked = await tool.prepare({ path: "a.txt", content: `x\n${mask}\n` }, new AbortController().signal, "call");
    assert.match(refusal(asked), /stands for a secret that is in the file/);
    assert.equal(await place.get("a.txt"), token);
  });

  it("keeps for a person what it has masked, and nothing else", async () => {
    await using place = await openPlace();
    await place.put("notes.txt", `one\n${token}\n`);
    await place.put("plain.txt", "two\n");
    const kept: unknown[] = [];
    const keep: Masking["keep"] = ({ sessionId, toolCallId }, text) => void kept.push([sessionId, toolCallId, text]);
    for (const path of ["notes.txt", "plain.txt"]) {
      const prepared = await withMaskedResults(place.tool("read_file"), masking(true, keep)).prepare(
        { path },
        new AbortController().signal,
        "call",
      );
      await ready(prepared).run(callContext(signal));
    }
    const { sessionId, toolCallId } = callContext(signal);
    assert.equal(kept.length, 1);
    assert.deepEqual(kept.flat().slice(0, 2), [sessionId, toolCallId]);
    assert.ok(String(kept.flat().at(2)).endsWith(`one\n${token}`));
  });

  it("masks the diff of a change and keeps the change itself true, also as a person revises it", async () => {
    await using place = await openPlace();
    await place.put("a.txt", `token ${token}\nlast\n`);
    const tool = withMaskedResults(place.tool("edit_file"), masking());
    const edits = [{ old_text: "last", new_text: "end" }];
    const first = ready(await tool.prepare({ path: "a.txt", edits }, new AbortController().signal, "call"));
    assert.equal(first.proposals?.[0]?.after, `token ${token}\nend\n`);
    const revised = ready(first.revised?.([`token ${token}\nthe end\n`]) ?? first);
    for (const { preview } of [first, revised]) {
      assert.ok(preview?.kind === "diff" && preview.patch.includes(mask));
      assert.doesNotMatch(preview.patch, /ghp_/);
    }
    const { content } = await revised.run(callContext(signal));
    assert.doesNotMatch(content, /ghp_/);
    assert.equal(await place.get("a.txt"), `token ${token}\nthe end\n`);
  });

  it("masks what a command asks and what a tool throws", async () => {
    await using place = await openPlace();
    const asked: string[] = [];
    const enter = (prompt: string): Promise<string> => Promise.resolve((asked.push(prompt), "yes\n"));
    const asks: Tool = {
      ...place.tool("run_command"),
      prepare: () =>
        Promise.resolve({
          kind: "prepared",
          params: {},
          label: { verb: "", subject: "" },
          run: async (context) => ({
            status: "succeeded",
            content: (await context.enter(`Is ${token} right? `, signal)) ?? "",
          }),
        }),
    };
    const prepared = await withMaskedResults(asks, masking()).prepare({}, signal, "call");
    await ready(prepared).run({ ...callContext(signal), enter });
    assert.deepEqual(asked, [`Is ${mask} right? `]);
    const thrown = (): Promise<never> => Promise.reject(new Error(`no ${token}`));
    const throwing = withMaskedResults({ ...place.tool("read_file"), prepare: thrown }, masking());
    await assert.rejects(throwing.prepare({}, new AbortController().signal, "call"), {
      message: `no ${mask}`,
    });
  });

  it("can be switched off", async () => {
    await using place = await openPlace();
    await place.put("notes.txt", token);
    assert.ok((await run(place, "read_file", { path: "notes.txt" }, false)).content.includes(token));
  });
});
