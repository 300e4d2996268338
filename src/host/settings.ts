// The product's settings as VS Code has them, by the one table in protocol/config.
import * as vscode from "vscode";
import { providerNames, settings, type ProviderName, type SettingName, type Settings } from "../protocol/config.ts";
import { LoopError } from "../protocol/errors.ts";

/** Reads one setting. Throws LoopError `bad_setting` when a person wrote a value of another kind. */
export function readSetting<K extends SettingName>(name: K): Settings[K] {
  const value = vscode.workspace.getConfiguration("brain").get<Settings[K]>(name);
  const { type } = settings[name];
  if (value === undefined || typeof value !== type)
    throw new LoopError("bad_setting", `The setting brain.${name} must be a ${type}.`);
  return value;
}

export function readProvider(): ProviderName {
  const value = readSetting("provider");
  const found = providerNames.find((name) => name === value);
  if (!found)
    throw new LoopError(
      "bad_setting",
      `The setting brain.provider must be one of ${providerNames.join(", ")}, not “${value}”.`,
    );
  return found;
}

/** Writes a setting for this person, in every window. */
export async function writeSetting<K extends SettingName>(name: K, value: Settings[K]): Promise<void> {
  await vscode.workspace.getConfiguration("brain").update(name, value, vscode.ConfigurationTarget.Global);
}
