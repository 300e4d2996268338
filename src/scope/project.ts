// A few lines about the workspace for the system prompt: its folders, what stands at the top, the platform.
import { readdir } from "node:fs/promises";
import path from "node:path";
import type { Roots } from "./roots.ts";

/** How many names of the top level the model is told. */
const topLevelNames = 60;
const passedOver: ReadonlySet<string> = new Set([".git", "node_modules", ".brain"]);

/** Never throws. */
export async function describeProject([root, ...others]: Roots): Promise<string> {
  const entries = await readdir(root.path, { withFileTypes: true }).catch(() => []);
  const names = entries
    .filter(({ name }) => !passedOver.has(name))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .toSorted();
  const shown = names.slice(0, topLevelNames).join(", ");
  const more = names.length > topLevelNames ? ` and ${names.length - topLevelNames} more` : "";
  const further = others.map(({ name }) => `“${name}:”`).join(", ");
  return [
    `The workspace folder is “${path.basename(root.path)}”. Its top level: ${shown}${more}.`,
    ...(further === "" ? [] : [`The workspace has further folders; a path in one begins with its name: ${further}.`]),
    `The platform is ${process.platform}.`,
  ].join("\n");
}
