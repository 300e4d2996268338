// An extension that brings language models to VS Code, for the tests of Brain's own use of them: one that works with tools, one that never ends, one that refuses.
const vscode = require("vscode");

const common = { version: "1", maxInputTokens: 40_000, maxOutputTokens: 4_000, capabilities: { toolCalling: true } };
const models = [
  { ...common, id: "worker-1", family: "worker", name: "Fake Worker" },
  { ...common, id: "endless-1", family: "endless", name: "Fake Endless" },
  { ...common, id: "refusing-1", family: "refusing", name: "Fake Refusing" },
];

/** What was asked, and how often a request was cancelled. */
const seen = { requests: [], cancelled: 0 };

const partsOf = (messages) => messages.flatMap(({ content }) => content);

async function reply(messages, options, progress) {
  const results = partsOf(messages).filter((part) => part instanceof vscode.LanguageModelToolResultPart);
  const [result] = results;
  if (result === undefined && options.tools.some(({ name }) => name === "read_file")) {
    progress.report(new vscode.LanguageModelTextPart("Let me look."));
    return progress.report(new vscode.LanguageModelToolCallPart("call-1", "read_file", { path: "src/cart.js" }));
  }
  const text = result?.content.map((part) => part.value).join("") ?? "nothing";
  return progress.report(new vscode.LanguageModelTextPart(`It has ${text.length > 100 ? "much" : "little"} in it.`));
}

const provider = {
  provideLanguageModelChatInformation: async () => models,
  async provideLanguageModelChatResponse(model, messages, ...[options, progress, token]) {
    seen.requests.push({ model: model.id, roles: messages.map(({ role }) => role), tools: options.tools?.length ?? 0 });
    if (model.family === "refusing") throw vscode.LanguageModelError.Blocked("Nothing is left of this month.");
    if (model.family === "worker") return reply(messages, options, progress);
    progress.report(new vscode.LanguageModelTextPart("On and on"));
    return new Promise((resolve) => {
      token.onCancellationRequested(() => {
        seen.cancelled += 1;
        resolve();
      });
    });
  },
  provideTokenCount: async (_model, text) => (typeof text === "string" ? Math.ceil(text.length / 4) : 1),
};

exports.activate = (context) => {
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider("fake", provider));
  return seen;
};
