// What the model calls a server's tool: of the letters that every endpoint takes, and never that of another tool.
import { createHash } from "node:crypto";
import { mcpPrefix } from "../protocol/mcp.ts";

/** What endpoints take at most. */
const longest = 64;
const digits = 8;

/** A name that has to be changed ends in digits of its own, so that no two become one. */
export function toolName(server: string, tool: string): string {
  const prefix = mcpPrefix(server);
  const plain = tool.replaceAll(/[^\w-]/g, "_");
  if (plain === tool && tool !== "" && prefix.length + tool.length <= longest) return prefix + tool;
  const hash = createHash("sha256").update(tool).digest("hex").slice(0, digits);
  return `${prefix}${plain.slice(0, longest - prefix.length - digits - 1)}_${hash}`;
}
