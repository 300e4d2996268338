// How setting up a model is asked in VS Code: lists, boxes and a notification with the ways to go on.
import * as vscode from "vscode";
import { cleanAddress, presets, type Preset } from "../providers/presets.ts";
import type { Offer, SetupUi, Way } from "./modelSetup.ts";
import { originOf, type Keys } from "./secrets.ts";

const title = "Set Up Model";

export function createSetupUi(keys: Pick<Keys, "get">): SetupUi {
  return {
    async choosePreset() {
      const items = presets.map((preset) => ({ label: preset.label, detail: preset.needs, preset }));
      const options = { title, placeHolder: "Where is the model?", ignoreFocusOut: true, matchOnDetail: true };
      return (await vscode.window.showQuickPick(items, options))?.preset;
    },
    async enterAddress({ label }, given) {
      const typed = await vscode.window.showInputBox({
        title,
        prompt: `Address of ${label}, usually ending in /v1`,
        value: given,
        ignoreFocusOut: true,
        validateInput: (text) => (cleanAddress(text) === null ? "This is no address of a server." : null),
      });
      return typed === undefined ? undefined : (cleanAddress(typed) ?? undefined);
    },
    enterKey: (preset, baseUrl, problem) => enterKey(keys, preset, { baseUrl, problem }),
    chooseModel,
    during: async (what, work) =>
      vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: `${what}…`, cancellable: true },
        async (_progress, token) => {
          const leaving = new AbortController();
          token.onCancellationRequested(() => leaving.abort());
          const done = await work(leaving.signal);
          return leaving.signal.aborted ? undefined : done;
        },
      ),
    async failed({ message, next }, ways) {
      const items = ways.map((way) => ({ title: wayWords[way], way }));
      return (await vscode.window.showWarningMessage(`${message} ${next}`, ...items))?.way;
    },
  };
}

const wayWords: Readonly<Record<Way, string>> = {
  key: "Set API Key",
  address: "Change Address",
  model: "Choose Another Model",
  again: "Try Again",
  anyway: "Use It All the Same",
};

async function enterKey(
  keys: Pick<Keys, "get">,
  { label, keyPage }: Preset,
  { baseUrl, problem }: { readonly baseUrl: string; readonly problem: string },
): Promise<string | undefined> {
  const has = (await keys.get(baseUrl)) !== "";
  const made = keyPage === undefined ? "" : ` It is made at ${keyPage}.`;
  const kept = has ? " Empty: the one that is set already." : "";
  const key = await vscode.window.showInputBox({
    title,
    prompt: problem === "" ? `Key for ${label}.${made}${kept}` : `${problem} ${kept}`,
    placeHolder: `It is kept in the editor’s secret storage and sent to ${originOf(baseUrl)} only.`,
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" && !has ? "A key is needed here." : null),
  });
  return key?.trim();
}

async function chooseModel(
  { modelWord = "model" }: Preset,
  offers: readonly Offer[],
  problem: string,
): Promise<string | undefined> {
  const items = offers.map(({ name, detail }) => ({ label: name, description: detail, name }));
  const other = { label: `$(edit) Enter a ${modelWord}’s name…`, name: "" };
  const picked =
    offers.length === 0
      ? other
      : await vscode.window.showQuickPick<{ label: string; name: string }>(
          modelWord === "model" ? [...items, other] : [other, ...items],
          { title, placeHolder: problem === "" ? "Which model?" : problem, ignoreFocusOut: true },
        );
  if (!picked || picked.name !== "") return picked?.name;
  const name = await vscode.window.showInputBox({
    title,
    prompt: `${problem === "" ? "" : `${problem} `}The ${modelWord}’s name, as its endpoint knows it`,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? `Give the ${modelWord} by its name.` : null),
  });
  return name?.trim();
}
