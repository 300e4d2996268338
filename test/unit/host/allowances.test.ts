// Answers about endpoints that agents' files name: asked once for each file and origin, and never for a key of another.
import assert from "node:assert/strict";
import { createAllowances, type EndpointAnswer } from "../../../src/host/allowances.ts";

const question = { origin: "https://models.example", file: "a.prompty", variables: [] };

function answering(...answers: readonly EndpointAnswer[]) {
  const asked: string[] = [];
  const kept: string[] = [];
  const confirm = createAllowances({
    ask: ({ origin, file }) => Promise.resolve(answers[asked.push(`${file} ${origin}`) - 1] ?? { allowed: false }),
    keepKey: (origin, key) => Promise.resolve(void kept.push(`${origin} ${key}`)),
  });
  return { confirm, asked, kept };
}

describe("endpoints that files name", () => {
  it("are asked about once, also by runs at the same time; another origin or file is asked about again", async () => {
    const { confirm, asked } = answering({ allowed: true }, { allowed: true });
    assert.deepEqual(await Promise.all([confirm(question), confirm(question)]), [true, true]);
    assert.equal(await confirm(question), true);
    assert.equal(asked.length, 1);
    assert.equal(await confirm({ ...question, origin: "https://other.example" }), true);
    assert.equal(await confirm({ ...question, file: "b.prompty" }), false);
    assert.deepEqual(asked, [
      "a.prompty https://models.example",
      "a.prompty https://other.example",
      "b.prompty https://models.example",
    ]);
  });

  it("are asked about again when the file reads other variables: their values would go there", async () => {
    const { confirm, asked } = answering({ allowed: true }, { allowed: false });
    assert.equal(await confirm(question), true);
    assert.equal(await confirm({ ...question, variables: ["STRIPE_LIVE"] }), false);
    assert.equal(asked.length, 2);
  });

  it("that were refused may be asked about again", async () => {
    const { confirm, asked } = answering({ allowed: false }, { allowed: true });
    assert.equal(await confirm(question), false);
    assert.equal(await confirm(question), true);
    assert.equal(asked.length, 2);
  });

  it("are given the key that the person has typed for them", async () => {
    const { confirm, kept } = answering({ allowed: true, key: "k" });
    await confirm(question);
    assert.deepEqual(kept, ["https://models.example k"]);
  });
});
