// The product's settings as VS Code has them, by the one table in protocol/settings.
import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import * as vscode from "vscode";
import * as z from "zod";
import type { ScopeRules } from "../protocol/agents.ts";
import { earlyStarts, planModes, providerNames } from "../protocol/config.ts";
import { addressOf, settings } from "../protocol/settings.ts";
import type { AgentLoopConfig } from "../protocol/config.ts";
import type { SettingName, Settings } from "../protocol/settings.ts";
import { LoopError } from "../protocol/errors.ts";
import { Rule } from "../protocol/rules.ts";

/** Reads one setting. Throws LoopError `bad_setting` when a person wrote a value of another kind. */
export function readSetting<K extends Exclude<SettingName, "deniedPaths">>(name: K): Settings[K] {
  const value = vscode.workspace.getConfiguration("brain").get<Settings[K]>(name);
  const { type } = settings[name];
  if (value === undefined || (Array.isArray(value) ? "array" : typeof value) !== type)
    throw new LoopError("bad_setting", `The setting brain.${name} must be a ${type}.`);
  return value;
}

/** Reads a setting that is one of a few words. Throws LoopError `bad_setting` for any other. */
export function readWord<const T extends string>(
  name: "provider" | "earlyStart" | "plan" | "toolCalling" | "sandbox" | "effort",
  words: readonly T[],
): T {
  const value = readSetting(name);
  const found = words.find((word) => word === value);
  if (found === undefined)
    throw new LoopError("bad_setting", `The setting brain.${name} must be one of ${words.join(", ")}, not “${value}”.`);
  return found;
}

/**
 * What the settings that apply to a folder deny, each for itself, so that none takes back what another denies. Throws
 * LoopError `bad_setting` when one is not a list of texts.
 */
export function readDeniedPaths(folder: vscode.Uri): readonly ScopeRules[] {
  const found = vscode.workspace.getConfiguration("brain", folder).inspect<unknown>("deniedPaths");
  const lists = [found?.globalValue, found?.workspaceValue, found?.workspaceFolderValue];
  return lists.map((list: unknown = []) => {
    if (Array.isArray(list) && list.every((pattern) => typeof pattern === "string")) return { deny: list };
    throw new LoopError("bad_setting", "The setting brain.deniedPaths must be a list of texts.");
  });
}

/** The rules of the settings. Throws LoopError `bad_setting` for what is none. */
export function readRules(): readonly Rule[] {
  const read = z.array(Rule).safeParse(readSetting("rules"));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const place = Number(issue?.path[0] ?? 0) + 1;
  throw new LoopError("bad_setting", `Rule ${place} of the setting brain.rules is wrong: ${issue?.message ?? ""}.`);
}

/** Folders with the person's own agents, as absolute paths. Throws LoopError `bad_setting` when it is no list of texts. */
export function readAgentFolders(): readonly string[] {
  const read = z.array(z.string()).safeParse(readSetting("agentFolders"));
  if (!read.success) throw new LoopError("bad_setting", "The setting brain.agentFolders must be a list of texts.");
  const home = (path: string): string => path.replace(/^~(?=[\\/])/, homedir());
  return read.data.map(home).filter((path) => isAbsolute(path));
}

/** Where the requests of the chosen provider go. A key is kept for this address, and sent nowhere else. */
export function readEndpoint(): string {
  return addressOf(readWord("provider", providerNames), readSetting("baseUrl"));
}

/** The limits of a run that a person can set. */
export function readLimits(): Partial<AgentLoopConfig> {
  // A rule that cannot be read might be one that denies: nothing begins without it.
  readRules();
  return {
    maxToolIterations: readSetting("maxToolIterations"),
    toolTimeout: readSetting("commandTimeout"),
    earlyStart: readWord("earlyStart", earlyStarts),
    plan: readWord("plan", planModes),
    dataFlow: readSetting("dataFlow"),
    executionTimeout: readSetting("maxRunMinutes") * 60_000,
    maxRunTokens: readSetting("maxRunTokens"),
    maxRunCost: readSetting("maxRunCost"),
  };
}

/** Writes a setting for this person, in every window. */
export async function writeSetting<K extends SettingName>(name: K, value: Settings[K]): Promise<void> {
  await vscode.workspace.getConfiguration("brain").update(name, value, vscode.ConfigurationTarget.Global);
}
