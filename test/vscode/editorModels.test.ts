// VS Code's own models, brought by an extension of the tests: a run with tools, what it counts, stopping, and what VS Code refuses.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { isMessage } from "../../src/protocol/messages.ts";
import { begin, transcript, until } from "./flow.ts";

interface Seen {
  readonly requests: readonly { readonly model: string; readonly roles: readonly number[]; readonly tools: number }[];
  readonly cancelled: number;
}

async function withModel<T>(model: string, work: () => Promise<T>): Promise<T> {
  const settings = vscode.workspace.getConfiguration("brain");
  const set = async (values: Record<string, unknown>): Promise<void> => {
    for (const [name, value] of Object.entries(values))
      await settings.update(name, value, vscode.ConfigurationTarget.Global);
  };
  await set({ provider: "vscode", model });
  try {
    return await work();
  } finally {
    await set({ provider: undefined, model: undefined });
  }
}

describe("VS Code's own models", () => {
  let seen: Seen;
  before(async () => {
    const extension = vscode.extensions.getExtension<Seen>("brain-tests.fake-models");
    assert.ok(extension, "VS Code does not know the extension with the models");
    seen = await extension.activate();
    await until("the models", async () => (await vscode.lm.selectChatModels({ vendor: "fake" })).length === 3);
  });
  afterEach(() => vscode.commands.executeCommand("brain.stop"));

  it("do a task with tools, found by their family, and what they took is counted", () =>
    withModel("worker", async () => {
      const { outcome } = await begin("What is in the cart?");
      const { status, output, usage, sessionId, failure } = await outcome;
      assert.equal(failure, undefined);
      assert.equal(status, "completed");
      assert.equal(output, "It has much in it.");
      assert.ok(usage.input > 500 && usage.output > 5, JSON.stringify(usage));
      const messages = (await transcript(sessionId)).filter(isMessage);
      assert.deepEqual(
        messages.map(({ role, content }) => (role === "tool" ? role : content)),
        ["What is in the cart?", "Let me look.", "tool", "It has much in it."],
      );
      const [first, second] = seen.requests.slice(-2);
      const { User, Assistant } = vscode.LanguageModelChatMessageRole;
      assert.deepEqual(
        [first?.roles, second?.roles],
        [
          [User, User],
          [User, User, Assistant, User],
        ],
      );
      assert.ok((first?.tools ?? 0) > 5);
    }));

  it("hear of it when the run is stopped", () =>
    withModel("fake/endless-1", async () => {
      const before = seen.cancelled;
      const { outcome } = await begin("Go on and on.");
      await until("the request", () => seen.requests.at(-1)?.model === "endless-1");
      await vscode.commands.executeCommand("brain.stop");
      assert.equal((await outcome).status, "aborted");
      await until("the cancellation", () => seen.cancelled === before + 1);
    }));

  it("that refuse, or are not there, end the run with what to do", async () => {
    const failureWith = async (model: string) =>
      withModel(model, async () => {
        const { outcome } = await begin("Hello");
        return (await outcome).failure;
      });
    const refused = await failureWith("refusing");
    assert.deepEqual([refused?.code, refused?.action], ["quota_exhausted", "selectModel"]);
    assert.match(refused?.message ?? "", /Fake Refusing now: Nothing is left of this month/);
    const unknown = await failureWith("copilot/gpt-x");
    assert.deepEqual([unknown?.code, unknown?.action], ["model_not_found", "selectModel"]);
  });
});
