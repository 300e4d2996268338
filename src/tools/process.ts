// One shell command that has been started: its output as it comes, its input, and how it ends.
import { once } from "node:events";
import { StringDecoder } from "node:string_decoder";
import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Launch } from "../scope/launch.ts";
import { keptOutput, type KeptOutput } from "./keptOutput.ts";
import { liveOutput, type LiveOutput } from "./liveOutput.ts";
import type { OutputLog } from "./outputLog.ts";
import { endFamily, isAlive, marked, start, type Child, type Family } from "./processGroup.ts";

export interface CommandLine {
  readonly launch: Launch;
  /** Absolute path. */
  readonly cwd: string;
  readonly input: "closed" | "open";
  /** Its processes are found by it. */
  readonly mark: string;
}

export type CommandEnd =
  | { readonly kind: "exited"; readonly code: number }
  /** Ended from outside, not by us. */
  | { readonly kind: "killed"; readonly signal: string }
  | { readonly kind: "timeout" }
  | { readonly kind: "stopped" }
  | { readonly kind: "notStarted"; readonly message: string };

export interface StartedCommand {
  readonly family: Family;
  readonly kept: KeptOutput;
  /** What it has printed, in bytes. */
  readonly bytes: () => number;
  /** It has printed what is no text. */
  readonly binary: () => boolean;
  /** When it printed last, in milliseconds. */
  readonly spokeAt: () => number;
  /** Settles when the shell has ended and its output has come, or is not going to. Never rejects. */
  readonly ended: Promise<CommandEnd>;
  /** Whether it has left processes behind that go on; only after the end. */
  readonly leftBehind: () => boolean;
  /** Ends it with everything it has started; what is left behind too. Never rejects. */
  stop(why: "timeout" | "stopped"): Promise<void>;
  /** Types a text into it; null ends its input. */
  type(text: string | null): void;
  /** Nobody watches any more: what comes from now on is only in the log. */
  unwatch(): void;
}

/** How long output is waited for after the exit, in milliseconds: a process left behind may hold the pipe for ever. */
const drain = 250;
const settling = 50;
const mostKept = 100_000;

/**
 * Starts a command (BRAIN-EXEC-5).
 * @param output receives the output as it comes, control sequences included
 * @throws when it cannot be started
 */
export async function startCommand(
  line: CommandLine,
  log: OutputLog,
  output: (chunk: string) => void,
): Promise<StartedCommand> {
  const child = start(marked(line.launch, line.mark), line.cwd, line.input);
  const family = await familyOf(child, line.mark);
  const heard: Heard = {
    kept: keptOutput(mostKept),
    live: liveOutput(output),
    bytes: 0,
    binary: false,
    at: Date.now(),
  };
  // Nobody may be reading any more.
  child.stdin?.on("error", () => undefined);
  for (const stream of [child.stdout, child.stderr]) listen(stream, heard, log);
  let why: "timeout" | "stopped" | null = null;
  let left = false;
  let stopping: Promise<void> | null = null;
  const end = async (): Promise<CommandEnd> => {
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    await stopping;
    const streams = await drained(child);
    // Twice: what the shell did not wait for may be about to end.
    left = why === null && (await isAlive(family));
    if (left) await sleep(settling);
    left &&= await isAlive(family);
    // Who is left behind and prints into a closed pipe would die of it.
    if (!left) for (const stream of streams) stream.destroy();
    child.stdin?.destroy();
    heard.live.end();
    await log.flush();
    return why === null ? ownEnd(child) : { kind: why };
  };
  return {
    family,
    kept: heard.kept,
    bytes: () => heard.bytes,
    binary: () => heard.binary,
    spokeAt: () => heard.at,
    ended: end(),
    leftBehind: () => left,
    async stop(reason) {
      why ??= reason;
      await (stopping ??= endFamily(family));
      for (const stream of [child.stdout, child.stderr]) if (left) stream.destroy();
    },
    type(text) {
      if (text === null) child.stdin?.end();
      else child.stdin?.write(text);
    },
    unwatch: () => heard.live.end(),
  };
}

async function familyOf(child: Child, mark: string): Promise<Family> {
  if (child.pid === undefined) {
    const [error]: unknown[] = await once(child, "error");
    throw error instanceof Error ? error : new Error(String(error));
  }
  const { pid } = child;
  child.on("error", () => undefined);
  return { mark, shell: { pid, ended: () => child.exitCode !== null || child.signalCode !== null } };
}

interface Heard {
  readonly kept: KeptOutput;
  readonly live: LiveOutput;
  bytes: number;
  binary: boolean;
  at: number;
}

function listen(stream: Readable, heard: Heard, log: OutputLog): void {
  const decoder = new StringDecoder("utf8");
  const hear = (text: string): void => {
    heard.kept.add(text);
    heard.live.add(text);
  };
  stream.on("data", (chunk: Buffer) => {
    heard.bytes += chunk.length;
    heard.at = Date.now();
    heard.binary ||= chunk.includes(0);
    const behind = log.add(chunk);
    hear(decoder.write(chunk));
    if (!behind) return;
    stream.pause();
    void behind.then(() => stream.resume());
  });
  stream.on("end", () => hear(decoder.end()));
}

async function drained(child: Child): Promise<readonly Readable[]> {
  const streams = [child.stdout, child.stderr];
  const ended = Promise.allSettled(streams.map((stream) => finished(stream)));
  const giveUp = new AbortController();
  await Promise.race([ended, sleep(drain, undefined, { signal: giveUp.signal }).catch(() => undefined)]);
  giveUp.abort();
  return streams;
}

function ownEnd(child: Child): CommandEnd {
  return child.exitCode === null
    ? { kind: "killed", signal: child.signalCode ?? "a signal" }
    : { kind: "exited", code: child.exitCode };
}
