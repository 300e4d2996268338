// Runs one command to its end, and always comes back: at its exit, at its time limit, or when stopped.
import { once } from "node:events";
import { finished } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Launch } from "../scope/launch.ts";
import { keptOutput, type KeptOutput } from "./keptOutput.ts";
import { liveOutput } from "./liveOutput.ts";
import { endGroup, start, type Child } from "./processGroup.ts";

export interface Command {
  readonly launch: Launch;
  /** Absolute path. */
  readonly cwd: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  /** Receives the output as it comes, control sequences included. */
  readonly output: (chunk: string) => void;
}

type CommandEnd =
  | { readonly kind: "exited"; readonly code: number }
  /** Ended from outside, not by us. */
  | { readonly kind: "killed"; readonly signal: string }
  | { readonly kind: "timeout" }
  | { readonly kind: "stopped" }
  | { readonly kind: "notStarted"; readonly message: string };

export interface CommandResult {
  readonly end: CommandEnd;
  /** Both outputs as they came, plain text, at most the first and the last 100,000 characters. */
  readonly output: string;
}

/** How long output is waited for after the exit, in milliseconds: a process left behind may hold the pipe for ever. */
const drain = 250;
const mostKept = 100_000;

/** Runs the command (BRAIN-EXEC-5). When it is stopped, nothing of its process group is left. Never throws. */
export async function runCommand(command: Command): Promise<CommandResult> {
  const kept = keptOutput(mostKept);
  if (command.signal.aborted) return { end: { kind: "stopped" }, output: "" };
  try {
    const end = await follow(start(command.launch, command.cwd), command, kept);
    return { end, output: kept.text() };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { end: { kind: "notStarted", message }, output: kept.text() };
  }
}

async function follow(child: Child, command: Command, kept: KeptOutput): Promise<CommandEnd> {
  const live = liveOutput(command.output);
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      kept.add(chunk);
      live.add(chunk);
    });

  let stop: "timeout" | "stopped" | undefined;
  let ending: Promise<void> | undefined;
  const end = (why: "timeout" | "stopped"): void => {
    if (stop !== undefined || child.pid === undefined) return;
    stop = why;
    ending = endGroup(child.pid);
  };
  const onAbort = (): void => {
    end("stopped");
  };
  const timer = setTimeout(end, command.timeout, "timeout");
  command.signal.addEventListener("abort", onAbort, { once: true });
  try {
    await once(child, "exit");
  } finally {
    clearTimeout(timer);
    command.signal.removeEventListener("abort", onAbort);
  }
  await ending;
  await drained(child);
  live.end();
  return stop ? { kind: stop } : ownEnd(child);
}

async function drained(child: Child): Promise<void> {
  const streams = [child.stdout, child.stderr];
  const ended = Promise.allSettled(streams.map((stream) => finished(stream)));
  const giveUp = new AbortController();
  await Promise.race([ended, sleep(drain, undefined, { signal: giveUp.signal }).catch(() => undefined)]);
  giveUp.abort();
  for (const stream of streams) stream.destroy();
}

function ownEnd(child: Child): CommandEnd {
  return child.exitCode === null
    ? { kind: "killed", signal: child.signalCode ?? "a signal" }
    : { kind: "exited", code: child.exitCode };
}
