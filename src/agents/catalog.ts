// The agents there are: the built-in one and those in the `.brain` folder.
import { mkdir, readdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Agents } from "../engine/ports.ts";
import type { AgentDefinition } from "../protocol/agents.ts";
import { LoopError } from "../protocol/errors.ts";
import { type ParsedAgent, parseAgentFile } from "./agentFile.ts";
import { coder } from "./builtin.ts";
import { codeOf, isInside } from "./disk.ts";
import { promptyName, readPromptyAgent } from "./promptyAgent.ts";
import { agentId, agentTemplate } from "./template.ts";

/** Longest AGENT.md or .prompty, in bytes: whatever is larger is no agent. */
const longestFile = 1_000_000;

interface AgentSummary {
  /** What `resolve` knows it by. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Its AGENT.md or .prompty; null for the built-in one. */
  readonly path: string | null;
  /** Why it cannot be used; empty when it can. */
  readonly problems: readonly string[];
}

export interface AgentCatalog extends Agents {
  /** Never throws: an agent that cannot be used is listed with its problems. The default agent is first. */
  list(): Promise<readonly AgentSummary[]>;
  /**
   * Writes the AGENT.md of a new agent, to be filled in. Never overwrites: a name that is taken gets a number.
   * @returns the file's path
   * @throws LoopError `untrusted_workspace` or `disk_write`
   */
  create(name: string): Promise<string>;
}

interface Found {
  /** What it is called by: its folder, or its .prompty without the ending. */
  readonly folder: string;
  readonly path: string;
  readonly parsed: ParsedAgent;
}

/**
 * The agents of one folder.
 * @param options `dir`: the `.brain` folder; null when the workspace is not trusted, so that nothing is loaded from it
 */
export function createAgents({ dir }: { dir: string | null }): AgentCatalog {
  return {
    async resolve(name) {
      const found = await findAll(dir);
      const wanted = name ?? coder.id;
      const agent =
        found.find(({ folder }) => folder === wanted) ??
        found.find(({ parsed }) => "agent" in parsed && parsed.agent.id === wanted);
      if (agent) return usable(agent);
      if (wanted === coder.id) return coder;
      const names = [...new Set([coder.id, ...found.map(({ folder }) => folder)])].toSorted();
      throw new LoopError("agent_not_found", `There is no agent “${wanted}”. The agents are: ${names.join(", ")}.`);
    },
    async list() {
      const found = await findAll(dir);
      const own = found.map(summaryOf).toSorted((a, b) => Number(b.id === coder.id) - Number(a.id === coder.id));
      return own.some(({ id }) => id === coder.id) ? own : [summaryOfBuiltin, ...own];
    },
    async create(name) {
      if (dir === null)
        throw new LoopError("untrusted_workspace", "Agents are kept in the folder, and this folder is not trusted.");
      return create(join(dir, "agents"), name);
    },
  };
}

const summaryOfBuiltin: AgentSummary = {
  id: coder.id,
  name: coder.name,
  description: coder.description ?? "",
  path: null,
  problems: [],
};

function summaryOf({ folder, path, parsed }: Found): AgentSummary {
  if ("problems" in parsed) return { id: folder, name: folder, description: "", path, problems: parsed.problems };
  const { name, description = "" } = parsed.agent;
  return { id: folder, name, description, path, problems: [] };
}

function usable({ folder, parsed }: Found): AgentDefinition {
  if ("agent" in parsed) return parsed.agent;
  const { problems } = parsed;
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  throw new LoopError("agent_invalid", `The agent “${folder}” has ${count}: ${problems[0]}`, { details: problems });
}

async function findAll(dir: string | null): Promise<Found[]> {
  if (dir === null) return [];
  const entries: string[] = await readdir(join(dir, "agents")).catch(() => []);
  const found = await Promise.all(entries.toSorted().map((entry) => find(dir, entry)));
  const agents = found.filter((agent) => agent !== null);
  return agents.map((agent, i) => {
    const other = agents.slice(0, i).find(({ folder }) => folder === agent.folder);
    if (!other) return agent;
    const problem = `${basename(agent.path)}: there is another agent of that name; rename one of them`;
    return { ...agent, folder: basename(agent.path), parsed: { problems: [problem] } };
  });
}

/** Null when it is neither a .prompty file nor a folder with an AGENT.md. */
async function find(dir: string, entry: string): Promise<Found | null> {
  const name = promptyName(entry);
  const file = name === null ? "AGENT.md" : entry;
  const below = name === null ? [entry, file] : [file];
  const path = join(dir, "agents", ...below);
  const found = (parsed: ParsedAgent): Found => ({ folder: name ?? entry, path, parsed });
  try {
    const [root, real] = await Promise.all([realpath(dir), realpath(path)]);
    const problem = isInside(root, real) ? await unreadable(real) : "is a link out of the .brain folder";
    if (problem !== null) return found({ problems: [`${file}: ${problem}`] });
    const source = [basename(dir), "agents", ...below].join("/");
    if (name !== null) return found(await readPromptyAgent(real, file, source));
    return found(parseAgentFile(await readFile(real, "utf8"), source));
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    return found({ problems: [`${file}: could not be read (${code || String(error)})`] });
  }
}

async function unreadable(path: string): Promise<string | null> {
  const found = await stat(path);
  if (!found.isFile()) return "is not a file";
  return found.size > longestFile ? "is larger than a megabyte" : null;
}

async function create(agents: string, name: string): Promise<string> {
  const id = agentId(name);
  try {
    await mkdir(agents, { recursive: true });
    for (let n = 1; ; n++) {
      const numbered = n === 1 ? id : `${id}-${n}`;
      if (!(await isNew(join(agents, numbered)))) continue;
      const path = join(agents, numbered, "AGENT.md");
      await writeFile(path, agentTemplate(numbered, name), { flag: "wx" });
      return path;
    }
  } catch (error) {
    const why = codeOf(error) || String(error);
    throw new LoopError("disk_write", `The agent could not be written to .brain/agents (${why}).`, { cause: error });
  }
}

/** Makes a folder; false when there is one already. */
async function isNew(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}
