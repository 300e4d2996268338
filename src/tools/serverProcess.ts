// A program that serves over its input and output: started with all it starts in turn, and ended with it.
import { once } from "node:events";
import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Launch } from "../scope/launch.ts";
import type { CommandRecords } from "./commandRecords.ts";
import { endFamily, marked, start, type Child } from "./processGroup.ts";

interface ServerProcess {
  readonly input: Writable;
  readonly output: Readable;
  readonly errors: Readable;
  /** How it ended, such as “with code 1”. Never rejects. */
  readonly ended: Promise<string>;
  /** Ends it with all that it has started. Idempotent, never rejects. */
  end(): Promise<void>;
}

/** Milliseconds: for ending by itself once its input has ended, and for what it has written to arrive after its end. */
const patience = 500;
const drain = 250;

/**
 * @param cwd absolute path
 * @param onEnd called once, when it has ended
 * @throws with the end of a sentence when it cannot be started
 */
export async function startServer(
  launch: Launch,
  cwd: string,
  { records, onEnd }: { readonly records: CommandRecords; readonly onEnd: () => void },
): Promise<ServerProcess> {
  const mark = randomUUID();
  const child = start(marked(forServer(launch), mark), cwd, "open");
  if (child.stdin === null || child.pid === undefined) {
    onEnd();
    const [error]: unknown[] = await once(child, "error");
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new Error(`“${launch.file}” cannot be started (${code}): is it installed, and is its folder there?`);
  }
  child.on("error", () => undefined);
  const { pid } = child;
  const family = { mark, shell: { pid, ended: () => child.exitCode !== null || child.signalCode !== null } };
  const forget = records.add(family);
  const ended = howItEnds(child).finally(onEnd);
  let ending: Promise<void> | null = null;
  const end = async (): Promise<void> => {
    child.stdin?.end();
    await Promise.race([ended, sleep(patience, undefined, { ref: false })]);
    await endFamily(family);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    await (
      await forget
    )();
  };
  // What it has started must not outlive it.
  const endOnce = (): Promise<void> => (ending ??= end().catch(() => undefined));
  void ended.then(endOnce);
  return { input: child.stdin, output: child.stdout, errors: child.stderr, ended, end: endOnce };
}

/** Windows starts scripts such as npx.cmd by its shell only. */
function forServer(launch: Launch): Launch {
  if (process.platform !== "win32" || /\.exe$/i.test(launch.file)) return launch;
  const line = [launch.file, ...launch.args].map((word) => `"${word.replaceAll('"', '""')}"`).join(" ");
  const file = launch.env["COMSPEC"] ?? "cmd.exe";
  return { ...launch, file, args: ["/d", "/s", "/c", `"${line}"`], verbatim: true };
}

async function howItEnds(child: Child): Promise<string> {
  const closed = once(child, "close");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  // Who is left behind may hold the pipes for ever.
  await Promise.race([closed, sleep(drain, undefined, { ref: false })]);
  return child.exitCode === null ? `by ${child.signalCode ?? "a signal"}` : `with code ${child.exitCode}`;
}
