// How setting up a model is asked in VS Code: lists, boxes and a notification with the ways to go on.
import * as vscode from "vscode";
import { cleanAddress, presets, type Preset } from "../providers/presets.ts";
import type { Offer, SetupUi, Way } from "./modelSetup.ts";
import { originOf, type Keys } from "./secrets.ts";
import { told } from "./words.ts";

const title = vscode.l10n.t("Set Up Model");

export function createSetupUi(keys: Pick<Keys, "get">): SetupUi {
  return {
    async choosePreset() {
      const items = presets.map((preset) => ({ label: preset.label, detail: told(preset.needs), preset }));
      const options = {
        title,
        placeHolder: vscode.l10n.t("Where is the model?"),
        ignoreFocusOut: true,
        matchOnDetail: true,
      };
      return (await vscode.window.showQuickPick(items, options))?.preset;
    },
    async enterAddress({ label }, given) {
      const typed = await vscode.window.showInputBox({
        title,
        prompt: vscode.l10n.t("Address of {0}, usually ending in /v1", label),
        value: given,
        ignoreFocusOut: true,
        validateInput: (text) =>
          cleanAddress(text) === null ? vscode.l10n.t("This is no address of a server.") : null,
      });
      return typed === undefined ? undefined : (cleanAddress(typed) ?? undefined);
    },
    enterKey: (preset, baseUrl, problem) => enterKey(keys, preset, { baseUrl, problem }),
    chooseModel,
    during: async (what, work) =>
      vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: `${told(what)}…`, cancellable: true },
        async (_progress, token) => {
          const leaving = new AbortController();
          token.onCancellationRequested(() => leaving.abort());
          const done = await work(leaving.signal);
          return leaving.signal.aborted ? undefined : done;
        },
      ),
    async failed({ message, next }, ways) {
      const items = ways.map((way) => ({ title: wayWords[way], way }));
      return (await vscode.window.showWarningMessage(`${told(message)} ${told(next)}`, ...items))?.way;
    },
  };
}

const wayWords: Readonly<Record<Way, string>> = {
  key: vscode.l10n.t("Set API Key"),
  address: vscode.l10n.t("Change Address"),
  model: vscode.l10n.t("Choose Another Model"),
  again: vscode.l10n.t("Try Again"),
  anyway: vscode.l10n.t("Use It All the Same"),
};

async function enterKey(
  keys: Pick<Keys, "get">,
  { label, keyPage }: Preset,
  { baseUrl, problem }: { readonly baseUrl: string; readonly problem: string },
): Promise<string | undefined> {
  const has = (await keys.get(baseUrl)) !== "";
  const made = keyPage === undefined ? [] : [vscode.l10n.t("It is made at {0}.", keyPage)];
  const kept = has ? [vscode.l10n.t("Empty: the one that is set already.")] : [];
  const key = await vscode.window.showInputBox({
    title,
    prompt: (problem === "" ? [vscode.l10n.t("Key for {0}.", label), ...made, ...kept] : [told(problem), ...kept]).join(
      " ",
    ),
    placeHolder: vscode.l10n.t("It is kept in the editor’s secret storage and sent to {0} only.", originOf(baseUrl)),
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" && !has ? vscode.l10n.t("A key is needed here.") : null),
  });
  return key?.trim();
}

const ofModel = {
  enter: vscode.l10n.t("Enter a model’s name…"),
  prompt: vscode.l10n.t("The model’s name, as its endpoint knows it"),
  missing: vscode.l10n.t("Give the model by its name."),
};
const ofDeployment = {
  enter: vscode.l10n.t("Enter a deployment’s name…"),
  prompt: vscode.l10n.t("The deployment’s name, as its endpoint knows it"),
  missing: vscode.l10n.t("Give the deployment by its name."),
};

async function chooseModel(
  { modelWord }: Preset,
  offers: readonly Offer[],
  problem: string,
): Promise<string | undefined> {
  const items = offers.map(({ name, detail }) => ({ label: name, description: told(detail), name }));
  const words = modelWord === undefined ? ofModel : ofDeployment;
  const other = { label: `$(edit) ${words.enter}`, name: "" };
  const picked =
    offers.length === 0
      ? other
      : await vscode.window.showQuickPick<{ label: string; name: string }>(
          modelWord === undefined ? [...items, other] : [other, ...items],
          { title, placeHolder: problem === "" ? vscode.l10n.t("Which model?") : told(problem), ignoreFocusOut: true },
        );
  if (!picked || picked.name !== "") return picked?.name;
  const name = await vscode.window.showInputBox({
    title,
    prompt: problem === "" ? words.prompt : `${told(problem)} ${words.prompt}`,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? words.missing : null),
  });
  return name?.trim();
}
