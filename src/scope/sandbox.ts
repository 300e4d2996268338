// Commands behind walls that the kernel holds: they write in the workspace only, read no secrets, and have no network.
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { SandboxMode } from "../protocol/config.ts";
import { bubblewrap } from "./bubblewrap.ts";
import { closedIn } from "./closedPaths.ts";
import { gateInside, openHostGate, throughGate } from "./hostGate.ts";
import type { Launch } from "./launch.ts";
import { closedAmong, openIn } from "./openPaths.ts";
import { scopePolicy, type ScopePolicy } from "./policy.ts";
import { nameRoots } from "./roots.ts";
import { probeBubblewrap, type SandboxState } from "./sandboxProbe.ts";

export interface Sandbox {
  /** Tried out once, when first asked. Never throws. */
  state(): Promise<SandboxState>;
  /**
   * The same program inside the sandbox, closed off as the disk is now.
   * @param cwd absolute real path inside the workspace
   * @param policy what file tools keep to
   * @throws when it cannot be confined: then it must not run
   */
  wrap(launch: Launch, cwd: string, policy: ScopePolicy): Promise<Launch>;
  /** Takes away its temporary folder. */
  dispose(): Promise<void>;
}

interface SandboxOptions {
  /** Asked before every command. */
  readonly mode: () => SandboxMode;
  /** Hosts that commands may reach, asked before every command and at every connection; absent: none. */
  readonly hosts?: () => readonly string[];
  /** Whose credentials are closed off. */
  readonly home?: string;
}

/** Opens nothing before it is asked. */
export function createSandbox({ mode, hosts = () => [], home = os.homedir() }: SandboxOptions): Sandbox {
  let folders: Promise<Folders> | null = null;
  let tried: Promise<SandboxState> | null = null;
  const own = (): Promise<Folders> => (folders ??= makeFolders());
  let gate: ReturnType<typeof openHostGate> | null = null;
  const connected = async (launch: Launch): Promise<Launch> => {
    if (hosts().length === 0) return launch;
    const { temp } = await own();
    await (gate ??= openHostGate(path.join(temp, path.basename(gateInside)), hosts));
    return throughGate(launch);
  };
  const close = async (launch: Launch, cwd: string, policy: ScopePolicy): Promise<Launch> => {
    const { temp, blockedFile, blockedFolder } = await own();
    const [found, open] = await Promise.all([closedIn(policy, home), openIn(policy)]);
    return bubblewrap(launch, cwd, {
      roots: policy.roots.map((root) => root.path),
      temp,
      blockedFile,
      blockedFolder,
      open,
      closed: closedAmong(found, open),
    });
  };
  const tryOut = async (): Promise<SandboxState> => {
    if (process.platform !== "linux") return noneHere;
    const { trial } = await own();
    const policy = scopePolicy(nameRoots(trial, []));
    return probeBubblewrap((launch) => close(launch, trial, policy));
  };
  return {
    state: async () => {
      if (mode() === "off") return switchedOff;
      tried ??= tryOut().catch(() => ({ ...noneHere, why: "The sandbox’s temporary folder cannot be made." }));
      return tried;
    },
    wrap: async (launch, cwd, policy) => close(await connected(launch), cwd, policy),
    async dispose() {
      const [made, opened] = await Promise.all([folders?.catch(() => null), gate?.catch(() => null)]);
      opened?.close();
      gate = null;
      folders = null;
      tried = null;
      if (made) await rm(made.base, { recursive: true, force: true });
    },
  };
}

const switchedOff: SandboxState = {
  kind: "off",
  why: "The sandbox for commands is switched off.",
  advice: "The setting brain.sandbox turns it on.",
};

const noneHere = {
  kind: "off",
  why: "Brain has no sandbox for commands on this system.",
  advice: "Open the folder in WSL, in a dev container or on Linux to have one.",
} as const satisfies SandboxState;

interface Folders {
  readonly base: string;
  /** What commands see as the temporary folder. */
  readonly temp: string;
  readonly blockedFile: string;
  readonly blockedFolder: string;
  /** A workspace to try the walls on. */
  readonly trial: string;
}

async function makeFolders(): Promise<Folders> {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "brain-sandbox-")));
  const [temp, blockedFolder, trial] = [path.join(base, "temp"), path.join(base, "folder"), path.join(base, "trial")];
  const blockedFile = path.join(base, "file");
  await Promise.all([temp, blockedFolder, trial].map((folder) => mkdir(folder, { mode: 0o700 })));
  await writeFile(path.join(trial, ".env"), "secret");
  await writeFile(blockedFile, "");
  // Nobody may open the file, not even who owns it. The folder is empty: test runners stop at one that they cannot list.
  await Promise.all([chmod(blockedFile, 0), chmod(blockedFolder, 0o555)]);
  return { base, temp, blockedFile, blockedFolder, trial };
}
