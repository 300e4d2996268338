// Builds what the real extension host loads: the development build of Brain and the bundled test files.
import * as esbuild from "esbuild";
import { glob, rm } from "node:fs/promises";
import path from "node:path";
import { root, run } from "./run.ts";

const source = path.join(root, "test/vscode");
const target = path.join(root, "dist/test-vscode");

/** What `extensionTestsPath` names. */
export const testsEntry = path.join(target, "index.mjs");

/** How many test files there are for a trusted and for an untrusted workspace. */
export async function countHostFiles(): Promise<{ trusted: number; untrusted: number }> {
  const trusted = await Array.fromAsync(glob("*.test.ts", { cwd: source }));
  const untrusted = await Array.fromAsync(glob("untrusted/*.test.ts", { cwd: source }));
  return { trusted: trusted.length, untrusted: untrusted.length };
}

/** Builds Brain as a developer would, then the tests as ES modules beside it. */
export async function buildForHost(): Promise<void> {
  await run(process.execPath, ["esbuild.mjs"]);
  await rm(target, { recursive: true, force: true });
  await esbuild.build({
    entryPoints: [path.join(source, "index.ts"), path.join(source, "**/*.test.ts")],
    outdir: target,
    outbase: source,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node22",
    sourcemap: "inline",
    logLevel: "warning",
    // mocha has to be one instance for the runner and for the test files; the host gives `vscode`.
    external: ["vscode", "mocha"],
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
  });
}
