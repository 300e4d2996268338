// Whether bubblewrap holds on this machine: one command inside that must do what is allowed and fail at what is not.
import { execFile } from "node:child_process";
import { bubblewrapFile } from "./bubblewrap.ts";
import type { Launch } from "./launch.ts";

export type SandboxState =
  | { readonly kind: "on" }
  /** `why` and `advice` are sentences for a person: why commands run without it, and what to do about that. */
  | { readonly kind: "off"; readonly why: string; readonly advice: string };

/** It can write here, and cannot read what is denied. */
const trial = "touch inside && ! cat .env";
const patience = 10_000;

/**
 * Never throws.
 * @param wrap closes a command in, in a workspace that has a `.env`
 */
export async function probeBubblewrap(wrap: (launch: Launch) => Promise<Launch>): Promise<SandboxState> {
  if (bubblewrapFile() === null) return { kind: "off", ...notInstalled };
  try {
    const { PATH = "" } = process.env;
    const { file, args, env } = await wrap({ file: "/bin/sh", args: ["-c", trial], env: { PATH } });
    const said = await ended(file, args, env);
    return said === null ? { kind: "on" } : { kind: "off", ...inWords(said) };
  } catch (error) {
    return { kind: "off", ...inWords(error instanceof Error ? error.message : String(error)) };
  }
}

/** @returns what it said when it failed */
function ended(file: string, args: readonly string[], env: Launch["env"]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(file, args, { env: { ...env }, timeout: patience }, (error, _, said) => {
      resolve(error === null ? null : said);
    });
  });
}

const notInstalled = {
  why: "Commands run without a sandbox: bubblewrap is not installed.",
  advice: "Install it (`sudo apt install bubblewrap`, `sudo dnf install bubblewrap`) and reload the window.",
};

function inWords(said: string): { readonly why: string; readonly advice: string } {
  const line = said.split("\n").find((one) => one.startsWith("bwrap:")) ?? "its walls do not hold here";
  return {
    why: `Commands run without a sandbox: bubblewrap does not work on this system (${line.replace(/^bwrap: /, "")}).`,
    advice: /permission|permitted|uid map|namespace/i.test(line)
      ? "The system must let bwrap make user namespaces: by an AppArmor profile on Ubuntu, by the container’s security options elsewhere."
      : "Running `bwrap --ro-bind / / true` in a terminal tells more.",
  };
}
