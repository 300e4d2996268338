// Runs a script with Node 22.18 or newer and with the packages of the lock file installed: the first step of `npm start` and `npm test`.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

// This file alone must also run on the older Node that a person may have: Node 20, built-in modules only.
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const modules = path.join(root, "node_modules");
const stamp = path.join(modules, ".brain-stamp");
const wanted = [22, 18];

/** @param {string} message */
function stop(message) {
  console.error(message);
  process.exit(1);
}

/** @param {string} file */
function readText(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/**
 * Whether what npm wrote down as installed is what the lock file asks for (packages of other platforms may be absent).
 * @param {string} lock
 */
function isInstalledByHand(lock) {
  const installed = readText(path.join(modules, ".package-lock.json"));
  if (installed === "") return false;
  const { packages: have } = JSON.parse(installed);
  const want = Object.entries(JSON.parse(lock).packages).filter(([where]) => where !== "");
  return want.every(([where, { version, optional }]) =>
    have[where] === undefined ? optional === true : have[where].version === version,
  );
}

function npmCi() {
  console.log("Installing the packages of package-lock.json (npm ci, about half a minute) …");
  const env = { ...process.env, npm_config_loglevel: "error" };
  const options = { cwd: root, stdio: "inherit", env };
  const npm = process.env["npm_execpath"];
  const { status } = npm
    ? spawnSync(process.execPath, [npm, "ci", "--ignore-scripts"], options)
    : spawnSync("npm ci --ignore-scripts", { ...options, shell: true });
  if (status !== 0) stop("`npm ci` failed: see the lines above. Run it by hand in the repository, then try again.");
}

function ensurePackages() {
  const lock = readText(path.join(root, "package-lock.json"));
  const print = createHash("sha256").update(lock).digest("hex");
  if (readText(stamp) === print) return;
  if (!isInstalledByHand(lock)) npmCi();
  writeFileSync(stamp, print);
}

/** @param {string} version */
function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > wanted[0] || (major === wanted[0] && minor >= wanted[1]);
}

function findNode() {
  if (isNewEnough(process.versions.node)) return process.execPath;
  const packaged = readdirSync(modules).filter((name) => name.startsWith("node-linux-"));
  const binary = packaged.map((name) => path.join(modules, name, "bin/node")).find((file) => existsSync(file));
  return (
    binary ??
    stop(
      `Brain's sources run on Node ${wanted.join(".")} or newer, and this is Node ${process.versions.node}. ` +
        "Install Node 24 (or 22.18 and up) from nodejs.org or with a version manager, then run the same command again.",
    )
  );
}

/** @param {string} node */
function pathBefore(node) {
  const key = Object.keys(process.env).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
  const first = [path.join(modules, ".bin"), path.dirname(node)];
  return { [key]: [...first, process.env[key] ?? ""].join(path.delimiter) };
}

function start() {
  const args = process.argv.slice(2);
  if (args.length === 0) stop("Usage: node test/support/withNode.mjs SCRIPT [ARGUMENTS]");
  ensurePackages();
  const node = findNode();
  const child = spawn(node, args, { stdio: "inherit", env: { ...process.env, ...pathBefore(node) } });
  // A terminal's Ctrl+C reaches the child by itself; a signal sent to this process alone does not.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  // A signal to npm ends npm and its shell, and neither passes it on: without this, a server would stay behind.
  const parent = process.ppid;
  const orphaned = () => process.ppid !== parent && child.kill("SIGTERM");
  if (process.env["npm_lifecycle_event"]) setInterval(orphaned, 500).unref();
  child.once("error", (error) => stop(`Could not start ${node}: ${error.message}`));
  child.once("exit", (code, signal) => process.exit(code ?? 128 + (os.constants.signals[signal] ?? 0)));
}

start();
