// The models that VS Code offers, GitHub Copilot's among them: from its Language Model API to what Brain asks.
import * as vscode from "vscode";
import type { EditorChat, EditorPart } from "../providers/editorModel.ts";
import type { EditorContent, EditorMessage, EditorRequest } from "../providers/editorRequest.ts";

/** What VS Code tells the person when it asks whether Brain may use a model. */
const justification = vscode.l10n.t("Brain sends your messages, and what its tools read for you, to this model.");

/** Asks VS Code which models it has now, in its own order. */
export async function editorModels(): Promise<readonly EditorChat[]> {
  return (await vscode.lm.selectChatModels()).map(toChat);
}

function toChat(model: vscode.LanguageModelChat): EditorChat {
  const { vendor, id, family, name, maxInputTokens } = model;
  return {
    vendor,
    id,
    family,
    name: name === "" ? id : name,
    maxInputTokens,
    send: (request, signal) =>
      withToken(signal, async (token) => {
        const options = { justification, ...(request.tools.length > 0 && { tools: toolsOf(request) }) };
        return partsOf(await model.sendRequest(request.messages.map(toMessage), options, token));
      }),
    count: async (text, signal) => withToken(signal, async (token) => model.countTokens(text, token)),
  };
}

function toolsOf({ tools }: EditorRequest): vscode.LanguageModelChatTool[] {
  return tools.map((tool) => ({ ...tool }));
}

function toMessage({ role, parts }: EditorMessage): vscode.LanguageModelChatMessage {
  const content = parts.map((part) => {
    switch (part.type) {
      case "text":
      case "image":
        return toContent(part);
      case "call":
        return new vscode.LanguageModelToolCallPart(part.id, part.name, part.input);
      case "result":
        return new vscode.LanguageModelToolResultPart(part.id, part.content.map(toContent));
    }
  });
  const { User, Assistant } = vscode.LanguageModelChatMessageRole;
  return new vscode.LanguageModelChatMessage(role === "user" ? User : Assistant, content);
}

function toContent(part: EditorContent): vscode.LanguageModelTextPart | vscode.LanguageModelDataPart {
  return part.type === "text"
    ? new vscode.LanguageModelTextPart(part.text)
    : vscode.LanguageModelDataPart.image(Buffer.from(part.data, "base64"), part.mediaType);
}

async function* partsOf({ stream }: vscode.LanguageModelChatResponse): AsyncGenerator<EditorPart> {
  for await (const part of stream) {
    if (part instanceof vscode.LanguageModelTextPart) yield { type: "text", text: part.value };
    else if (part instanceof vscode.LanguageModelToolCallPart)
      yield { type: "call", id: part.callId, name: part.name, input: part.input };
    else yield* thoughtsOf(part);
  }
}

/** Thinking has no class in the stable API yet: it is a text, whole or in pieces, with an id. */
function* thoughtsOf(part: unknown): Generator<EditorPart> {
  if (typeof part !== "object" || part === null || !("value" in part) || !("id" in part)) return;
  const { value } = part;
  const text = Array.isArray(value) ? value.join("") : value;
  if (typeof text === "string") yield { type: "thinking", text };
}

/** Gives VS Code its own kind of signal, for as long as the reply may still be read. */
async function withToken<T>(signal: AbortSignal, work: (token: vscode.CancellationToken) => Promise<T>): Promise<T> {
  const source = new vscode.CancellationTokenSource();
  const cancel = (): void => source.cancel();
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel, { once: true });
  return work(source.token);
}
