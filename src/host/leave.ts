// Asks before another session takes the place of one that is running.
import * as vscode from "vscode";
import type { Chat } from "./chat.ts";

/** A run ends with its session's leaving the panel: that is for the person to decide. */
export async function mayLeave(chat: Chat): Promise<boolean> {
  if (!chat.running()) return true;
  const stop = vscode.l10n.t("Stop the Run");
  const detail = vscode.l10n.t("What it has done so far is kept in its session.");
  const question = vscode.l10n.t("A run is going on here.");
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, stop)) === stop;
}
