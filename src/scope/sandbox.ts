// Commands behind walls that the kernel holds: they write in the workspace only, read no secrets, and reach only hosts that are allowed.
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { SandboxMode } from "../protocol/config.ts";
import { existsSync } from "node:fs";
import { bubblewrap, bubblewrapFile, type Walls } from "./bubblewrap.ts";
import { closedIn } from "./closedPaths.ts";
import { openHostGate, throughRelay, toldOfProxy } from "./hostGate.ts";
import type { AskHost } from "./hostWay.ts";
import type { Launch } from "./launch.ts";
import { closedAmong, openIn } from "./openPaths.ts";
import { ownedFolder, sweepOwnedFolders } from "./ownedFolders.ts";
import { scopePolicy, type ScopePolicy } from "./policy.ts";
import { nameRoots } from "./roots.ts";
import { probeWalls, type Confiner, type SandboxState } from "./sandboxProbe.ts";
import { seatbelt, seatbeltFile } from "./seatbelt.ts";

/** A program inside the sandbox. */
export interface Confined {
  readonly launch: Launch;
  /** Ends its way to the network. Idempotent. */
  readonly close: () => void;
}

export interface Sandbox {
  /** Tried out once, when first asked. Never throws. */
  state(): Promise<SandboxState>;
  /**
   * The same program inside the sandbox, closed off as the disk is now.
   * @param cwd absolute real path inside the workspace
   * @param walls what file tools keep to, and who says which hosts it may reach; absent: none
   * @throws when it cannot be confined: then it must not run
   */
  wrap(launch: Launch, cwd: string, walls: { readonly policy: ScopePolicy; readonly ask?: AskHost }): Promise<Confined>;
  /** Takes away its temporary folder. */
  dispose(): Promise<void>;
}

interface SandboxOptions {
  /** Asked before every command. */
  readonly mode: () => SandboxMode;
  /** Whose credentials are closed off. */
  readonly home?: string;
}

/** Opens nothing before it is asked. */
export function createSandbox({ mode, home = os.homedir() }: SandboxOptions): Sandbox {
  let folders: Promise<Folders> | null = null;
  let tried: Promise<SandboxState> | null = null;
  const own = (): Promise<Folders> => (folders ??= makeFolders());
  let gates = 0;
  const confine: Sandbox["wrap"] = async (launch, cwd, { policy, ask }) => {
    const system = systems[process.platform];
    if (!system) throw new Error(noneHere.why);
    const { base, temp, blockedFile, blockedFolder } = await own();
    const roots = policy.roots.map((root) => root.path);
    const [found, open] = await Promise.all([closedIn(policy, home), openIn(policy)]);
    const walls = { roots, open, temp, blockedFile, blockedFolder, closed: closedAmong(found, open) };
    if (!ask) return { launch: system.wrap(launch, cwd, { ...walls, gate: null }), close: () => undefined };
    const { at, close } = await openHostGate(system.apart ? path.join(base, `gate-${++gates}`) : null, ask);
    const told = typeof at === "number" ? toldOfProxy(launch, at) : throughRelay(launch);
    return { launch: system.wrap(told, cwd, { ...walls, gate: at }), close };
  };
  const tryOut = async (): Promise<SandboxState> => {
    const system = systems[process.platform];
    if (!system) return noneHere;
    const { trial } = await own();
    const policy = scopePolicy(nameRoots(trial, []));
    return probeWalls(system, async (launch) => (await confine(launch, trial, { policy })).launch, trial);
  };
  return {
    state: async () => {
      if (mode() === "off") return switchedOff;
      tried ??= tryOut().catch(() => ({ ...noneHere, why: "The sandbox’s temporary folder cannot be made." }));
      return tried;
    },
    wrap: confine,
    async dispose() {
      const made = await folders?.catch(() => null);
      folders = null;
      tried = null;
      if (made) await rm(made.base, { recursive: true, force: true });
    },
  };
}

interface System extends Confiner {
  /** Commands have a network of their own. */
  readonly apart: boolean;
  /** @throws when it cannot be confined */
  readonly wrap: (launch: Launch, cwd: string, walls: Walls) => Launch;
}

const systems: Readonly<Partial<Record<NodeJS.Platform, System>>> = {
  linux: {
    name: "bubblewrap",
    install: "Install it (`sudo apt install bubblewrap`, `sudo dnf install bubblewrap`) and reload the window.",
    isThere: () => bubblewrapFile() !== null,
    apart: true,
    wrap: bubblewrap,
  },
  darwin: {
    name: "the sandbox of macOS",
    install: `This system has no ${seatbeltFile}.`,
    isThere: () => existsSync(seatbeltFile),
    apart: false,
    wrap: (launch, _cwd, walls) => seatbelt(launch, walls),
  },
};

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

const prefix = "brain-sandbox-";

/** Removes what sandboxes of processes that are gone have left. Never throws. @returns how many */
export function sweepSandboxes(): Promise<number> {
  return sweepOwnedFolders(prefix);
}

async function makeFolders(): Promise<Folders> {
  const base = await ownedFolder(prefix);
  const [temp, blockedFolder, trial] = [path.join(base, "temp"), path.join(base, "folder"), path.join(base, "trial")];
  const blockedFile = path.join(base, "file");
  await Promise.all([temp, blockedFolder, trial].map((folder) => mkdir(folder, { mode: 0o700 })));
  await writeFile(path.join(trial, ".env"), "secret");
  await writeFile(blockedFile, "");
  // Nobody may open the file, not even who owns it. The folder is empty: test runners stop at one that they cannot list.
  await Promise.all([chmod(blockedFile, 0), chmod(blockedFolder, 0o555)]);
  return { base, temp, blockedFile, blockedFolder, trial };
}
