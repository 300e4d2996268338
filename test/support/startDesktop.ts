// `npm run start:desktop`: the development build of Brain in the desktop VS Code of this machine, on a copy of the example.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { playground } from "./example.ts";
import { cleanEnv, root, run } from "./run.ts";

const names = process.platform === "win32" ? ["code.cmd", "codium.cmd"] : ["code", "code-insiders", "codium"];
const applications = [
  "/Applications/Visual Studio Code.app/Contents/Resources/app/bin/code",
  "/Applications/VSCodium.app/Contents/Resources/app/bin/codium",
];

function findDesktop(): string | undefined {
  const given = process.env["VSCODE_PATH"];
  if (given) return given;
  const folders = (process.env["PATH"] ?? "").split(path.delimiter).filter((folder) => folder !== "");
  const candidates = folders.flatMap((folder) => names.map((name) => path.join(folder, name)));
  return [...candidates, ...applications].find((file) => existsSync(file));
}

function launch(command: string, args: readonly string[]): Promise<number> {
  const onWindows = process.platform === "win32";
  // Windows starts a .cmd through its shell only, which wants the quotes itself.
  const quote = (text: string): string => (onWindows ? `"${text}"` : text);
  const options = { stdio: "inherit", shell: onWindows, env: cleanEnv() } as const;
  const child = spawn(quote(command), args.map(quote), options);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

async function main(): Promise<number> {
  const command = findDesktop();
  if (command === undefined) {
    console.error(
      "No desktop VS Code was found. Install it and its `code` command, or set VSCODE_PATH=/path/to/code. " +
        "`npm start` needs none: it brings a VS Code for the browser (Linux on x64).",
    );
    return 1;
  }
  console.log("Brain: building …");
  await run(process.execPath, ["esbuild.mjs"]);
  const workspace = await playground(process.argv.includes("--reset"));
  console.log(`Opening ${path.relative(root, workspace)} with ${command}: click the Brain icon on the left.`);
  return launch(command, [
    "--new-window",
    // A profile of its own: nothing of the person's editor is touched, and no other extension joins in.
    `--user-data-dir=${path.join(root, ".dev/desktop/user-data")}`,
    `--extensions-dir=${path.join(root, ".dev/desktop/extensions")}`,
    `--extensionDevelopmentPath=${root}`,
    "--disable-workspace-trust",
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    workspace,
  ]);
}

process.exitCode = await main();
