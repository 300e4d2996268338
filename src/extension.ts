// What VS Code loads: registers the view and the commands at once, and everything behind them when it is first used.
import * as vscode from "vscode";
import type { BrainApi } from "./host/agentApi.ts";
import type { Host } from "./host/main.ts";
import { openPanel } from "./host/panelView.ts";
import { commands, type CommandName } from "./protocol/commands.ts";

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
      context.subscriptions.push(
        vscode.window.registerWebviewViewProvider("brain.chat", {
          resolveWebviewView: async (view) => {
            const panel = openPanel(view, context.extensionUri);
            // Loading takes the thread that the first paint needs.
            await panel.drawn;
            (await host()).showPanel(panel);
          },
        }),
        ...names.map((name) =>
          vscode.commands.registerCommand(`brain.${name}`, async (...given: readonly unknown[]) =>
            (await host()).runCommand(name, given),
          ),
        ),
      );
      // What waits for Keep or Undo is marked before anybody opens the panel.
      if (context.workspaceState.get<boolean>("brain.changed") === true) void host();
      return {
        invokeAgent: async (...asked) => (await host()).startAgent(...asked).result,
        startAgent: async (...asked) => (await host()).startAgent(...asked),
      };
    },
    deactivate: async () => (await loaded)?.dispose(),
  };
}

export const { activate, deactivate } = createExtension();
