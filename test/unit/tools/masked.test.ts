// Tools with masked results: neither the result, its value nor the live output holds a secret, and no file loses one.
import assert from "node:assert/strict";
import { withMaskedResults } from "../../../src/tools/masked.ts";
import { callContext } from "../../support/kit.ts";
import { openPlace, ready, refusal, type Place } from "./place.ts";

const token = `ghp_${"aB3dE6gH9j".repeat(4).slice(0, 36)}`;
const mask = "[masked: GitHub token]";

async function run(place: Place, name: string, params: Readonly<Record<string, unknown>>, enabled = true) {
  let shown = "";
  const tool = withMaskedResults(place.tool(name), () => enabled);
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
    const tool = withMaskedResults(place.tool("edit_file"), () => true);
    const edits = [{ old_text: "token x\nlast line", new_text: "y" }];
    const asked = await tool.prepare({ path: "a.txt", edits }, new AbortController().signal, "call");
    assert.doesNotMatch(refusal(asked), /ghp_/);
  });

  it("does not let a mask be written over the secret that it stands for", async () => {
    await using place = await openPlace();
    await place.put("a.txt", token);
    const tool = withMaskedResults(place.tool("write_file"), () => true);
    const asked = await tool.prepare({ path: "a.txt", content: `x\n${mask}\n` }, new AbortController().signal, "call");
    assert.match(refusal(asked), /stands for a secret that is in the file/);
    assert.equal(await place.get("a.txt"), token);
  });

  it("can be switched off", async () => {
    await using place = await openPlace();
    await place.put("notes.txt", token);
    assert.ok((await run(place, "read_file", { path: "notes.txt" }, false)).content.includes(token));
  });
});
