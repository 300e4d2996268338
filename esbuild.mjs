// Three bundles: the extension (vscode external), the headless engine and command line (no vscode anywhere), the panel.
import * as esbuild from "esbuild";
import { cp, mkdir, rm } from "node:fs/promises";

const production = process.argv.includes("--production");
const watch = process.argv.includes("--watch");

// CommonJS packages inside an ES module bundle ask for `require` at run time.
const requireBanner = {
  js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
};
const common = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : "linked",
  logLevel: "warning",
  legalComments: "none",
};
const node = { ...common, platform: "node", format: "esm", target: "node22", splitting: true, banner: requireBanner };

const builds = [
  {
    ...node,
    entryPoints: ["src/extension.ts"],
    outdir: "dist",
    chunkNames: "extension/[name]-[hash]",
    external: ["vscode"],
  },
  {
    ...node,
    entryPoints: { engine: "src/headless.ts", cli: "src/cli.ts" },
    outdir: "dist",
    chunkNames: "headless/[name]-[hash]",
  },
  {
    ...common,
    entryPoints: { main: "webview/main.tsx" },
    outdir: "dist/webview",
    platform: "browser",
    format: "esm",
    target: "es2022",
    splitting: true,
    chunkNames: "[name]-[hash]",
    jsx: "automatic",
    jsxImportSource: "preact",
    loader: { ".ttf": "file" },
  },
];

await rm("dist/extension", { recursive: true, force: true });
await rm("dist/headless", { recursive: true, force: true });
await rm("dist/webview", { recursive: true, force: true });
await mkdir("dist/webview", { recursive: true });
for (const file of ["codicon.css", "codicon.ttf"])
  await cp(`node_modules/@vscode/codicons/dist/${file}`, `dist/webview/${file}`);

if (watch) for (const build of builds) await (await esbuild.context(build)).watch();
else await Promise.all(builds.map((build) => esbuild.build(build)));
