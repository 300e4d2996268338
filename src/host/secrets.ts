// API keys: in SecretStorage, one for each endpoint, so that no key ever goes to another host than its own.
import type * as vscode from "vscode";
import { LoopError } from "../protocol/errors.ts";

export interface Keys {
  /** The key for the endpoint's origin, or `""`. */
  get(baseUrl: string): Promise<string>;
  set(baseUrl: string, key: string): Promise<void>;
  remove(baseUrl: string): Promise<void>;
}

export interface KeyOptions {
  /** Whether the person lets keys be taken from variables; asked anew each time. */
  readonly useEnvironment: () => boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The variables that hold a key, each for exactly one origin. */
const variables: Readonly<Record<string, string>> = {
  "https://api.openai.com": "OPENAI_API_KEY",
  "https://api.anthropic.com": "ANTHROPIC_API_KEY",
};

/** A key that was set counts before one of the environment. */
export function createKeys(secrets: vscode.SecretStorage, { useEnvironment, environment }: KeyOptions): Keys {
  const slot = (baseUrl: string): string => `brain.apiKey:${originOf(baseUrl)}`;
  const fromEnvironment = (baseUrl: string): string => {
    const variable = variables[originOf(baseUrl)];
    return variable !== undefined && useEnvironment() ? (environment[variable]?.trim() ?? "") : "";
  };
  return {
    get: async (baseUrl) => (await secrets.get(slot(baseUrl))) ?? fromEnvironment(baseUrl),
    set: async (baseUrl, key) => secrets.store(slot(baseUrl), key),
    remove: async (baseUrl) => secrets.delete(slot(baseUrl)),
  };
}

/** Scheme, host and port. Throws LoopError `bad_setting` for what is no address. */
export function originOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw new LoopError("bad_setting", `The setting brain.baseUrl is no web address: “${baseUrl}”.`);
  return url.origin;
}
