// What VS Code loads: registers the view and the commands at once, and everything behind them when it is first used.
import * as vscode from "vscode";
import type { BrainApi } from "./host/agentApi.ts";
import type { Host } from "./host/main.ts";
import { openPanel } from "./host/panelView.ts";
import { commands, type CommandName } from "./protocol/commands.ts";
import { languages } from "./protocol/languages.ts";

interface Extension {
  readonly activate: (context: vscode.ExtensionContext) => BrainApi;
  /** Ends what runs, so that no process outlives the window. */
  readonly deactivate: () => Promise<void>;
}

function createExtension(): Extension {
  let loaded: Promise<Host> | null = null;
  return {
    activate(context) {
      const host = (): Promise<Host> =>
        (loaded ??= import("./host/main.ts").then(({ createHost }) => createHost(context)));
      const names = Object.keys(commands).filter((name): name is CommandName => name in commands);
      const show = async (place: vscode.WebviewView | vscode.WebviewPanel): Promise<void> => {
        const panel = openPanel(place, context.extensionUri);
        // Loading takes the thread that the first paint needs.
        await panel.drawn;
        (await host()).showPanel(panel);
      };
      context.subscriptions.push(
        vscode.window.registerWebviewViewProvider("brain.chat", { resolveWebviewView: show }),
        vscode.window.registerWebviewPanelSerializer("brain.editor", {
          // The page is loaded once this has answered.
          deserializeWebviewPanel: (place) => Promise.resolve(void show(place)),
        }),
        ...names.map((name) =>
          vscode.commands.registerCommand(`brain.${name}`, async (...given: readonly unknown[]) =>
            (await host()).runCommand(name, given),
          ),
        ),
      );
      // What waits for Keep or Undo is marked before anybody opens the panel.
      if (context.workspaceState.get<boolean>("brain.changed") === true) void host();
      followLanguages(context);
      offerAtProblems(context);
      return {
        invokeAgent: async (...asked) => (await host()).startAgent(...asked).result,
        startAgent: async (...asked) => (await host()).startAgent(...asked),
      };
    },
    deactivate: async () => (await loaded)?.dispose(),
  };
}

/** Help for agents' files is loaded with the first of them. */
function followLanguages({ subscriptions }: vscode.ExtensionContext): void {
  let ids: readonly string[] = Object.values(languages);
  const opened = vscode.workspace.onDidOpenTextDocument((document) => look(document));
  const look = ({ languageId }: vscode.TextDocument): void => {
    if (!ids.includes(languageId)) return;
    opened.dispose();
    ids = [];
    void import("./host/authoring.ts").then(({ registerAuthoring }) => subscriptions.push(registerAuthoring()));
  };
  subscriptions.push(opened);
  vscode.workspace.textDocuments.forEach(look);
}

function offerAtProblems({ subscriptions }: vscode.ExtensionContext): void {
  const provideCodeActions: vscode.CodeActionProvider["provideCodeActions"] = async (document, _, { diagnostics }) =>
    diagnostics.length === 0 ? [] : (await import("./host/problemActions.ts")).problemActions(document, diagnostics);
  const kinds = { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] };
  subscriptions.push(vscode.languages.registerCodeActionsProvider({ scheme: "file" }, { provideCodeActions }, kinds));
}

export const { activate, deactivate } = createExtension();
