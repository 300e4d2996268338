// Whether the walls hold on this machine: one command inside that must do what is allowed and fail at what is not.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import { homedir } from "node:os";
import path from "node:path";
import type { Launch } from "./launch.ts";

export type SandboxState =
  | { readonly kind: "on" }
  /** `why` and `advice` are sentences for a person: why commands run without it, and what to do about that. */
  | { readonly kind: "off"; readonly why: string; readonly advice: string };

/** It can write here, and neither read or move what is denied, nor write elsewhere, nor reach a port of this machine. */
const trial = (port: number): string =>
  [
    "touch inside",
    "! cat .env",
    "! mv .env other",
    "! { ln .env other && cat other; }",
    `! touch "$OUTSIDE"`,
    `! nc -z -w 2 127.0.0.1 ${port}`,
    `! bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}'`,
  ].join(" && ");
const patience = 10_000;

/** What confines commands on a system. */
export interface Confiner {
  /** In words for a person. */
  readonly name: string;
  readonly isThere: () => boolean;
  /** What a person can do where it is not there. */
  readonly install: string;
}

/**
 * Never throws.
 * @param wrap closes a command in, in a workspace that has a `.env`
 * @param cwd that workspace
 */
export async function probeWalls(
  confiner: Confiner,
  wrap: (launch: Launch) => Promise<Launch>,
  cwd: string,
): Promise<SandboxState> {
  const { name, install } = confiner;
  if (!confiner.isThere())
    return { kind: "off", why: `Commands run without a sandbox: ${name} is not installed.`, advice: install };
  const outside = path.join(homedir(), `.brain-outside-${process.pid}`);
  try {
    await using port = await listen();
    const env = { PATH: process.env["PATH"] ?? "", OUTSIDE: outside };
    const said = await ended(await wrap({ file: "/bin/sh", args: ["-c", trial(port.number)], env }), cwd);
    const held = said === null && port.visits() === 0 && !existsSync(outside);
    return held ? { kind: "on" } : { kind: "off", ...inWords(confiner, said ?? "") };
  } catch (error) {
    return { kind: "off", ...inWords(confiner, error instanceof Error ? error.message : String(error)) };
  } finally {
    await rm(outside, { force: true }).catch(() => undefined);
  }
}

/** A port of this machine, that nothing in the sandbox may reach. */
async function listen(): Promise<{ readonly number: number; visits(): number } & AsyncDisposable> {
  let visits = 0;
  const server = createServer((socket) => {
    visits++;
    socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  return {
    number: address !== null && typeof address === "object" ? address.port : 0,
    visits: () => visits,
    [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

/** @returns what it said when it failed */
function ended({ file, args, env }: Launch, cwd: string): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(file, args, { cwd, env: { ...env }, timeout: patience }, (error, _, said) => {
      resolve(error === null ? null : said);
    });
  });
}

function inWords({ name }: Confiner, said: string): { readonly why: string; readonly advice: string } {
  const line = said.split("\n").find((one) => /^(?:bwrap|sandbox-exec):/.test(one)) ?? "its walls do not hold here";
  return {
    why: `Commands run without a sandbox: ${name} does not work on this system (${line.replace(/^[\w-]+: /, "")}).`,
    advice: adviceOn(line),
  };
}

function adviceOn(line: string): string {
  if (!line.startsWith("bwrap")) return "The log of the system may say more.";
  return /permission|permitted|uid map|namespace/i.test(line)
    ? "The system must let bwrap make user namespaces: by an AppArmor profile on Ubuntu, by the container’s security options elsewhere."
    : "Running `bwrap --ro-bind / / true` in a terminal tells more.";
}
