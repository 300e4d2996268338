// Tells a person that calls wait: a badge on the view and an item in the status bar that leads there.
import * as vscode from "vscode";

export interface Attention extends vscode.Disposable {
  /** Shows how many calls wait; nothing for none. */
  show(waiting: number, view: vscode.WebviewView | null): void;
}

export function createAttention(): Attention {
  const item = vscode.window.createStatusBarItem("brain.waiting", vscode.StatusBarAlignment.Left, 0);
  item.name = "Brain: waiting calls";
  item.command = "brain.chat.focus";
  return {
    show(waiting, view) {
      const words = waiting === 1 ? "1 call waits for you" : `${waiting} calls wait for you`;
      if (view) view.badge = waiting === 0 ? undefined : { value: waiting, tooltip: words };
      item.text = `$(bell-dot) Brain: ${waiting} waiting`;
      item.tooltip = words;
      if (waiting === 0) item.hide();
      else item.show();
    },
    dispose: () => item.dispose(),
  };
}
