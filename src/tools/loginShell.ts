// The environment of a person's own terminal: their login shell is started once, as a terminal would, and asked for it.
import { once } from "node:events";
import { randomUUID } from "node:crypto";
import { homedir, userInfo } from "node:os";
import path from "node:path";
import { endFamily, marked, start } from "./processGroup.ts";
import { markName } from "./processTree.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface LoginShellOptions {
  /** What the editor itself was started with. */
  readonly env: Environment;
  /** Told in a sentence when the shell gave nothing. */
  readonly log: (message: string) => void;
  /** Milliseconds that the shell may take. */
  readonly patience: number;
  /** Ends the shell with all that it has started. */
  readonly signal: AbortSignal;
}

/** The same words in every shell that is known here; what they mean is in the environment. */
const line = '"$BRAIN_SHELL_NODE" -e "$BRAIN_SHELL_PRINT"';
/** Without the mark itself, so that a shell which prints what it runs prints no second one. */
const print = `const own = /^(BRAIN_SHELL_|${markName}$)/, mark = process.env.BRAIN_SHELL_MARK;
for (const name of Object.keys(process.env)) if (own.test(name)) delete process.env[name];
process.stdout.write("\\n" + mark + "<" + JSON.stringify(process.env) + ">" + mark + "\\n");`;

const asLogin = ["-i", "-l", "-c", line];
const shells: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(["bash", "zsh", "fish", "ksh", "mksh", "dash", "ash", "sh"].map((name) => [name, asLogin])),
  // Theirs is not an option beside others.
  ...Object.fromEntries(["csh", "tcsh"].map((name) => [name, ["-ic", line]])),
};

/** What a shell sets for itself, or what only the process that printed it had. */
const ownNames: ReadonlySet<string> = new Set(["PWD", "OLDPWD", "SHLVL", "_", "VSCODE_RESOLVING_ENVIRONMENT"]);
const editorNames = /^(?:VSCODE_|ELECTRON_)/;
/** In characters: no environment is larger. */
const mostKept = 8_000_000;

/**
 * The environment after the files that a login shell reads (`.zprofile`, `.bashrc` and the like). The shell runs in the
 * home folder. Where it gives none, in time or at all, the answer is the environment as it is, and why is logged. Never
 * rejects.
 */
export async function loginEnvironment(options: LoginShellOptions): Promise<Environment> {
  const { env, log } = options;
  try {
    const found = await ask(shellOf(env), options);
    const kept = Object.entries(found).filter(([name]) => !ownNames.has(name) && !editorNames.test(name));
    return Object.fromEntries(kept);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    log(`Commands run with the editor’s own PATH and variables, not with those of your terminal: ${why}`);
    return env;
  }
}

export interface PersonEnvironment {
  /** What commands find. The shell is started when it is first asked, once. Rejects only with what `wanted` throws. */
  readonly get: () => Promise<Environment>;
  /** Ends a shell that is still at work. */
  readonly dispose: () => void;
}

interface PersonEnvironmentOptions extends Omit<LoginShellOptions, "signal"> {
  /** Whether the shell may be started, asked every time. */
  readonly wanted: () => boolean;
}

/** The environment of the login shell, or where it is not wanted the one that is there. */
export function personEnvironment({ wanted, ...options }: PersonEnvironmentOptions): PersonEnvironment {
  const over = new AbortController();
  let asked: Promise<Environment> | null = null;
  const { env } = options;
  // The command line of the editor hands on the environment of the terminal that it was started in.
  const hasIt = process.platform === "win32" || env["VSCODE_CLI"] === "1";
  return {
    get: async () => {
      if (hasIt || !wanted()) return env;
      return (asked ??= loginEnvironment({ ...options, signal: over.signal }));
    },
    dispose: () => over.abort(),
  };
}

interface Shell {
  readonly file: string;
  readonly args: readonly string[];
}

/** @throws when it is none that is known here */
function shellOf(env: Environment): Shell {
  const file = env["SHELL"] ?? userInfo().shell ?? "";
  const args = shells[path.basename(file)];
  if (!path.isAbsolute(file) || args === undefined)
    throw new Error(`how to ask the shell “${file}” for them is not known.`);
  return { file, args };
}

/** @throws when the shell gave no environment */
async function ask({ file, args }: Shell, { env, patience, signal }: LoginShellOptions): Promise<Environment> {
  const mark = randomUUID();
  const child = start(marked({ file, args, env: childEnvironment(env, mark) }, mark), homedir(), "closed");
  child.stderr.resume();
  if (child.pid === undefined) {
    const [error]: unknown[] = await once(child, "error");
    throw error instanceof Error ? error : new Error(String(error));
  }
  const ended = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const stop = (): void => void endFamily({ mark, shell: { pid: child.pid ?? 0, ended } });
  let expire = (): void => undefined;
  const late = new Promise<"late">((resolve) => (expire = () => resolve("late")));
  // Also what it does after it has answered has an end.
  const timer = setTimeout(() => (stop(), expire()), patience);
  signal.addEventListener("abort", () => (stop(), expire()), { once: true });
  if (signal.aborted) stop();
  child.once("exit", () => clearTimeout(timer));
  const printed = await Promise.race([heard(child.stdout, mark), late]);
  child.stdout.destroy();
  child.stderr.destroy();
  if (printed === "late") throw new Error(`${file} did not answer within ${patience / 1_000} s.`);
  if (printed === null) throw new Error(`${file} ended before it could say.`);
  return printed;
}

function childEnvironment(env: Environment, mark: string): Record<string, string> {
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || editorNames.test(name) ? [] : [[name, value] as const],
  );
  return {
    ...Object.fromEntries(kept),
    // What the files of a login shell that are slow, or ask, look for.
    VSCODE_RESOLVING_ENVIRONMENT: "1",
    // The editor's program is Node only with it.
    ELECTRON_RUN_AS_NODE: "1",
    BRAIN_SHELL_NODE: process.execPath,
    BRAIN_SHELL_PRINT: print,
    BRAIN_SHELL_MARK: mark,
  };
}

/** What stands between the marks, as soon as it is there; null when the output ends without. */
async function heard(output: NodeJS.ReadableStream, mark: string): Promise<Environment | null> {
  const [begin, end] = [`${mark}<`, `>${mark}`];
  output.setEncoding("utf8");
  let text = "";
  for await (const chunk of output) {
    text += String(chunk);
    const from = text.indexOf(begin);
    // What comes before may be of any length.
    if (from === -1) text = text.slice(-begin.length);
    else if (text.includes(end)) return environmentIn(text.slice(from + begin.length, text.indexOf(end, from)));
    else if (text.length > mostKept) return null;
  }
  return null;
}

function environmentIn(json: string): Environment | null {
  const value: unknown = JSON.parse(json);
  if (typeof value !== "object" || value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, String(member)]));
}
