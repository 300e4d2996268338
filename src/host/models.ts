// Choosing the model: the picker under the message, setting one up, and the keys; what is chosen goes into the settings.
import * as vscode from "vscode";
import { systemClock as clock } from "../compose.ts";
import { providerNames, type ProviderName } from "../protocol/config.ts";
import { addressOf } from "../protocol/settings.ts";
import { LoopError } from "../protocol/errors.ts";
import { discoverModel } from "../providers/discover.ts";
import { editorModelName } from "../providers/editorModel.ts";
import { knownModel } from "../providers/knownModels.ts";
import { listModels, noDeployments } from "../providers/listModels.ts";
import { azureHost } from "../providers/presets.ts";
import { editorModels } from "./editorModels.ts";
import type { KeptFacts } from "./modelFacts.ts";
import { factWords, setUpModel, type SetUp } from "./modelSetup.ts";
import { createSetupUi } from "./modelSetupUi.ts";
import { originOf, type Keys } from "./secrets.ts";
import { readEndpoint, readSetting, readWord, writeSetting } from "./settings.ts";
import { told } from "./words.ts";

export interface Models {
  /** Lets a person choose the scripted model, one of VS Code's or of the endpoint's, or set up another. */
  readonly pick: () => Promise<void>;
  readonly setUp: () => Promise<void>;
  /** Asks for a key and keeps it for the endpoint of the settings. True when one was given. */
  readonly enterKey: () => Promise<boolean>;
  readonly removeKey: () => Promise<void>;
}

export interface ModelParts {
  readonly keys: Keys;
  readonly facts: KeptFacts;
}

export function createModels(parts: ModelParts): Models {
  const { keys } = parts;
  return {
    pick: () => pickModel(parts),
    setUp: () => setUp(parts),
    enterKey: () => enterKey(keys),
    async removeKey() {
      const baseUrl = keyedEndpoint();
      await keys.remove(baseUrl);
      void vscode.window.showInformationMessage(vscode.l10n.t("The key for {0} was removed.", originOf(baseUrl)));
    },
  };
}

async function setUp({ keys, facts }: ModelParts): Promise<void> {
  const made = await setUpModel({ ui: createSetupUi(keys), keys, editorModels, clock });
  if (!made) return;
  const { provider, baseUrl, model } = made;
  if (baseUrl !== "") {
    facts.keep(baseUrl, model, made.facts);
    await writeSetting("baseUrl", baseUrl);
  }
  await writeSetting("model", model);
  await writeSetting("provider", provider);
  void vscode.window.showInformationMessage(wordsOf(made));
}

function wordsOf({ provider, baseUrl, model, facts, answered }: SetUp): string {
  const host = baseUrl === "" ? "" : new URL(baseUrl).host;
  const known = factWords({ ...knownModel(host, model), ...facts });
  const name = provider === "vscode" ? model : vscode.l10n.t("{0} at {1}", model, host);
  return [
    answered
      ? vscode.l10n.t("{0} answered, and is what Brain asks now.", name)
      : vscode.l10n.t("{0} is what Brain asks now, untried.", name),
    ...(known === "" ? [] : [`${told(known)}.`]),
    ...(facts.tools === false ? [vscode.l10n.t("It knows no tools: they are explained to it in words.")] : []),
  ].join(" ");
}

interface Choice extends vscode.QuickPickItem {
  readonly run?: () => Promise<void>;
}

async function pickModel(parts: ModelParts): Promise<void> {
  const picker = vscode.window.createQuickPick<Choice>();
  const leaving = new AbortController();
  picker.title = vscode.l10n.t("Model");
  picker.placeholder = vscode.l10n.t("Looking for models…");
  picker.busy = true;
  picker.matchOnDescription = true;
  picker.items = [demo, ...ownWays(parts)];
  picker.onDidHide(() => leaving.abort());
  const chosen = new Promise<Choice["run"]>((resolve) => {
    picker.onDidAccept(() => resolve(picker.selectedItems[0]?.run));
    leaving.signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  picker.show();
  const [ofEditor, ofEndpoint] = await Promise.all([editorChoices(), endpointChoices(parts, leaving.signal)]);
  picker.items = [demo, ...ofEditor, ...ofEndpoint.items, ...ownWays(parts)];
  picker.placeholder = ofEndpoint.problem === "" ? vscode.l10n.t("Which model?") : told(ofEndpoint.problem);
  picker.busy = false;
  const run = await chosen;
  picker.dispose();
  await run?.();
}

const demo: Choice = {
  label: "Demo",
  description: vscode.l10n.t("scripted: no key, no network"),
  run: () => writeSetting("provider", "demo"),
};

function ownWays(parts: ModelParts): Choice[] {
  const add = {
    label: vscode.l10n.t("$(add) Set up another model…"),
    description: vscode.l10n.t("another provider, server or key"),
  };
  const byName = { label: vscode.l10n.t("$(edit) Enter a model name…"), description: originOf(endpointInUse()) };
  return [
    { label: "", kind: vscode.QuickPickItemKind.Separator },
    { ...add, run: () => setUp(parts) },
    { ...byName, run: () => enterModel(parts) },
  ];
}

async function editorChoices(): Promise<Choice[]> {
  const models = await editorModels().catch(() => []);
  const items = models.map((model) => ({
    label: model.name,
    description: `${model.family} · ${model.vendor}`,
    run: async () => {
      await writeSetting("model", editorModelName(model));
      await writeSetting("provider", "vscode");
    },
  }));
  return items.length === 0 ? [] : [{ label: "VS Code", kind: vscode.QuickPickItemKind.Separator }, ...items];
}

async function endpointChoices(parts: ModelParts, signal: AbortSignal): Promise<{ items: Choice[]; problem: string }> {
  const baseUrl = endpointInUse();
  const { host, hostname, origin } = new URL(baseUrl);
  const apiKey = await parts.keys.get(baseUrl);
  const provider = wireProvider(baseUrl);
  const isChosen = provider === readWord("provider", providerNames);
  // Somebody else's address is not asked before anybody has chosen it.
  if (!isChosen && apiKey === "") return { items: [], problem: "" };
  try {
    const names = await listModels({ provider, baseUrl, apiKey }, signal);
    const items = names.map((name) => ({
      label: name,
      description: told(factWords(knownModel(host, name))),
      run: () => useModel(parts, name),
    }));
    const problem = items.length === 0 && azureHost.test(hostname) ? noDeployments : "";
    return { items: [{ label: origin, kind: vscode.QuickPickItemKind.Separator }, ...items], problem };
  } catch (error) {
    return {
      items: [],
      problem: error instanceof LoopError ? error.message : vscode.l10n.t("The endpoint did not list its models."),
    };
  }
}

/** The address of the settings, also while the scripted model or one of VS Code's is asked. */
function endpointInUse(): string {
  return addressOf(wireProvider(readSetting("baseUrl")), readSetting("baseUrl"));
}

/** What the address of the settings speaks. */
function wireProvider(baseUrl: string): Exclude<ProviderName, "demo" | "vscode"> {
  const provider = readWord("provider", providerNames);
  if (provider !== "demo" && provider !== "vscode") return provider;
  return URL.parse(baseUrl)?.host === "api.anthropic.com" ? "anthropic" : "openai-chat";
}

async function useModel({ keys, facts }: ModelParts, model: string): Promise<void> {
  const baseUrl = endpointInUse();
  const provider = wireProvider(baseUrl);
  const { host } = new URL(baseUrl);
  await writeSetting("model", model);
  await writeSetting("provider", provider);
  if (provider === "anthropic" || knownModel(host, model).window !== undefined) return;
  const apiKey = await keys.get(baseUrl);
  facts.keep(baseUrl, model, await discoverModel({ baseUrl, apiKey, model }, new AbortController().signal));
}

async function enterModel(parts: ModelParts): Promise<void> {
  const prompt = vscode.l10n.t("The model’s name, as its endpoint knows it");
  const name = await vscode.window.showInputBox({ title: vscode.l10n.t("Model"), prompt });
  if (name !== undefined && name.trim() !== "") await useModel(parts, name.trim());
}

/** Throws LoopError `bad_setting` where the chosen model needs no key. */
function keyedEndpoint(): string {
  if (readWord("provider", providerNames) === "vscode")
    throw new LoopError("bad_setting", "VS Code’s own models need no key.");
  return readEndpoint();
}

async function enterKey(keys: Keys): Promise<boolean> {
  const baseUrl = keyedEndpoint();
  const key = await vscode.window.showInputBox({
    title: vscode.l10n.t("API Key"),
    prompt: vscode.l10n.t(
      "Key for {0}. It is kept in the editor's secret storage and sent nowhere else.",
      originOf(baseUrl),
    ),
    password: true,
    ignoreFocusOut: true,
  });
  if (key === undefined || key.trim() === "") return false;
  await keys.set(baseUrl, key.trim());
  return true;
}
