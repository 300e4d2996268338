// The Model Context Protocol servers of a workspace: which are set up, how each is reached, and what becomes of their results.
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { ComposeOptions } from "./compose.ts";
import { foreignVariable } from "./composeEndpoint.ts";
import { hostRules, openScope } from "./composeScope.ts";
import type { Clock, Policy } from "./engine/ports.ts";
import type { Way } from "./mcp/connection.ts";
import type { Configured } from "./mcp/link.ts";
import { createServers, type Servers, type Setup } from "./mcp/servers.ts";
import { filled, variablesOf } from "./mcp/values.ts";
import { readServers, type ReadServers } from "./protocol/mcp.ts";
import { exactPattern } from "./protocol/rules.ts";
import { createPolicy } from "./scope/callPolicy.ts";
import type { AskHost } from "./scope/hostWay.ts";
import type { Launch } from "./scope/launch.ts";
import type { Sandbox } from "./scope/sandbox.ts";
import { maskSecrets } from "./scope/secrets.ts";
import { commandRecords, recordsFolder } from "./tools/commandRecords.ts";
import { cleanEnvironment } from "./tools/environment.ts";
import { validateJson } from "./tools/jsonSchema.ts";
import { startServer } from "./tools/serverProcess.ts";

/** What a person is asked before a server that a file names is used. */
export interface ServerQuestion {
  readonly name: string;
  /** As people call it. */
  readonly file: string;
  readonly kind: "program" | "address";
  /** The command line, or the address. */
  readonly what: string;
  /** What it is given beside, one to a line: variables, headers, its folder. */
  readonly details: readonly string[];
  /** Environment variables that the file reads: their values may go there. */
  readonly variables: readonly string[];
  /** A program that the sandbox holds. */
  readonly confined: boolean;
  /** Everything that the file says of it: an answer counts for exactly this. */
  readonly content: string;
}

/** None while the workspace is not trusted. */
export function createMcp(options: ComposeOptions, sandbox: Sandbox, clock: Clock): Servers {
  const free = new WeakSet<Configured>();
  const ask = async (configured: Configured, confined: boolean): Promise<boolean> => {
    const allowed = (await options.confirmServer?.(questionOf(configured, confined))) ?? false;
    if (allowed && !confined) free.add(configured);
    return allowed;
  };
  return createServers({
    setup: () => setupOf(options),
    confirm: async (configured) => ask(configured, (await sandbox.state()).kind === "on"),
    way: (configured) => wayTo(configured, options, { sandbox, free, ask }),
    validate: validateJson,
    clock,
    patience: options.serverPatience ?? usualPatience,
    log: (message) => options.log(maskSecrets(message)),
  });
}

/** Milliseconds: the next run has the tools of a slower one. */
const usualPatience = 5_000;
const fileName = ".brain/mcp.json";
const longestFile = 1_000_000;
/** Characters of what a file says of one server: more is nothing that a person reads before they allow it. */
export const mostToConfirm = 4_000;

/** A person's own servers count before those of the folder that are called the same, even when they are switched off. */
async function setupOf({ trusted, brainDir, mcpServers }: ComposeOptions): Promise<Setup> {
  if (!trusted) return { servers: [], problems: [] };
  const own = ownOf(mcpServers);
  const text = await textOf(path.join(brainDir, "mcp.json"));
  const shared = text === null ? { servers: [], problems: [] } : readServers(jsonOf(text), mostToConfirm);
  return {
    servers: [
      ...own.servers.map((server) => ({ ...server, file: null })),
      ...shared.servers.map((server) => ({ ...server, file: fileName })),
    ],
    problems: [...own.problems, ...shared.problems.map((problem) => `${fileName}: ${problem}`)],
  };
}

/** A setting that cannot be read is a problem of its own. */
function ownOf(mcpServers: ComposeOptions["mcpServers"]): ReadServers {
  try {
    return readServers(mcpServers?.() ?? {});
  } catch (error) {
    return { servers: [], problems: [error instanceof Error ? error.message : String(error)] };
  }
}

async function textOf(file: string): Promise<string | null> {
  try {
    const about = await stat(file);
    // A link could lead to what never ends.
    return !about.isFile() || about.size > longestFile ? "" : await readFile(file, "utf8");
  } catch {
    return null;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function questionOf({ name, server, file }: Configured, sandboxed: boolean): ServerQuestion {
  const about = { name, file: file ?? "", variables: variablesOf(server), content: JSON.stringify(server) };
  if ("url" in server) {
    const details = Object.entries(server.headers ?? {}).map(([header, value]) => legible(`${header}: ${value}`));
    return { ...about, kind: "address", what: legible(server.url), details, confined: false };
  }
  const set = Object.entries(server.env ?? {}).map(([variable, value]) => `${variable}=${value}`);
  const details = [...set, ...(server.cwd === undefined ? [] : [`in ${server.cwd}`])].map(legible);
  const what = legible(exactPattern([server.command, ...(server.args ?? [])]));
  return { ...about, kind: "program", what, details, confined: sandboxed };
}

/** In one line, with nothing that is not seen or that turns the order of what is read: a file must not write the question. */
function legible(text: string): string {
  return text.replaceAll(
    /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|[^\S ]/gu,
    (one) => `\\u{${one.codePointAt(0)?.toString(16) ?? ""}}`,
  );
}

interface Hold {
  readonly sandbox: Sandbox;
  /** Those that may run where nothing confines them: what was allowed inside the sandbox was not allowed outside. */
  readonly free: Pick<WeakSet<Configured>, "has">;
  readonly ask: (configured: Configured, confined: boolean) => Promise<boolean>;
}

/** @throws with the end of a sentence */
async function wayTo(configured: Configured, options: ComposeOptions, hold: Hold): Promise<Way> {
  const all = await (options.environment?.() ?? process.env);
  const { file } = configured;
  const folder = options.root;
  if ("url" in configured.server) {
    const { url, headers = {} } = filled(configured.server, { env: (name) => all[name], folder });
    const { host } = new URL(url);
    const foreign = file === null ? undefined : foreignVariable(variablesOf(configured.server), host);
    if (foreign !== undefined) throw new Error(`${file} would send ${foreign} to ${host}, whose key it is not`);
    return { kind: "address", url, headers };
  }
  const program = filled(configured.server, { env: (name) => all[name], folder });
  const launch = { file: program.command, args: program.args ?? [], env: { ...cleanEnvironment(all), ...program.env } };
  const cwd = path.resolve(folder, program.cwd ?? ".");
  if (file !== null && (await isLoose(configured, hold))) throw new Error(unheld);
  return {
    kind: "program",
    start: async () => {
      const placed = file === null ? asItIs(cwd, launch) : await inSandbox({ launch, cwd, configured }, options, hold);
      return startServer(placed.launch, placed.cwd, {
        records: commandRecords(recordsFolder()),
        onEnd: placed.close,
      });
    },
  };
}

/** Nothing would confine it, and nobody allows that. */
async function isLoose(configured: Configured, { sandbox, free, ask }: Hold): Promise<boolean> {
  return !free.has(configured) && (await sandbox.state()).kind === "off" && !(await ask(configured, false));
}

const unheld = "there is no sandbox any more, and it was not allowed without one";

interface Placed {
  readonly cwd: string;
  readonly launch: Launch;
  readonly close: () => void;
}

/** What a person has set up themselves has their rights. */
function asItIs(cwd: string, launch: Launch): Placed {
  return { cwd, launch, close: () => undefined };
}

/** What a folder brings along is held like a command: it writes in the workspace and reaches the hosts that rules allow. */
async function inSandbox(
  { launch, cwd, configured }: Pick<Placed, "launch" | "cwd"> & { readonly configured: Configured },
  options: ComposeOptions,
  { sandbox, free }: Hold,
): Promise<Placed> {
  const scope = await openScope(options, {});
  const place = await scope.resolve(cwd, "read");
  if ("denied" in place) throw new Error(`its folder cannot be used: ${place.denied}`);
  if ((await sandbox.state()).kind === "off") {
    if (free.has(configured)) return asItIs(place.real, launch);
    throw new Error(unheld);
  }
  const rules = [...(options.rules?.(null) ?? []), ...hostRules(options)];
  const policy = createPolicy({ scope: () => Promise.resolve(scope), rules: () => rules, platform: process.platform });
  const walls = { policy: scope.policy, ask: askOf(policy) };
  return { cwd: place.real, ...(await sandbox.wrap(launch, place.real, walls)) };
}

/** Nobody is asked: a server may reach out at any time, and not in the name of a call. */
function askOf(policy: Policy): AskHost {
  return async ({ host, port }) => {
    const ruling = await policy({
      runId: "",
      toolCallId: "",
      toolName: "",
      effect: "run",
      preview: { kind: "host", host, port },
      touches: { reads: [], writes: [], runs: true },
      narrowing: [],
    });
    if (ruling.kind === "allow") return { kind: "allowed" };
    return { kind: "refused", why: "no rule allows servers of this folder to reach it" };
  };
}
