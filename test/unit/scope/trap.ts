// A workspace full of ways out, with something to steal at the end of each, and a way to tell whether anything was touched.
import { execFileSync } from "node:child_process";
import { link, lstat, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { openPlace, type Place } from "../tools/place.ts";
import { deniedSamples } from "./escapeCases.ts";

/** Stands in every file that no tool may read, and in every name that no tool may list. */
export const canary = "CANARY";

export interface Trap extends AsyncDisposable {
  readonly place: Place;
  readonly root: string;
  readonly outside: string;
  /** The path with the table's place holders filled in. */
  named(path: string): string;
  /** One line for each file and folder, inside and outside, that changes when it is touched by writing. */
  state(): Promise<string[]>;
}

const links: Readonly<Record<string, string>> = {
  out: "{OUT}",
  outFile: "{OUT}/secret.txt",
  outAbsolute: "{OUT}",
  "src/middle": "../../{OUTNAME}",
  chain1: "chain2",
  chain2: "src/chain3",
  "src/chain3": "../../{OUTNAME}",
  chainFile: "chain1/secret.txt",
  evil: "../{ROOTNAME}-evil",
  up: "..",
  self: ".",
  inner: "src/..",
  danglingOut: "{OUT}/new.txt",
  danglingDeep: "{OUT}/no/such/folder",
  danglingChain: "danglingOut",
  danglingAbsolute: "/nowhere/x",
  toProc: "/proc/self",
  toEtc: "/etc",
  toDevice: "/dev/zero",
  loop: "loop",
  loopA: "loopB",
  loopB: "loopA",
  deepLoop: "deepLoop/x",
  notes: ".env",
  notesChain: "notes",
  notesDeep: ".aws/credentials",
  keys: ".ssh",
  records: ".git",
  hooks: ".git/hooks",
  danglingDenied: ".env.staging",
  brain: ".brain/MEMORY.md",
  brain2: ".brain",
  ".npmrc-link": ".npmrc",
  innocent: "records",
  pipeLink: "pipe",
  privateLink: "private",
  hardLink: "hard.txt",
};

const secretFiles = words(`
  .env.staging-not .git/hooks/pre-commit .git/HEAD private/plan.txt private/deep/plan.txt hidden.secret src/other.secret
  nested/own.txt nested/deep/own.txt`);

/** Builds it in a temporary folder. */
export async function openTrap(): Promise<Trap> {
  const place = await openPlace();
  const { root } = place;
  const outside = await realpath(await mkdtemp(join(tmpdir(), "brain-outside-")));
  const evil = `${root}-evil`;
  const named = (path: string): string =>
    path
      .replaceAll("{ROOTNAME}", basename(root))
      .replaceAll("{OUTNAME}", basename(outside))
      .replaceAll("{ROOT}", root)
      .replaceAll("{OUT}", outside);
  await Promise.all([put(outside, "secret.txt"), put(outside, `sub/more.txt`), put(outside, `${canary}.txt`)]);
  await put(evil, "secret.txt");
  for (const path of [...deniedSamples, ...secretFiles]) await put(root, path);
  await place.put("src/a.ts", "export const a = 1;\n");
  await place.put("src/deep/b.ts", "export const b = 2;\n");
  await place.put(".brainignore", "private/\n*.secret\n");
  await place.put("nested/.brainignore", "own.txt\n");
  for (const [name, target] of Object.entries(links)) await symlink(named(target), join(root, name));
  await symlink("..", join(outside, "back"));
  await hardLinks(root);
  makePipes(["pipe", "src/pipe"].map((path) => join(root, path)));
  const server = await socketAt(join(root, "socket"));
  return {
    place,
    root,
    outside,
    named,
    state: async () => (await Promise.all([root, outside, evil].map(stateOf))).flat(),
    [Symbol.asyncDispose]: async () => {
      server.close();
      await Promise.all([root, outside, evil].map((folder) => rm(folder, { recursive: true, force: true })));
    },
  };
}

async function hardLinks(root: string): Promise<void> {
  const pairs = {
    "hard.txt": ".env",
    "src/hardDeep.txt": ".ssh/known_hosts",
    "hardKey.txt": "server.pem",
    "hardBrain.txt": ".brain/MEMORY.md",
    "hardIgnored.txt": "private/plan.txt",
  };
  for (const [name, target] of Object.entries(pairs)) await link(join(root, target), join(root, name));
}

/** Makes pipes that nobody writes to. */
export function makePipes(paths: readonly string[]): void {
  execFileSync("sh", ["-c", 'mkfifo "$@"', "sh", ...paths]);
}

async function socketAt(path: string): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(path, resolve);
  });
  return server;
}

async function put(folder: string, path: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), `${canary} of ${path}\n`);
}

/** One line for each entry below a folder; links are not followed. */
export async function stateOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const states = entries.map(async (entry) => {
    const path = join(folder, entry.name);
    const { ino, size, mtimeNs, mode } = await lstat(path, { bigint: true });
    return [[path, ino, size, mtimeNs, mode].join(" "), ...(entry.isDirectory() ? await stateOf(path) : [])];
  });
  return (await Promise.all(states)).flat();
}

function words(text: string): string[] {
  return text.trim().split(/\s+/u);
}
