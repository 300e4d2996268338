// The agents there are: those of the workspace, those of the person, and the built-in one; of two with one name the first counts.
import { mkdir, readdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Agents } from "../engine/ports.ts";
import type { AgentDefinition } from "../protocol/agents.ts";
import { LoopError } from "../protocol/errors.ts";
import type { Params } from "../protocol/messages.ts";
import { type ParsedAgent, parseAgentFile } from "./agentFile.ts";
import { coder } from "./builtin.ts";
import { codeOf, isInside } from "./disk.ts";
import { githubName, parseGithubAgent } from "./githubAgent.ts";
import { promptyName, readPromptyAgent } from "./promptyAgent.ts";
import { agentId, agentTemplate, promptyTemplate } from "./template.ts";

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
  /** What is hardly meant as it is written; absent: nothing. */
  readonly warnings?: readonly string[];
}

export interface AgentCatalog extends Agents {
  /** Never throws: an agent that cannot be used is listed with its problems. The default agent is first. */
  list(): Promise<readonly AgentSummary[]>;
  /**
   * Writes the file of a new agent, to be filled in: an AGENT.md, or a .prompty. Never overwrites: a name that is taken gets a number.
   * @returns the file's path
   * @throws LoopError `untrusted_workspace` or `disk_write`
   */
  create(name: string, kind?: "agent" | "prompty"): Promise<string>;
}

interface Found {
  /** What it is called by: its folder, or its .prompty without the ending. */
  readonly folder: string;
  readonly path: string;
  readonly parsed: ParsedAgent;
}

/** A folder of agents beside that of the `.brain` folder. */
export interface AgentFolder {
  /** Absolute. */
  readonly path: string;
  /** As people call it. */
  readonly name: string;
  /** Files of other tools count as agents too: `NAME.agent.md` and `NAME.md`. */
  readonly foreign: boolean;
}

interface AgentPlaces {
  /** The `.brain` folder; null when the workspace is not trusted, so that nothing is loaded from it. */
  readonly dir: string | null;
  /** Read anew each time. What stands in an earlier folder counts before what is called the same in a later one. */
  readonly others?: () => readonly AgentFolder[];
  /** What was given for the inputs of the .prompty at a real path; absent: their defaults. */
  readonly inputs?: (path: string) => Params;
}

type Inputs = NonNullable<AgentPlaces["inputs"]>;

/** The agents of all folders, and the built-in one, which every other of its name takes the place of. */
export function createAgents({ dir, others = () => [], inputs = () => ({}) }: AgentPlaces): AgentCatalog {
  const findAll = async (): Promise<Found[]> => {
    const own = dir === null ? [] : [ownFolder(dir)];
    const all = await Promise.all([...own, ...others()].map((place) => findIn(place, inputs)));
    const taken = new Set<string>();
    return all.flatMap((found) => {
      const free = found.filter(({ folder }) => !taken.has(folder));
      for (const { folder } of found) taken.add(folder);
      return free;
    });
  };
  return {
    async resolve(name) {
      const found = await findAll();
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
      const found = await findAll();
      const own = found.map(summaryOf).toSorted((a, b) => Number(b.id === coder.id) - Number(a.id === coder.id));
      return own.some(({ id }) => id === coder.id) ? own : [summaryOfBuiltin, ...own];
    },
    async create(name, kind = "agent") {
      if (dir === null)
        throw new LoopError("untrusted_workspace", "Agents are kept in the folder, and this folder is not trusted.");
      return create(join(dir, "agents"), name, kind);
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
  const { warnings = [] } = parsed;
  return { id: folder, name, description, path, problems: [], ...(warnings.length > 0 && { warnings }) };
}

function usable({ folder, parsed }: Found): AgentDefinition {
  if ("agent" in parsed) return parsed.agent;
  const { problems } = parsed;
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  throw new LoopError("agent_invalid", `The agent “${folder}” has ${count}: ${problems[0]}`, { details: problems });
}

function ownFolder(dir: string): AgentFolder {
  return { path: join(dir, "agents"), name: `${basename(dir)}/agents`, foreign: false };
}

async function findIn(place: AgentFolder, inputs: Inputs): Promise<Found[]> {
  const entries: string[] = await readdir(place.path).catch(() => []);
  const found = await Promise.all(entries.toSorted().map((entry) => find(place, entry, inputs)));
  const agents = found.filter((agent) => agent !== null);
  return agents.map((agent, i) => {
    const other = agents.slice(0, i).find(({ folder }) => folder === agent.folder);
    if (!other) return agent;
    const problem = `${basename(agent.path)}: there is another agent of that name; rename one of them`;
    return { ...agent, folder: basename(agent.path), parsed: { problems: [problem] } };
  });
}

/** Null when it is neither a .prompty file nor a folder with an AGENT.md, nor an agent of another tool where those count. */
async function find(
  { path: folder, name: called, foreign }: AgentFolder,
  entry: string,
  inputs: Inputs,
): Promise<Found | null> {
  const prompt = promptyName(entry);
  const other = foreign ? githubName(entry) : null;
  const isFile = prompt !== null || other !== null;
  const [file, below] = isFile ? [entry, [entry]] : ["AGENT.md", [entry, "AGENT.md"]];
  const path = join(folder, ...below);
  const found = (parsed: ParsedAgent): Found => ({ folder: prompt ?? other ?? entry, path, parsed });
  try {
    const [root, real] = await Promise.all([realpath(dirname(folder)), realpath(path)]);
    const problem = isInside(root, real) ? await unreadable(real) : `is a link out of the ${rootName(called)} folder`;
    if (problem !== null) return found({ problems: [`${file}: ${problem}`] });
    const source = [called, ...below].join("/");
    if (prompt !== null) return found(await readPromptyAgent(real, file, source, inputs(real)));
    const text = await readFile(real, "utf8");
    return found(other === null ? parseAgentFile(text, source) : parseGithubAgent(text, file, source));
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    return found({ problems: [`${file}: could not be read (${code || String(error)})`] });
  }
}

/** Of `.brain/agents`: `.brain`, whose agents may be links to elsewhere in it. */
function rootName(called: string): string {
  return called.replace(/[\\/][^\\/]+$/, "");
}

async function unreadable(path: string): Promise<string | null> {
  const found = await stat(path);
  if (!found.isFile()) return "is not a file";
  return found.size > longestFile ? "is larger than a megabyte" : null;
}

async function create(agents: string, name: string, kind: "agent" | "prompty"): Promise<string> {
  const id = agentId(name);
  try {
    await mkdir(agents, { recursive: true });
    for (let n = 1; ; n++) {
      const numbered = n === 1 ? id : `${id}-${n}`;
      const [folder, prompt] = [join(agents, numbered), join(agents, `${numbered}.prompty`)];
      if ((await isThere(prompt)) || (await isThere(folder))) continue;
      if (kind === "prompty") {
        await writeFile(prompt, promptyTemplate(numbered, name), { flag: "wx" });
        return prompt;
      }
      if (!(await isNew(folder))) continue;
      const path = join(agents, numbered, "AGENT.md");
      await writeFile(path, agentTemplate(numbered, name), { flag: "wx" });
      return path;
    }
  } catch (error) {
    const why = codeOf(error) || String(error);
    throw new LoopError("disk_write", `The agent could not be written to .brain/agents (${why}).`, { cause: error });
  }
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
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
