// Tells a person that something waits for them: a badge on the view, an item in the status bar that leads there, and one notification while they look elsewhere.
import * as vscode from "vscode";
import type { WaitingQuestions } from "./approvals.ts";
import type { PendingCall } from "../engine/ports.ts";
import { createNotice, noticeProgram, runNotice } from "./notice.ts";

export interface Attention extends vscode.Disposable {
  /** Shows how much waits; nothing for nothing. */
  show(waiting: Waiting, view: vscode.WebviewView | null): void;
}

export interface Waiting extends WaitingQuestions {
  /** Changes that a person has begun themselves and has not decided about. */
  readonly reviews: readonly PendingCall[];
}

export function createAttention(): Attention {
  const item = vscode.window.createStatusBarItem("brain.waiting", vscode.StatusBarAlignment.Left, 0);
  item.name = vscode.l10n.t("Brain: what waits for you");
  let next: vscode.Command = { title: "", command: "brain.focusChat" };
  const notice = createNotice(
    () => !vscode.window.state.focused && vscode.workspace.getConfiguration("brain").get("notify") !== false,
    (words) => void tellAway(words, () => next),
  );
  const focus = vscode.window.onDidChangeWindowState(({ focused }) => focused && notice.seen());
  return {
    show(waiting, view) {
      const count = Object.values(waiting).reduce((sum, some) => sum + some.length, 0);
      const words = wordsFor(waiting, count);
      if (view) view.badge = count === 0 ? undefined : { value: count, tooltip: words };
      item.text = vscode.l10n.t("$(bell-dot) Brain: {0} waiting", count);
      item.tooltip = words;
      item.command = next = commandFor(waiting);
      if (count === 0) item.hide();
      else item.show();
      notice.waits(count, words);
    },
    dispose: () => void vscode.Disposable.from(item, focus).dispose(),
  };
}

/** What leads to the one that has waited longest. The panel has no row for a review that no call asks for. */
function commandFor({ calls: [call], plans, pauses, inputs, reviews: [review] }: Waiting): vscode.Command {
  const inPanel = plans.length + pauses.length + inputs.length > 0;
  if (!call && review && !inPanel) return { title: "", command: "brain.reviewCall", arguments: [review.toolCallId] };
  return { title: "", command: "brain.focusChat", ...(call && { arguments: [call.toolCallId] }) };
}

/** By the system where this process runs on the person's own machine, else in the window, where it is found later. */
async function tellAway(words: string, next: () => vscode.Command): Promise<void> {
  const isHere = vscode.env.remoteName === undefined && vscode.env.uiKind === vscode.UIKind.Desktop;
  const title = vscode.l10n.t("Brain in {0}", vscode.workspace.name ?? vscode.env.appName);
  const program = isHere ? noticeProgram(process.platform, title, words) : null;
  if (program && (await runNotice(program))) return;
  const show = vscode.l10n.t("Show");
  const told = vscode.l10n.t("Brain: {0}", words);
  if ((await vscode.window.showInformationMessage(told, show)) !== show) return;
  const { command, arguments: given = [] } = next();
  await vscode.commands.executeCommand(command, ...given);
}

function wordsFor({ calls, plans, inputs, reviews }: Waiting, count: number): string {
  if (count === calls.length)
    return count === 1 ? vscode.l10n.t("1 call waits for you") : vscode.l10n.t("{0} calls wait for you", count);
  if (count > 1) return vscode.l10n.t("{0} decisions wait for you", count);
  if (reviews.length > 0) return vscode.l10n.t("A change waits for your review");
  if (inputs.length > 0) return vscode.l10n.t("A command waits for you to type something");
  return plans.length > 0
    ? vscode.l10n.t("A plan waits for you")
    : vscode.l10n.t("The run is paused and waits for you");
}
