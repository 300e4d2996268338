// Three bundles: the extension (vscode external), the headless engine and command line (no vscode anywhere), the panel.
import * as esbuild from "esbuild";
import { cp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { panelBundle } from "./esbuild.panel.mjs";

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
  { ...common, ...panelBundle, entryPoints: { main: "webview/main.tsx" }, outdir: "dist/webview" },
];

await rm("dist/extension", { recursive: true, force: true });
await rm("dist/headless", { recursive: true, force: true });
await rm("dist/webview", { recursive: true, force: true });
await mkdir("dist/webview", { recursive: true });
for (const file of ["codicon.css", "codicon.ttf"])
  await cp(`node_modules/@vscode/codicons/dist/${file}`, `dist/webview/${file}`);

if (watch) for (const build of builds) await (await esbuild.context(build)).watch();
else {
  const results = await Promise.all(builds.map((build) => esbuild.build({ ...build, metafile: true })));
  await writeNotices(results.flatMap((result) => Object.keys(result.metafile.inputs)));
}

/** The licences of everything that is bundled, as their authors ask: dist/NOTICES.txt, which ships with the extension. */
async function writeNotices(inputs) {
  const names = inputs.map((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]).filter(Boolean);
  const bundled = [...new Set([...names, "@vscode/codicons"])].toSorted((a, b) => a.localeCompare(b));
  const notices = await Promise.all(bundled.map(noticeOf));
  await writeFile("dist/NOTICES.txt", `Brain contains these packages:\n\n${notices.join("\n\n")}\n`);
}

async function noticeOf(name) {
  const folder = `node_modules/${name}`;
  const { version, license } = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = await Promise.all(files.map((file) => readFile(`${folder}/${file}`, "utf8")));
  return [`${name} ${version} (${license})`, ...texts.map((text) => text.trim())].join("\n\n");
}
