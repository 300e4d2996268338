// How a command is confined: what a person reads before it runs, and what the model reads when the sandbox stopped it.
import type { Preview } from "../protocol/calls.ts";
import type { Sandbox } from "../scope/sandbox.ts";

export type Confinement = Pick<Extract<Preview, { kind: "command" }>, "confined" | "unconfined">;

/** @param outside why the model asks to run it outside; undefined: it does not */
export async function confinementOf(sandbox: Sandbox, outside: string | undefined): Promise<Confinement> {
  const state = await sandbox.state();
  if (state.kind === "off")
    return { confined: false, unconfined: { by: "system", why: `${state.why} ${state.advice}` } };
  if (outside === undefined) return { confined: true };
  const why = `The model asks to run this outside the sandbox, with all your rights and the network: “${outside.trim()}”`;
  return { confined: false, unconfined: { by: "model", why } };
}

const outsideSays =
  "If it cannot do without, call run_command again with outside_sandbox saying why: a person decides.";

interface Wall {
  readonly found: RegExp;
  readonly what: string;
}

const walls: readonly Wall[] = [
  {
    found: /Read-only file system|EROFS/i,
    what: "commands can write in the workspace and in the temporary folder only, not in git's hooks and settings",
  },
  {
    found:
      /Could not resolve host|Temporary failure in name resolution|Network is unreachable|ENOTFOUND|EAI_AGAIN|ENETUNREACH|ECONNREFUSED|Connection refused|Couldn't connect to server|Name or service not known|Failed to establish a new connection|CONNECT tunnel failed|Proxy response \(403\)|Brain's sandbox:/i,
    what: `commands have no network but for hosts that a person or a rule allows, through the proxy that HTTP_PROXY names${process.platform === "linux" ? "; programs that one command starts reach each other on 127.0.0.1" : ""}`,
  },
  {
    found: /Permission denied|EACCES|Operation not permitted|EPERM/i,
    what: "files that hold secrets cannot be opened, nothing outside of the workspace is written, and a command does not have the rights of root",
  },
  { found: /Device or resource busy|EBUSY/i, what: "what is closed to commands cannot be moved or deleted" },
];

/** One line of advice for a failed command that ran in the sandbox; `""` when nothing of its output points there. */
export function stoppedBySandbox(output: string): string {
  const wall = walls.find(({ found }) => found.test(output));
  return wall ? `\n\nThis ran in a sandbox: ${wall.what}. ${outsideSays}` : "";
}
