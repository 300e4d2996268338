// What may happen without asking. Pure: the same call under the same rules has the same answer.
import type { Effect } from "./ports.ts";

export type Ruling = { readonly kind: "allow" } | { readonly kind: "ask"; readonly why: string };

const reasons: Record<Exclude<Effect, "read">, string> = {
  write: "It changes a file.",
  run: "It runs a command on this machine.",
};

/** Reading inside the scope is free; everything that changes something is asked. */
export function rule(effect: Effect): Ruling {
  return effect === "read" ? { kind: "allow" } : { kind: "ask", why: reasons[effect] };
}
