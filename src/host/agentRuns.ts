// An agent's file run from the editor: a form for its inputs, then the chat; and its prompt as the model would read it, beside the file.
import { realpath } from "node:fs/promises";
import * as vscode from "vscode";
import { asWritten } from "../agents/promptyChild.ts";
import { loadPrompty, readPromptyText } from "../agents/promptyFile.ts";
import { askableInputs, choicesFor, previewText, readInput, userText, writtenValue } from "../agents/promptyInputs.ts";
import type { Prompty, Property } from "../agents/promptyShape.ts";
import { toFailure } from "../protocol/errors.ts";
import { languages } from "../protocol/languages.ts";
import type { Params } from "../protocol/messages.ts";
import { agentFileOf } from "./authoring.ts";
import type { WorkspaceAccess } from "./workspace.ts";
import { told } from "./words.ts";

/** What was given for the inputs of prompts, by their real paths; until the window closes. */
export type GivenInputs = Map<string, Params>;

interface AgentRunParts {
  readonly workspace: Pick<WorkspaceAccess, "open">;
  readonly given: GivenInputs;
  /** Sends a message to an agent in the chat; asks for it, with what it may be already. */
  readonly run: (agent: string, message: string) => Promise<unknown>;
}

/** @param argument the file; else the one in the editor */
export async function runThisAgent({ workspace, given, run }: AgentRunParts, argument: unknown): Promise<void> {
  const document = await documentOf(argument);
  if (!document) return;
  if (document.isDirty) await document.save();
  const { composition, trusted } = workspace.open();
  if (!trusted) return void vscode.window.showWarningMessage(vscode.l10n.t("Trust this folder to run its agents."));
  const file = await realpath(document.uri.fsPath);
  const agents = await composition.agents.list();
  const paths = await Promise.all(
    agents.map(({ path }) => (path === null ? Promise.resolve(null) : realpath(path).catch(() => null))),
  );
  const agent = agents.find((_, index) => paths[index] === file);
  if (!agent) return void vscode.window.showWarningMessage(elsewhere);
  const { id, problems } = agent;
  if (problems.length > 0) return void vscode.window.showErrorMessage(problems.map(told).join(" "));
  if (agentFileOf(document) === "agent") return void (await run(id, ""));
  const loaded = await loadPrompty(file, { env: asWritten });
  if (!("prompty" in loaded)) return;
  const values = await askInputs(loaded.prompty, given.get(file) ?? {});
  if (values === null) return;
  given.set(file, values);
  await run(id, await userText(loaded.prompty, values));
}

const elsewhere = vscode.l10n.t(
  "Agents are run from .brain/agents, .github/agents or a folder of the setting brain.agentFolders: move this file to one of them.",
);

/** One box after the other; null when the person left. */
async function askInputs(prompty: Prompty, last: Params): Promise<Params | null> {
  const inputs = askableInputs(prompty);
  const values: Record<string, unknown> = {};
  for (const [index, input] of inputs.entries()) {
    const title = vscode.l10n.t("{0}: {1} ({2} of {3})", prompty.name, input.name, index + 1, inputs.length);
    const answer = await askInput(input, { title, usual: last[input.name] ?? input["default"] });
    if (answer === null) return null;
    if (answer.value !== undefined) values[input.name] = answer.value;
  }
  return values;
}

async function askInput(
  input: Property,
  { title, usual }: { readonly title: string; readonly usual: unknown },
): Promise<{ readonly value: unknown } | null> {
  const prompt = typeof input["description"] === "string" ? input["description"] : input.name;
  const choices = choicesFor(input);
  if (choices) {
    const items = choices.map((value) => ({ label: writtenValue(value), value, picked: value === usual }));
    const order = items.toSorted((a, b) => Number(b.picked) - Number(a.picked));
    return (await vscode.window.showQuickPick(order, { title, placeHolder: prompt })) ?? null;
  }
  const problemOf = (text: string): string | null => {
    const read = readInput(input, text);
    return "problem" in read ? read.problem : null;
  };
  const options = { title, prompt, value: writtenValue(usual), validateInput: problemOf, ignoreFocusOut: true };
  const text = await vscode.window.showInputBox(options);
  if (text === undefined) return null;
  const read = readInput(input, text);
  return "problem" in read ? null : read;
}

const scheme = "brain-prompt";

/** Shows the prompt beside its file, anew as it is written. */
export function createPreviews(given: GivenInputs): vscode.Disposable & { show(argument: unknown): Promise<void> } {
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const provider = vscode.workspace.registerTextDocumentContentProvider(scheme, {
    onDidChange: changed.event,
    provideTextDocumentContent: async ({ query }) => {
      const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(query, true));
      return contentOf(document, given);
    },
  });
  const follow = vscode.workspace.onDidChangeTextDocument(({ document }) => {
    if (agentFileOf(document) === "prompty") changed.fire(previewOf(document.uri));
  });
  return {
    async show(argument) {
      const document = await documentOf(argument);
      if (!document || document.languageId !== languages.prompty) return;
      if (!vscode.workspace.isTrusted)
        return void vscode.window.showWarningMessage(vscode.l10n.t("Trust this folder to see its prompts rendered."));
      const preview = await vscode.workspace.openTextDocument(previewOf(document.uri));
      const place = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: true };
      changed.fire(preview.uri);
      await vscode.window.showTextDocument(preview, place);
    },
    dispose: () => vscode.Disposable.from(provider, follow, changed).dispose(),
  };
}

function previewOf(uri: vscode.Uri): vscode.Uri {
  const name = uri.path.split("/").at(-1) ?? "prompt";
  return vscode.Uri.from({ scheme, path: `/${vscode.l10n.t("{0} (preview)", name)}.md`, query: uri.toString() });
}

async function contentOf(document: vscode.TextDocument, given: GivenInputs): Promise<string> {
  const path = document.uri.fsPath;
  const read = await readPromptyText(document.getText(), path, { env: asWritten });
  if ("problems" in read)
    return read.problems
      .map(
        ({ line, column, message }) => `${vscode.l10n.t("Line {0}, column {1}: {2}", line, column, told(message))}\n`,
      )
      .join("");
  const values = given.get(await realpath(path).catch(() => path)) ?? {};
  return previewText(read.prompty, values).catch((error: unknown) => `${told(toFailure(error).message)}\n`);
}

/** Null when there is none. */
async function documentOf(argument: unknown): Promise<vscode.TextDocument | null> {
  if (argument instanceof vscode.Uri) return vscode.workspace.openTextDocument(argument);
  const document = vscode.window.activeTextEditor?.document;
  if (document && agentFileOf(document)) return document;
  void vscode.window.showInformationMessage(vscode.l10n.t("Open a .prompty or the AGENT.md of an agent first."));
  return null;
}
