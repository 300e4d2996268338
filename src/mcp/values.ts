// The values in a server's settings that stand for others: `${env:NAME}` and `${workspaceFolder}`.
import type { McpServer } from "../protocol/mcp.ts";

/** What values may stand for. */
export interface Surroundings {
  readonly env: (name: string) => string | undefined;
  /** Absolute path of the workspace. */
  readonly folder: string;
}

const reference = /\$\{(?:env:([^}]+)|workspaceFolder)\}/g;

/** Names of the variables that a server's settings read, each once. */
export function variablesOf(server: McpServer): readonly string[] {
  const found = [...JSON.stringify(server).matchAll(reference)].map(([, name]) => name);
  return [...new Set(found.filter((name) => name !== undefined))];
}

/** The settings with their values. @throws with a sentence when a variable is not set */
export function filled<T extends McpServer>(server: T, { env, folder }: Surroundings): T {
  const fill = (text: string): string =>
    text.replaceAll(reference, (_whole, name?: string) => {
      if (name === undefined) return folder;
      const value = env(name);
      if (value === undefined) throw new Error(`it needs the environment variable ${name}, which is not set`);
      return value;
    });
  return mapTexts(server, fill);
}

function mapTexts<T>(value: T, map: (text: string) => string): T;
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, map));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, map)]));
}
