// What the sandbox closes: the scope's denied names as they are on the disk now, git's hooks, and the credentials at home.
import type { Dirent } from "node:fs";
import { lstat, readdir, readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { deniedByName, type ScopePolicy } from "./policy.ts";
import { shown, type Root } from "./roots.ts";

export interface ClosedPath {
  /** Absolute and real. */
  readonly path: string;
  /** A `file` or `folder` that cannot be opened, one that is `readOnly`, or a folder that is open but stays where it is. */
  readonly how: "file" | "folder" | "readOnly" | "fixed";
}

/** Packages bring along examples of keys; they are nobody's. */
const passedOver = new Set(["node_modules", ".venv"]);

/** What makes git run programs. Its records stay open: git itself is one of the commands. */
const heldByGit = ["config", "config.worktree", "hooks", "modules"];

/** What the editor runs programs by, outside of the sandbox: tasks, settings that name a program, containers. */
const heldByEditor: ReadonlySet<string> = new Set([".vscode", ".devcontainer", ".idea"]);

/** Beside the scope's names, in a home folder; with the sockets of programs that do whatever they are told. */
const credentials = [
  ..."azure oci config/gcloud config/gh config/hub config/op config/rclone config/git config/github-copilot".split(" "),
  ..."terraform.d vault-token pgpass my.cnf password-store local/share/keyrings mozilla thunderbird".split(" "),
  ..."config/google-chrome config/chromium config/BraveSoftware m2/settings.xml gem/credentials".split(" "),
  ..."cargo/credentials cargo/credentials.toml claude/.credentials.json codex/auth.json docker/run docker/desktop colima".split(
    " ",
  ),
].map((name) => `.${name}`);

/** The same on macOS: passwords, what a person has read and written, and what programs may do. */
const macCredentials = [
  ..."Keychains Cookies Safari Messages Mail Accounts".split(" ").map((name) => `Library/${name}`),
  ...["Google/Chrome", "Chromium", "BraveSoftware", "Firefox", "1Password", "com.apple.TCC"].map(
    (name) => `Library/Application Support/${name}`,
  ),
];

/** What must be closed to commands now, each path once. */
export async function closedIn(policy: ScopePolicy, home: string): Promise<readonly ClosedPath[]> {
  const roots = policy.roots.map((root) => root.path);
  const denied = deniedByName(policy);
  const found = new Map<string, ClosedPath>();
  const add: Look["add"] = (closed) => {
    const covers = roots.some((root) => closed.path === root || root.startsWith(closed.path + path.sep));
    // It would be writable again.
    const within = closed.how === "fixed" && isReadOnly(closed.path, found);
    if (!covers && !within && !found.has(closed.path)) found.set(closed.path, closed);
  };
  const closeRoot = (root: Root): Promise<void> => {
    const barred = (inRoot: string): boolean => policy.barred(shown(policy.roots, { root, inRoot }));
    return closeFolder(root.path, { root: root.path, denied, barred, add });
  };
  await Promise.all(policy.roots.map(closeRoot));
  // Nothing of it can be written or moved anyway, and fixing a folder would open it for writing.
  const unreadable: Look["add"] = (closed) => {
    if (closed.how === "file" || closed.how === "folder") add(closed);
  };
  await closeHome(home, { root: home, denied, barred: () => false, add: unreadable });
  return [...found.values()];
}

function isReadOnly(folder: string, found: ReadonlyMap<string, ClosedPath>): boolean {
  return [...found.values()].some(({ path: above, how }) => how === "readOnly" && folder.startsWith(above + path.sep));
}

interface Look {
  readonly root: string;
  readonly denied: ReturnType<typeof deniedByName>;
  readonly barred: ScopePolicy["barred"];
  readonly add: (closed: ClosedPath) => void;
}

async function closeFolder(folder: string, look: Look): Promise<void> {
  const open = await closeEntries(folder, look);
  await Promise.all(open.map((below) => closeFolder(below, look)));
}

/** A home folder is large: only what stands in it and in its hidden folders is looked at. */
async function closeHome(home: string, look: Look): Promise<void> {
  const open = await closeEntries(home, look);
  const hidden = open.filter((folder) => path.basename(folder).startsWith("."));
  await Promise.all(hidden.map((folder) => closeEntries(folder, look)));
  await Promise.all([...credentials, ...macCredentials].map((name) => closeTarget(path.join(home, name), look)));
}

/** @returns the folders that are open */
async function closeEntries(folder: string, look: Look): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const open = await Promise.all(entries.map((entry) => closeEntry(folder, entry, look)));
  return open.flatMap((below) => below ?? []);
}

/** @returns the folder when it is one to look into */
async function closeEntry(folder: string, entry: Dirent, look: Look): Promise<string | null> {
  const { name } = entry;
  const full = path.join(folder, name);
  if (name.toLowerCase() === ".git") return closeGit(full, entry, look);
  if (entry.isSymbolicLink()) return closeLink(full, look);
  const relative = path.relative(look.root, full);
  if (look.denied(relative, "read") !== null) {
    look.add({ path: full, how: entry.isDirectory() ? "folder" : "file" });
    if (look.denied(name, "read") === null) keepNames(folder, look);
    return null;
  }
  // A folder may hold what a narrower rule allows.
  if (!entry.isDirectory() && look.barred(relative)) {
    look.add({ path: full, how: "file" });
    keepNames(folder, look);
    return null;
  }
  if (look.denied(relative, "write") !== null) {
    look.add({ path: full, how: "readOnly" });
    return null;
  }
  if (!entry.isDirectory() || passedOver.has(name)) return null;
  if (heldByEditor.has(name.toLowerCase())) look.add({ path: full, how: "readOnly" });
  return full;
}

/** For what is denied by the folders that it is in: under other names it would be open to the next command. */
function keepNames(folder: string, look: Look): void {
  for (let at = folder; at.startsWith(look.root + path.sep); at = path.dirname(at))
    look.add({ path: at, how: "fixed" });
}

/** A link is only as closed as what it leads to. */
async function closeLink(link: string, look: Look): Promise<null> {
  const target = await realpath(link).catch(() => null);
  if (target === null) return null;
  const names = [path.relative(look.root, link), target];
  if (names.some((name) => look.denied(name, "read") !== null)) await closeTarget(target, look);
  return null;
}

async function closeTarget(named: string, look: Look): Promise<void> {
  const target = await realpath(named).catch(() => null);
  const kind = target === null ? null : await stat(target).catch(() => null);
  if (target !== null && kind) look.add({ path: target, how: kind.isDirectory() ? "folder" : "file" });
}

async function closeGit(git: string, entry: Dirent, look: Look): Promise<null> {
  if (!entry.isDirectory()) {
    look.add({ path: git, how: "readOnly" });
    return null;
  }
  const held = heldByGit.map((name) => path.join(git, name));
  const there = await Promise.all(held.map((name) => lstat(name).catch(() => null)));
  // What is missing could be made: then nothing of it can be written, and git in the sandbox only reads.
  look.add({ path: git, how: (await canBePlanted(git)) ? "readOnly" : "fixed" });
  for (const [index, name] of held.entries()) if (there[index]) look.add({ path: name, how: "readOnly" });
  return null;
}

/** Whether a place from which git takes programs is free. */
async function canBePlanted(git: string): Promise<boolean> {
  const isThere = (name: string): Promise<boolean> =>
    lstat(path.join(git, name)).then(
      () => true,
      () => false,
    );
  if (!(await isThere("hooks")) || !(await isThere("config"))) return true;
  const config = await readFile(path.join(git, "config"), "utf8").catch(() => "");
  return /worktreeConfig/i.test(config) && !(await isThere("config.worktree"));
}
