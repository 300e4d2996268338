// What may happen without asking: what the policy port says, and what nothing but a person may allow.
import type { Effect, Policy, PolicyCall, Ruling } from "./ports.ts";

const reasons: Record<Exclude<Effect, "read">, string> = {
  write: "It changes a file.",
  run: "It runs a command on this machine.",
};

/** Reading inside the scope is free; everything that changes something is asked. */
const byEffect: Policy = ({ effect }) =>
  effect === "read" ? { kind: "allow" } : { kind: "ask", why: reasons[effect] };

interface Caution {
  /** Its arguments had to be mended: then nothing but a person may allow what changes something (C-14). */
  readonly repaired: boolean;
  /** Why nothing but a person may allow it. */
  readonly alwaysAsks?: string | undefined;
}

/** Asks the policy about a call, without waiting where it needs no time. Never throws: a policy that fails is one that asks. */
export function rulingOn(
  call: PolicyCall,
  { repaired, alwaysAsks }: Caution,
  policy: Policy = byEffect,
): Ruling | Promise<Ruling> {
  const mended = (ruling: Ruling): Ruling => {
    const judged = leavesSandbox(call.preview) ? askToLeave(ruling) : ruling;
    // Nor is a rule offered that would change nothing.
    const asked = alwaysAsks !== undefined && judged.kind !== "deny" ? askBecause(alwaysAsks) : judged;
    return repaired ? askAnyway(asked, call.effect) : asked;
  };
  try {
    const ruling = policy(call);
    return ruling instanceof Promise ? ruling.then(mended, () => unreadable) : mended(ruling);
  } catch {
    return unreadable;
  }
}

/** Whether the model asks for a command to run outside of the sandbox: no rule and no plan lets it out, only a person. */
export function leavesSandbox(preview: PolicyCall["preview"]): boolean {
  return preview?.kind === "command" && preview.unconfined?.by === "model";
}

function askBecause(why: string): Ruling {
  return { kind: "ask", why };
}

function askToLeave(ruling: Ruling): Ruling {
  return ruling.kind === "deny" ? ruling : { kind: "ask", why: ruling.kind === "ask" ? ruling.why : "" };
}

const unreadable: Ruling = { kind: "ask", why: "The rules could not be read, so it asks." };

function askAnyway(ruling: Ruling, effect: Effect): Ruling {
  if (effect === "read" || ruling.kind === "deny") return ruling;
  const why = ruling.kind === "ask" ? ruling.why : reasons[effect];
  return { kind: "ask", why: `${why} What the model wrote had to be mended first.` };
}
