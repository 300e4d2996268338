// What the suites in the extension host share: running tasks through the palette's commands and waiting for things to be true.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import type { Outcome } from "../../src/engine/run.ts";
import { Entry } from "../../src/protocol/messages.ts";

/** The folder that is open. */
export function folder(): string {
  const [first] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(first, "no folder is open");
  return first.uri.fsPath;
}

export const inFolder = (...names: readonly string[]): string => path.join(folder(), ...names);

/** Polls until the value is there; fails with the words when it never comes. */
export async function until<T>(what: string, look: () => T | PromiseLike<T>, limit = 45_000): Promise<NonNullable<T>> {
  const deadline = Date.now() + limit;
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== null && value !== false) return value;
    if (Date.now() > deadline) throw new Error(`never came: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Starts a task in a new session. */
export async function begin(message: string, agent = "coder"): Promise<{ outcome: Promise<Outcome> }> {
  await vscode.commands.executeCommand("brain.newSession");
  return { outcome: Promise.resolve(vscode.commands.executeCommand<Outcome>("brain.runAgent", { agent, message })) };
}

/** One step back in a document's editor, as by its key; asked again only while nothing has come of it, as when the focus had not come yet. */
export async function undoIn(document: vscode.TextDocument): Promise<void> {
  const { version } = document;
  await until("the step back", async () => {
    await vscode.window.showTextDocument(document, vscode.window.activeTextEditor?.viewColumn);
    await vscode.commands.executeCommand("undo");
    return until("a change", () => document.version !== version, 5_000).catch(() => false);
  });
}

/** Approves the next call as soon as one waits. */
export async function approveNext(): Promise<void> {
  await until("a waiting call", () => vscode.commands.executeCommand<boolean | undefined>("brain.approveCall"));
}

/** Approves whatever waits until the run has ended: where there is a sandbox, commands in it do not ask. */
export async function approveRest<T>(outcome: Promise<T>): Promise<T> {
  let ended = false;
  const mark = (): void => void (ended = true);
  outcome.then(mark, mark);
  await until("the end of the run", async () => {
    if (!ended) await vscode.commands.executeCommand("brain.approveAll");
    return ended;
  });
  return outcome;
}

/** The transcript of a session, each line checked. */
export async function transcript(sessionId: string, dir = inFolder(".brain")): Promise<Entry[]> {
  const text = await readFile(path.join(dir, "sessions", sessionId, "transcript.jsonl"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => Entry.parse(JSON.parse(line)));
}

export async function exists(file: string): Promise<boolean> {
  return (await readdir(path.dirname(file)).catch((): string[] => [])).includes(path.basename(file));
}

/** Points Brain at an endpoint for as long as the work takes. */
export async function withEndpoint<T>(baseUrl: string, work: () => Promise<T>): Promise<T> {
  const settings = vscode.workspace.getConfiguration("brain");
  const set = async (values: Record<string, unknown>): Promise<void> => {
    for (const [name, value] of Object.entries(values))
      await settings.update(name, value, vscode.ConfigurationTarget.Global);
  };
  // A window that is set is not asked for: the first request is the run's.
  await set({ provider: "openai-chat", baseUrl, model: "test", contextWindow: 128_000 });
  try {
    return await work();
  } finally {
    await set({ provider: undefined, baseUrl: undefined, model: undefined, contextWindow: undefined });
  }
}

/** The lenses of Brain in a document. */
export async function lensesOf(uri: vscode.Uri): Promise<readonly vscode.Command[]> {
  const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>("vscode.executeCodeLensProvider", uri);
  return lenses.flatMap(({ command }) => (command?.command.startsWith("brain.") ? [command] : []));
}

/** Presses the lens with this word at a hunk, counted from 1. */
export async function press(uri: vscode.Uri, word: string, number: number): Promise<void> {
  const command = await until(`a lens ${word} ${number}`, async () => {
    const lenses = (await lensesOf(uri)).filter(({ title }) => title.includes(word));
    return lenses[number - 1];
  });
  await vscode.commands.executeCommand(command.command, ...(command.arguments ?? []));
}
