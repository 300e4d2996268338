// Agents whose files name an endpoint: a person allows each before anything is sent there, for as long as the window is open.
import * as vscode from "vscode";
import type { EndpointQuestion } from "../composeEndpoint.ts";
import { createAllowances, type EndpointAnswer } from "./allowances.ts";
import type { Keys } from "./secrets.ts";

export function createEndpoints(keys: Keys): (question: EndpointQuestion) => Promise<boolean> {
  return createAllowances({ ask, keepKey: (origin, key) => keys.set(origin, key) });
}

const allow = { title: vscode.l10n.t("Allow") };
const withKey = { title: vscode.l10n.t("Allow with a Key…") };

async function ask(question: EndpointQuestion): Promise<EndpointAnswer> {
  const { origin, variables, tool } = question;
  const { message, what } = wordsOf(question);
  const values =
    variables.length > 0
      ? `\n\n${vscode.l10n.t("The file reads these variables, and their values may go there: {0}.", variables.join(", "))}`
      : "";
  const detail = `${what}${values}`;
  const buttons = tool && tool.wants !== "key" ? [allow] : [allow, withKey];
  const chosen = await vscode.window.showWarningMessage(message, { modal: true, detail }, ...buttons);
  if (chosen !== withKey) return { allowed: chosen === allow };
  const key = await vscode.window.showInputBox({
    title: vscode.l10n.t("API key for {0}", origin),
    prompt: vscode.l10n.t("Kept in the system's secret storage, and sent to no other address."),
    password: true,
    ignoreFocusOut: true,
  });
  return { allowed: key !== undefined, ...(key !== undefined && key !== "" && { key }) };
}

function wordsOf({ origin, file, tool }: EndpointQuestion): { readonly message: string; readonly what: string } {
  if (!tool)
    return {
      message: vscode.l10n.t("The agent file {0} of this folder asks to be answered by {1}.", file, origin),
      what: vscode.l10n.t(
        "What you write, the files that it reads and the results of its calls would be sent there. It gets no key but one that you have set for this address.",
      ),
    };
  if (tool.wants === "document")
    return {
      message: vscode.l10n.t(
        "The agent file {0} of this folder asks for a document of {1}, which says what its tool {2} can do.",
        file,
        origin,
        tool.name,
      ),
      what: vscode.l10n.t("Nothing of yours is sent with that request. Each call of the tool asks by itself."),
    };
  if (tool.wants === "request")
    return {
      message: vscode.l10n.t(
        "The tool {0} of the agent file {1} wants to send requests to {2}.",
        tool.name,
        file,
        origin,
      ),
      what: vscode.l10n.t("Another extension runs this agent, and its calls do not ask by themselves."),
    };
  return {
    message: vscode.l10n.t(
      "The agent file {0} of this folder asks for a key for the requests of its tool {1} to {2}.",
      file,
      tool.name,
      origin,
    ),
    what: vscode.l10n.t(
      "Each call of the tool asks by itself. It gets no key but one that you have set for this address.",
    ),
  };
}
