// Terminals that mirror what a call prints, for reading only: opened when a person asks for one, and never in their way.
import * as vscode from "vscode";
import type { PanelEvent } from "../protocol/events.ts";
import type { View } from "../protocol/view.ts";
import type { CallItem } from "../protocol/viewCall.ts";

export interface Terminals extends vscode.Disposable {
  /** Opens the terminal of a call, or shows the one that is open. */
  show(toolCallId: string): void;
  /** Writes what a call prints into its terminal, if there is one. */
  event(event: PanelEvent): void;
}

interface Mirror {
  readonly terminal: vscode.Terminal;
  readonly write: vscode.EventEmitter<string>;
}

export function createTerminals(view: () => View): Terminals {
  const mirrors = new Map<string, Mirror>();
  return {
    show(toolCallId) {
      const call = (): CallItem | undefined => findCall(view(), toolCallId);
      const mirror = mirrors.get(toolCallId) ?? openMirror(call, () => mirrors.delete(toolCallId));
      mirrors.set(toolCallId, mirror);
      mirror.terminal.show(true);
    },
    event(event) {
      if (event.type === "tool:output") mirrors.get(event.toolCallId)?.write.fire(onScreen(event.chunk));
      if (event.type === "tool:end")
        mirrors.get(event.toolCallId)?.write.fire(`\r\n\u001B[2m${event.status}\u001B[0m\r\n`);
    },
    dispose() {
      for (const { terminal } of mirrors.values()) terminal.dispose();
    },
  };
}

function openMirror(call: () => CallItem | undefined, closed: () => void): Mirror {
  const write = new vscode.EventEmitter<string>();
  const pty: vscode.Pseudoterminal = {
    onDidWrite: write.event,
    open() {
      const { output = "", result = "" } = call() ?? {};
      write.fire(onScreen(output === "" ? result : output));
    },
    close() {
      closed();
      write.dispose();
    },
  };
  const name = `Brain: ${call()?.label.subject ?? vscode.l10n.t("command")}`;
  return { terminal: vscode.window.createTerminal({ name, pty, isTransient: true }), write };
}

function findCall(view: View, toolCallId: string): CallItem | undefined {
  for (const { items } of view.turns.toReversed())
    for (const item of items) if (item.kind === "call" && item.id === toolCallId) return item;
  return undefined;
}

/** A terminal goes to the next line, and not to its beginning, unless it is told both. */
function onScreen(text: string): string {
  return text.replaceAll(/\r?\n/g, "\r\n");
}
