// Asks before another session takes the place of one that is running.
import * as vscode from "vscode";
import type { Chat } from "./chat.ts";

/** A run ends with its session's leaving the panel: that is for the person to decide. */
export async function mayLeave(chat: Chat): Promise<boolean> {
  if (!chat.running()) return true;
  const stop = "Stop the Run";
  const detail = "What it has done so far is kept in its session.";
  return (await vscode.window.showWarningMessage("A run is going on here.", { modal: true, detail }, stop)) === stop;
}
