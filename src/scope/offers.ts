// The rules that would allow a call from now on: exactly this one, and a wider one where that is safe.
import { mcpPrefix, serverOfTool } from "../protocol/mcp.ts";
import { exactPattern, type Rule } from "../protocol/rules.ts";
import { isDestructive } from "./knownCommands.ts";
import type { LinePart, SimpleCommand } from "./linePart.ts";
import { isAddress } from "./ruleFits.ts";

/** Each list would allow the call: the narrowest first. None: no rule can. */
export type Offers = readonly (readonly Rule[])[];

/** For the parts of a line that nothing allows yet. */
export function offersForLine(parts: readonly LinePart[], tool: string): Offers {
  const exact = parts.map((part) => exactRule(part, tool));
  const wide = parts.map((part, index) => wideRule(part, tool) ?? exact[index] ?? null);
  const lists = [exact, wide].flatMap((rules) => (rules.every((rule) => rule !== null) ? [distinct(rules)] : []));
  return lists.filter((list, index) => index === 0 || JSON.stringify(list) !== JSON.stringify(lists[0]));
}

/** For these files, and for all of their folders. */
export function offersForPaths(paths: readonly string[], tool: string): Offers {
  const folders = paths.map((path) => path.slice(0, path.lastIndexOf("/") + 1));
  const wide = folders.map((folder) => allow(tool, { path: `${literal(folder)}**` }));
  const exact = paths.map((path) => pathRule(path, tool));
  return [distinct(exact), ...(folders.includes("") ? [] : [distinct(wide)])];
}

/** For the tool, and for all of the MCP server that it is of. */
export function offersForTool(tool: string): Offers {
  const server = serverOfTool(tool);
  return [[allow(tool, {})], ...(server === null ? [] : [[allow(`${mcpPrefix(server)}*`, {})]])];
}

/**
 * For one host, and for all below the name that it is in. Addresses are offered as they are, with their port.
 * @param host in lower case; an address of IPv6 in brackets
 */
export function offersForHost(host: string, port: number): Offers {
  const at = usualPorts.has(port) ? "" : `:${port}`;
  if (isAddress(host)) return [[allowHost(`${host}:${port}`)]];
  const above = host.slice(host.indexOf(".") + 1);
  const wide = host.split(".").length > 2 && !isShared(above);
  return [[allowHost(`${host}${at}`)], ...(wide ? [[allowHost(`*.${above}${at}`)]] : [])];
}

const usualPorts: ReadonlySet<number> = new Set([80, 443]);

function allowHost(host: string): Rule {
  return { decision: "allow", host };
}

/** Below these names everybody can have a host, as below `co.uk`. */
const sharedNames =
  /(?:^|\.)(?:(?:github|gitlab|bitbucket)\.io|githubusercontent\.com|amazonaws\.com|cloudfront\.net|azurewebsites\.net|(?:blob\.core\.)?windows\.net|(?:appspot|herokuapp|firebaseapp|blogspot|googleapis|googleusercontent|wordpress|ngrok|fastly)\.com|(?:web|vercel|netlify|run|fly)\.(?:app|dev)|(?:pages|workers|deno)\.dev|onrender\.com|ngrok(?:-free)?\.(?:io|app|dev)|trycloudflare\.com|surge\.sh)$/;

function isShared(name: string): boolean {
  return sharedNames.test(name) || /^(?:com?|org|net|edu|gov|ac|go|or|ne|gob|gouv|sch)\.[a-z]{2}$/.test(name);
}

function allow(tool: string, about: Pick<Rule, "path" | "command">): Rule {
  return { decision: "allow", tool, ...about };
}

/** A glob without a slash would be compared with names. */
function pathRule(path: string, tool: string): Rule {
  return allow(tool, { path: path.includes("/") ? literal(path) : `/${literal(path)}` });
}

function literal(path: string): string {
  return path.replaceAll(/[\\*?[\]{}()!+@|]/g, String.raw`\$&`);
}

function exactRule(part: LinePart, tool: string): Rule | null {
  if (part.kind === "write" && part.path !== null && isInside(part.path)) return pathRule(part.path, tool);
  if (part.kind !== "command" || part.sets.length > 0 || part.words.length === 0) return null;
  const words = part.words.filter((word) => word !== null);
  return words.length === part.words.length ? allow(tool, { command: exactPattern(words) }) : null;
}

function isInside(path: string): boolean {
  return !path.startsWith("/") && !path.split("/").includes("..");
}

/** Programs whose further words say what else they run. */
const runners = /^(?:python|node|deno|bun|ruby|perl|php|bash|sh|dash|make|ssh|docker|kubectl|find|fd|xargs|curl|wget)/;

function wideRule(part: LinePart, tool: string): Rule | null {
  if (part.kind !== "command" || part.opaque || part.wraps !== "nothing" || part.sets.length > 0) return null;
  if (isDestructive(part.words) || part.inner.length > 0) return null;
  const named = subject(part);
  return named === null ? null : allow(tool, { command: `${exactPattern(named)} *` });
}

/** The program with what it is told to do: `git log`, `npm run build`. */
function subject({ words: [program, first, second] }: SimpleCommand): readonly string[] | null {
  if (typeof program !== "string") return null;
  const isVerb = (word: unknown): word is string => typeof word === "string" && /^[a-z][\w:.-]*$/i.test(word);
  if (first === "run" && isVerb(second)) return [program, first, second];
  if (runners.test(program) || first === null)
    return typeof first === "string" && isVerb(first) ? [program, first] : null;
  return isVerb(first) && first !== "run" ? [program, first] : first?.startsWith("-") === true ? [program] : null;
}

function distinct(rules: readonly Rule[]): readonly Rule[] {
  const seen = new Map(rules.map((rule) => [JSON.stringify(rule), rule]));
  return [...seen.values()];
}
