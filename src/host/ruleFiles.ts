// The palette's commands that write the rules into a file and take them from one: nothing is taken that a person has not seen.
import * as vscode from "vscode";
import { newAmong, ruleFileOf, rulesInFile } from "../protocol/ruleFile.ts";
import { rulesInWords, ruleText } from "../protocol/rules.ts";
import { scopeWords } from "./ruleCommands.ts";
import type { Rules } from "./rules.ts";
import { told } from "./words.ts";

const filters = { JSON: ["json"] };

/**
 * Writes the rules of the settings and of the workspace into a file.
 * @param given its path; without it a person is asked
 */
export async function exportRules(rules: Rules, given?: string): Promise<void> {
  const all = rules.forRun(null);
  if (all.length === 0)
    return void vscode.window.showInformationMessage(vscode.l10n.t("There are no rules to export."));
  const file = given === undefined ? await askWhere() : vscode.Uri.file(given);
  if (!file) return;
  await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(ruleFileOf(all)));
  void vscode.window.showInformationMessage(vscode.l10n.t("Exported {0} to {1}.", count(all.length), file.fsPath));
}

function askWhere(): Thenable<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const named = folder && { defaultUri: vscode.Uri.joinPath(folder, "brain-rules.json") };
  return vscode.window.showSaveDialog({ title: vscode.l10n.t("Export Rules"), filters, ...named });
}

/**
 * Lists what of a file's rules would be new in this workspace, and makes those that a person leaves chosen.
 * @param given the file's path; without it a person is asked
 */
export async function importRules(rules: Rules, given?: string): Promise<void> {
  const chosen =
    given === undefined ? await vscode.window.showOpenDialog({ title: vscode.l10n.t("Import Rules"), filters }) : null;
  const file = given === undefined ? chosen?.[0] : vscode.Uri.file(given);
  if (!file) return;
  const found = await read(file);
  if (typeof found === "string") return void vscode.window.showErrorMessage(found);
  const fresh = newAmong(found, rules.forRun(null));
  if (fresh.length === 0)
    return void vscode.window.showInformationMessage(
      vscode.l10n.t("All rules of {0} count here already.", file.fsPath),
    );
  const items = fresh.map((rule) => ({
    label: ruleText(rule),
    description: scopeWords.workspace,
    detail: told(rulesInWords([rule])),
    picked: true,
    rule,
  }));
  const title = vscode.l10n.t(
    "{0} would be added, {1} there already: take out what you do not want",
    count(fresh.length),
    found.length - fresh.length,
  );
  const picked = await vscode.window.showQuickPick(items, { title, canPickMany: true, ignoreFocusOut: true });
  if (!picked || picked.length === 0) return;
  rules.add(
    picked.map(({ rule }) => rule),
    "workspace",
    "",
  );
  void vscode.window.showInformationMessage(
    vscode.l10n.t("Added {0}. “Brain: Show Rules” removes them again.", count(picked.length)),
  );
}

/** @returns a sentence when there are none in it */
async function read(file: vscode.Uri): Promise<ReturnType<typeof rulesInFile> | string> {
  try {
    return rulesInFile(new TextDecoder().decode(await vscode.workspace.fs.readFile(file)));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return vscode.l10n.t(
      "No rules were imported from {0}: {1} It has to be a JSON list of rules, as in the setting brain.rules.",
      file.fsPath,
      told(why),
    );
  }
}

function count(rules: number): string {
  return rules === 1 ? vscode.l10n.t("1 rule") : vscode.l10n.t("{0} rules", rules);
}
