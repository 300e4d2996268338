// The palette's commands about rules: making one from a waiting call, and seeing and removing those that were made.
import * as vscode from "vscode";
import type { PendingCall } from "../engine/ports.ts";
import { RuleScope, rulesInWords, ruleText } from "../protocol/rules.ts";
import type { Allowing } from "./allowing.ts";
import type { MadeRule, Rules } from "./rules.ts";
import { told } from "./words.ts";

export const scopeWords: Readonly<Record<RuleScope, string>> = {
  run: vscode.l10n.t("for this run"),
  session: vscode.l10n.t("in this session"),
  workspace: vscode.l10n.t("in this workspace"),
};

/**
 * Makes a rule from a waiting call.
 * @param given the scope, where it is known already; then the narrowest offer is taken
 * @returns whether the call was approved
 */
export async function allowCall(allowing: Allowing, call: PendingCall, given: unknown): Promise<boolean> {
  const { toolCallId, offers = [] } = call;
  if (offers.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t("No rule can allow this call: it has to be decided each time."),
    );
    return false;
  }
  const known = RuleScope.safeParse(given).data;
  const chosen = known === undefined ? await pickOffer(offers) : { offer: 0, scope: known };
  return chosen !== undefined && allowing.allow(toolCallId, chosen.offer, chosen.scope);
}

async function pickOffer(
  offers: NonNullable<PendingCall["offers"]>,
): Promise<{ readonly offer: number; readonly scope: RuleScope } | undefined> {
  const items = offers.flatMap((rules, offer) =>
    RuleScope.options.map((scope) => ({
      label: rules.map(ruleText).join(", "),
      description: scopeWords[scope],
      detail: told(rulesInWords(rules)),
      offer,
      scope,
    })),
  );
  return vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Always allow"),
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
}

type RuleItem = vscode.QuickPickItem & { readonly made?: MadeRule };

/** Lists the rules that a person has made; picking one asks whether it should go. */
export async function showRules(rules: Rules): Promise<void> {
  const items: RuleItem[] = rules.made().map((made) => ({
    label: ruleText(made.rule),
    description: scopeWords[made.scope],
    detail: told(rulesInWords([made.rule])),
    made,
  }));
  const settings: RuleItem = {
    label: vscode.l10n.t("$(gear) Rules in the settings"),
    detail: vscode.l10n.t("Open brain.rules"),
  };
  const title =
    items.length === 0
      ? vscode.l10n.t("No rules have been made from calls")
      : vscode.l10n.t("Rules made from calls: pick one to remove it");
  const picked = await vscode.window.showQuickPick([...items, settings], { title });
  if (!picked) return;
  if (!picked.made) return void (await vscode.commands.executeCommand("workbench.action.openSettings", "brain.rules"));
  const question = vscode.l10n.t("Remove the rule “{0}”?", picked.label);
  const remove = vscode.l10n.t("Remove");
  const sure = await vscode.window.showWarningMessage(question, { modal: true }, remove);
  if (sure === remove) rules.remove(picked.made);
}
