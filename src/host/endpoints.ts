// Agents whose files name an endpoint: a person allows each before anything is sent there, for as long as the window is open.
import * as vscode from "vscode";
import type { EndpointQuestion } from "../composeEndpoint.ts";
import { createAllowances, type EndpointAnswer } from "./allowances.ts";
import type { Keys } from "./secrets.ts";

export function createEndpoints(keys: Keys): (question: EndpointQuestion) => Promise<boolean> {
  return createAllowances({ ask, keepKey: (origin, key) => keys.set(origin, key) });
}

async function ask({ origin, file, variables }: EndpointQuestion): Promise<EndpointAnswer> {
  const allow = { title: vscode.l10n.t("Allow") };
  const withKey = { title: vscode.l10n.t("Allow with a Key…") };
  const values =
    variables.length > 0
      ? `\n\n${vscode.l10n.t("The file reads these variables, and their values may go there: {0}.", variables.join(", "))}`
      : "";
  const what = vscode.l10n.t(
    "What you write, the files that it reads and the results of its calls would be sent there. It gets no key but one that you have set for this address.",
  );
  const detail = `${what}${values}`;
  const message = vscode.l10n.t("The agent file {0} of this folder asks to be answered by {1}.", file, origin);
  const chosen = await vscode.window.showWarningMessage(message, { modal: true, detail }, allow, withKey);
  if (chosen !== withKey) return { allowed: chosen === allow };
  const key = await vscode.window.showInputBox({
    title: vscode.l10n.t("API key for {0}", origin),
    prompt: vscode.l10n.t("Kept in the system's secret storage, and sent to no other address."),
    password: true,
    ignoreFocusOut: true,
  });
  return { allowed: key !== undefined, ...(key !== undefined && key !== "" && { key }) };
}
