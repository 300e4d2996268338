// The hosts that one command wants to reach: asked for through its call, and those remembered that were refused.
import type { CallContext, Reached } from "../engine/ports.ts";
import type { AskHost } from "../scope/hostWay.ts";
import type { Hold } from "./attending.ts";

export interface RefusedHost {
  /** With its port. */
  readonly name: string;
  readonly why: string;
}

interface AskedHosts {
  /** What the sandbox asks at each connection; the command's time stands still while a person is asked. */
  readonly askedBy: (hold: Hold) => AskHost;
  /** Each once. */
  readonly refused: () => readonly RefusedHost[];
}

export function askForHosts({ reach }: Pick<CallContext, "reach">): AskedHosts {
  const refused = new Map<string, RefusedHost>();
  const note = (name: string, reached: Reached): Reached => {
    // A rule may have come since.
    if (reached.kind === "refused") refused.set(name, { name, why: reached.why });
    else refused.delete(name);
    return reached;
  };
  return {
    askedBy: (hold) => async (target) =>
      note(`${target.host}:${target.port}`, await hold((over) => reach(target, over))),
    refused: () => [...refused.values()],
  };
}

/** Hosts that are named one by one. */
const most = 10;

/** What the model should know of them; `""` for none. */
export function refusedHosts(refused: readonly RefusedHost[]): string {
  if (refused.length === 0) return "";
  const lines = refused.slice(0, most).map(({ name, why }) => `- ${name}: ${why}`);
  const rest = refused.length > most ? [`- and ${refused.length - most} others`] : [];
  return `\n\nHosts that it wanted to reach and could not:\n${[...lines, ...rest].join("\n")}\nDo without them, or ask the person.`;
}
