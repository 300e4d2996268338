// The sandbox's profile as arguments of bubblewrap; pure but for what the machine keeps where.
import { existsSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import type { ClosedPath } from "./closedPaths.ts";
import { gateInside } from "./hostGate.ts";
import type { Launch } from "./launch.ts";
import type { OpenPath, OpenPaths } from "./openPaths.ts";
import { relativeInside } from "./roots.ts";

/** What a command is closed in by. Absolute real paths. */
export interface Walls {
  /** The places that can be written, beside the temporary folder. */
  readonly roots: readonly string[];
  /** Where only a part of a root is there for the command. */
  readonly open: OpenPaths;
  /** Stands in for the temporary folders, where other programs keep sockets too. */
  readonly temp: string;
  /** A file that nobody may open and a folder that is empty: they stand in for what must not be read. */
  readonly blockedFile: string;
  readonly blockedFolder: string;
  readonly closed: readonly ClosedPath[];
  /** The socket, or where the network is not apart the port, that leads to the network; null: nothing does. */
  readonly gate: string | number | null;
}

/** Every process, network, message queue and user of its own; ends with the process that started it; no rights of root. */
const apart =
  "--die-with-parent --unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-cgroup-try --cap-drop ALL";

/** Sockets of other programs are there: whoever reaches one makes that program act. Some systems keep their programs there too. */
const runtime = ["/run", "/var/run"];
const programs = ["/run/current-system", "/run/wrappers", "/run/opengl-driver"];

/** What of the kernel can be set through its processes; a user who is root owns it even without the rights of root. */
const kernel = ["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi"];

/** Bubblewrap takes no more than 9,000 arguments. */
const mostClosed = 2_500;

/** Where systems keep it. Never looked for in PATH, where a workspace may have put a program of that name. */
const places = ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"];

export function bubblewrapFile(): string | null {
  return places.map((place) => `${place}/bwrap`).find((file) => existsSync(file)) ?? null;
}

/** @throws when there is none, or more must be closed than it takes */
export function bubblewrap(launch: Launch, cwd: string, walls: Walls): Launch {
  const { roots, open, temp, closed, gate } = walls;
  const file = bubblewrapFile();
  if (file === null) throw new Error("Bubblewrap is not installed any more, so nothing can run in the sandbox.");
  const mounts = closed.length + [...open.values()].flat().length;
  if (mounts > mostClosed)
    throw new Error(
      `${mounts} files must be closed or opened to commands, and the sandbox takes ${mostClosed}: with outside_sandbox a person can let it run outside.`,
    );
  const args = [
    ...`${apart} --ro-bind / / --dev /dev --proc /proc`.split(" "),
    ...runtime.filter((folder) => isOwnFolder(folder)).flatMap((folder) => ["--tmpfs", folder]),
    ...[...kernel, ...programs].flatMap((place) => ["--ro-bind-try", place, place]),
    ...[...new Set(["/tmp", realpathSync(tmpdir())])].flatMap((folder) => ["--bind", temp, folder]),
    // It may stand in what the temporary folder covers.
    ...(launch.file === process.execPath ? ["--ro-bind", launch.file, launch.file] : []),
    ...(typeof gate === "string" ? ["--bind", gate, gateInside] : []),
    // A root that lies in another one must not be covered by it.
    ...roots.toSorted((a, b) => a.length - b.length).flatMap((root) => mountRoot(root, open.get(root), cwd)),
    // Last, because roots are made in one another: nothing can be made there from now on.
    ...[...open.keys()].flatMap((root) => ["--remount-ro", root]),
    // What lies above is mounted first: it would cover what lies below.
    ...closed.toSorted((a, b) => a.path.length - b.path.length).flatMap((one) => mountOf(one, walls)),
    "--chdir",
    cwd,
    "--",
    launch.file,
    ...launch.args,
  ];
  return { file, args, env: { ...launch.env, ...temporary } };
}

/** Where only a part of it is there, the root itself is another, empty folder. */
function mountRoot(root: string, open: readonly OpenPath[] | undefined, cwd: string): readonly string[] {
  if (open === undefined) return ["--bind", root, root];
  const parts = open.flatMap(({ path, how }) => [how === "writable" ? "--bind" : "--ro-bind", path, path]);
  const start = relativeInside(root, cwd) === null ? [] : ["--dir", cwd];
  return ["--tmpfs", root, ...parts, ...start];
}

function mountOf({ path, how }: ClosedPath, { blockedFile, blockedFolder }: Walls): readonly string[] {
  switch (how) {
    case "file":
      return ["--ro-bind", blockedFile, path];
    case "folder":
      return ["--ro-bind", blockedFolder, path];
    case "readOnly":
      return ["--ro-bind", path, path];
    case "fixed":
      return ["--bind", path, path];
  }
}

/** Where tools that insist on a cache of their own keep it, as a person's home cannot be written. */
const temporary = {
  TMPDIR: "/tmp",
  TMP: "/tmp",
  TEMP: "/tmp",
  GOCACHE: "/tmp/.cache/go-build",
  npm_config_cache: "/tmp/.cache/npm",
};

function isOwnFolder(folder: string): boolean {
  return existsSync(folder) && realpathSync(folder) === folder;
}
