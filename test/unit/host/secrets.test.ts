// Keys: one for each endpoint, and from the environment only where a person lets them, for exactly their own hosts.
import assert from "node:assert/strict";
import { createKeys, type Keys } from "../../../src/host/secrets.ts";
import { LoopError } from "../../../src/protocol/errors.ts";

function keys(useEnvironment: boolean, environment: Record<string, string> = {}): Keys {
  const kept = new Map<string, string>();
  const secrets = {
    get: (name: string) => Promise.resolve(kept.get(name)),
    store: (name: string, value: string) => Promise.resolve(void kept.set(name, value)),
    delete: (name: string) => Promise.resolve(void kept.delete(name)),
    keys: () => Promise.resolve([...kept.keys()]),
    onDidChange: () => ({ dispose: () => undefined }),
  };
  return createKeys(secrets, { useEnvironment: () => useEnvironment, environment });
}

const environment = { OPENAI_API_KEY: " sk-open ", ANTHROPIC_API_KEY: "sk-ant", BRAIN_API_KEY: "sk-brain" };

describe("keys", () => {
  it("are kept for one origin, whatever the path", async () => {
    const all = keys(false);
    await all.set("https://models.example/v1", "sk-1");
    assert.equal(await all.get("https://models.example/v2/"), "sk-1");
    for (const other of ["http://models.example/v1", "https://models.example:444/v1", "https://eu.models.example/v1"])
      assert.equal(await all.get(other), "");
    await all.remove("https://models.example");
    assert.equal(await all.get("https://models.example/v1"), "");
  });

  it("come from no variable unless a person lets them", async () => {
    assert.equal(await keys(false, environment).get("https://api.openai.com/v1"), "");
  });

  it("of variables are for exactly their own hosts", async () => {
    const all = keys(true, environment);
    assert.equal(await all.get("https://api.openai.com/v1"), "sk-open");
    assert.equal(await all.get("https://api.anthropic.com"), "sk-ant");
    for (const other of [
      "http://api.openai.com/v1",
      "https://api.openai.com:8443/v1",
      "https://api.openai.com.example/v1",
      "https://eu.api.openai.com/v1",
      "http://127.0.0.1:11434/v1",
    ])
      assert.equal(await all.get(other), "");
  });

  it("that were set count before those of variables", async () => {
    const all = keys(true, environment);
    await all.set("https://api.openai.com/v1", "sk-set");
    assert.equal(await all.get("https://api.openai.com/v1"), "sk-set");
  });

  it("belong to addresses only", async () => {
    await assert.rejects(
      async () => keys(true).get("file:///etc/passwd"),
      (error) => error instanceof LoopError && error.code === "bad_setting",
    );
  });
});
