// The sandbox's profile for macOS, in the words of its own sandbox. Pure.
import type { Walls } from "./bubblewrap.ts";
import type { ClosedPath } from "./closedPaths.ts";
import type { Launch } from "./launch.ts";
import type { OpenPath, OpenPaths } from "./openPaths.ts";

/** It belongs to the system, which lets nobody change it. */
export const seatbeltFile = "/usr/bin/sandbox-exec";

/** What macOS takes as the arguments and the environment of a program is a megabyte. */
const longest = 400_000;

/** What answers questions about users, time, folders and changed files. Nothing that opens programs, keys or the network. */
const services = [
  "com.apple.system.opendirectoryd.libinfo",
  "com.apple.system.opendirectoryd.membership",
  "com.apple.system.notification_center",
  "com.apple.system.logger",
  "com.apple.logd",
  "com.apple.bsd.dirhelper",
  "com.apple.FSEvents",
].map((name) => `(global-name ${quoted(name)})`);

const writtenByAll = ["/dev/null", "/dev/zero", "/dev/dtracehelper"];

/** @throws when more must be closed than it takes */
export function seatbelt(launch: Launch, walls: Walls): Launch {
  const profile = profileOf(walls);
  if (profile.length > longest)
    throw new Error(
      `${walls.closed.length} files must be closed to commands, which is more than the sandbox takes: with outside_sandbox a person can let it run outside.`,
    );
  const { temp } = walls;
  const temporary = { TMPDIR: temp, TMP: temp, TEMP: temp };
  const caches = { GOCACHE: `${temp}/.cache/go-build`, npm_config_cache: `${temp}/.cache/npm` };
  const env = { ...launch.env, ...temporary, ...caches };
  return { file: seatbeltFile, args: ["-p", profile, launch.file, ...launch.args], env };
}

/** Of several rules about one thing the last one counts: what is denied stands below what is allowed. */
export function profileOf({ roots, open, temp, closed, gate }: Walls): string {
  const places = [...roots.flatMap((root) => writableIn(root, open)), temp];
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-exec process-fork sysctl-read ipc-posix-sem)",
    "(allow signal process-info* (target same-sandbox))",
    `(allow mach-lookup ${services.join(" ")})`,
    "(allow file-read*)",
    // A root that lies in another one is not covered by it.
    ...[...open].toSorted(([a], [b]) => a.length - b.length).flatMap(([root, parts]) => partly(root, parts)),
    `(allow file-write* ${writtenByAll.map((file) => `(literal ${quoted(file)})`).join(" ")})`,
    // No other port of this machine: the programs behind them are a person's own.
    ...(typeof gate === "number" ? [`(allow network-outbound (remote ip ${quoted(`localhost:${gate}`)}))`] : []),
    `(allow file-write* ${places.map((place) => `(subpath ${quoted(real(place))})`).join(" ")})`,
    ...closed.map(ruleFor),
    ...heldOf(places, closed),
  ].join("\n");
}

function writableIn(root: string, open: OpenPaths): readonly string[] {
  const parts = open.get(root);
  return parts ? parts.filter(({ how }) => how === "writable").map(({ path }) => path) : [root];
}

/** Where only a part of a root is there, the rest cannot be read; the way to the part can still be walked. */
function partly(root: string, parts: readonly OpenPath[]): readonly string[] {
  const ways = [root, ...parts.flatMap(({ path }) => foldersBetween(root, path))];
  return [
    `(deny file-read* ${below(root)})`,
    ...parts.map(({ path }) => `(allow file-read* (subpath ${quoted(real(path))}))`),
    ...[...new Set(ways)].map((folder) => `(allow file-read-metadata (literal ${quoted(real(folder))}))`),
  ];
}

function ruleFor({ path, how }: ClosedPath): string {
  switch (how) {
    case "file":
    case "folder":
      return `(deny file-read* file-write* ${below(path)})`;
    case "readOnly":
      return `(deny file-write* ${below(path)})`;
    case "fixed":
      return `(deny file-write-unlink ${exactly(path)})`;
  }
}

/** Rules go by the path: whoever moves a folder takes what is closed in it out of their reach. */
function heldOf(places: readonly string[], closed: readonly ClosedPath[]): readonly string[] {
  const above = closed.flatMap(({ path }) =>
    places.filter((place) => path.startsWith(`${place}/`)).flatMap((place) => foldersBetween(place, path)),
  );
  return [...new Set([...places, ...above])].map((folder) => `(deny file-write-unlink ${exactly(folder)})`);
}

function foldersBetween(place: string, path: string): readonly string[] {
  const names = path.slice(place.length + 1).split("/");
  return names.slice(0, -1).map((_, index) => [place, ...names.slice(0, index + 1)].join("/"));
}

/** In any case: the disks of macOS do not tell one from the other. */
function below(path: string): string {
  return `(subpath ${quoted(real(path))}) (regex ${quoted(`^${inAnyCase(real(path))}(/|$)`)})`;
}

function exactly(path: string): string {
  return `(literal ${quoted(real(path))}) (regex ${quoted(`^${inAnyCase(real(path))}$`)})`;
}

/** The system knows these folders by another name than people do. */
function real(path: string): string {
  return /^\/(?:var|tmp|etc)(?:\/|$)/.test(path) ? `/private${path}` : path;
}

/** A pattern for exactly this text, whatever the case of its letters from a to z. */
function inAnyCase(text: string): string {
  return text.replaceAll(/[a-z]|[.*+?|(){}[\]^$\\]/gi, (sign) =>
    /[a-z]/i.test(sign) ? `[${sign.toLowerCase()}${sign.toUpperCase()}]` : `\\${sign}`,
  );
}

/** A text as the profile's language writes it. */
function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
