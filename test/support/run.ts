// Where the repository is, and how the test tools run other programs: quietly, in clean surroundings, or streamed.
import { spawn } from "node:child_process";
import path from "node:path";

/** The repository's folder. */
export const root = path.resolve(import.meta.dirname, "../..");

// npm hands its own state to every child. Only what says where packages come from may go further: `ignore-scripts`,
// the prefix or the life-cycle names of an outer `npm start` would change what an inner npm or VS Code does.
const npmKeys = /^npm_config_(registry|userconfig|globalconfig|cache|cafile|proxy|https_proxy|noproxy)$/;
const foreign = /^(npm_|VSCODE_|CODE_SERVER_|ELECTRON_|NODE_OPTIONS$|INIT_CWD$|NODE$|PORT$|PASSWORD$|HASHED_PASSWORD$)/;

/** The environment of this process without what npm, an editor or a debugger left in it. */
export function cleanEnv(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([key]) => npmKeys.test(key) || !foreign.test(key));
  return { ...Object.fromEntries(kept), ...extra };
}

/** Takes what a program says, piece by piece. */
export type Print = (text: string) => void;

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Is given the output as it comes; otherwise it is kept and shown only in the error. */
  readonly print?: Print;
}

export interface RunResult {
  readonly code: number;
  readonly output: string;
}

/** Runs a program to its end and gives its exit code and output, whatever they are. */
export function runToEnd(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? root,
      env: options.env ?? process.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const take = (chunk: string): void => {
      output += chunk;
      options.print?.(chunk);
    };
    child.stdout.setEncoding("utf8").on("data", take);
    child.stderr.setEncoding("utf8").on("data", take);
    child.once("error", (error) => resolve({ code: 127, output: `${output}${error.message}\n` }));
    child.once("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

/** Runs a program that has to succeed. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, output } = await runToEnd(command, args, options);
  if (code === 0) return output;
  const tail = options.print ? "" : `:\n${output.split("\n").slice(-40).join("\n")}`;
  throw new Error(`${[path.basename(command), ...args].join(" ")} ended with ${code}${tail}`);
}

/** Runs npm: the one that started us where there is one, as its name alone does not start on every platform. */
export function npm(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const own = process.env["npm_execpath"] ?? "";
  return path.basename(own).startsWith("npm-cli")
    ? runToEnd(process.execPath, [own, ...args], options)
    : runToEnd("npm", args, options);
}

/** Resolves after so many milliseconds. */
export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
