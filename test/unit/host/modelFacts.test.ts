// What endpoints say of their models: asked of the right one, at the right time, and kept.
import assert from "node:assert/strict";
import { createFacts, type FactStore } from "../../../src/host/modelFacts.ts";
import type { Discovered } from "../../../src/providers/discover.ts";
import type { ModelFacts } from "../../../src/providers/knownModels.ts";

const home = { baseUrl: "http://127.0.0.1:11434/v1", apiKey: "", model: "qwen" };
const away = { baseUrl: "https://models.example/v1", apiKey: "sk-1", model: "big" };

/** @param answers what the endpoints say, one after the other; the last one again and again */
function facts(...answers: readonly ModelFacts[]) {
  let stored: unknown;
  const asked: Discovered[] = [];
  const time = { now: 1_000_000_000 };
  const store: FactStore = { get: () => stored, set: (said) => void (stored = JSON.parse(JSON.stringify(said))) };
  const discover = (endpoint: Discovered): Promise<ModelFacts> => {
    asked.push(endpoint);
    return Promise.resolve(answers[asked.length - 1] ?? answers.at(-1) ?? {});
  };
  return {
    asked,
    time,
    put: (value: unknown) => void (stored = value),
    ...createFacts({ store, now: () => time.now, discover }),
  };
}

describe("what is known of a model at its first use", () => {
  it("is asked of a server at home before the run, until it says how much it reads", async () => {
    const { learn, asked, of } = facts({ tools: true }, { tools: true, window: 8_192 });
    assert.deepEqual(await learn(home), { tools: true });
    assert.deepEqual(await learn(home), { tools: true, window: 8_192 });
    assert.deepEqual(await learn(home), { tools: true, window: 8_192 });
    assert.deepEqual(of(home.baseUrl, "qwen"), { tools: true, window: 8_192 });
    assert.deepEqual(asked, [home, home]);
  });

  it("is asked of another endpoint beside the run, once a day", async () => {
    const { learn, asked, time } = facts({}, { window: 64_000 });
    assert.deepEqual(await learn(away), {});
    await Promise.resolve();
    await learn(away);
    assert.equal(asked.length, 1);
    time.now += 86_400_001;
    assert.deepEqual(await learn(away), {}, "the run does not wait");
    await Promise.resolve();
    assert.deepEqual(await learn(away), { window: 64_000 });
    assert.equal(asked.length, 2);
  });

  it("is not asked where its maker says it, and not overruled by what trying has shown", async () => {
    const { learn, asked, put } = facts({ tools: true, window: 5_000 });
    await learn({ baseUrl: "https://api.openai.com/v1", apiKey: "sk-1", model: "gpt-6-sol" });
    assert.deepEqual(asked, []);
    put({ "http://127.0.0.1:11434 qwen": { tools: false } });
    assert.deepEqual(await learn(home), { tools: false, window: 5_000 });
  });
});
