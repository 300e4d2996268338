// What may happen without asking. Pure: the same call under the same rules has the same answer.
import type { Effect } from "./ports.ts";

export type Ruling = { readonly kind: "allow" } | { readonly kind: "ask"; readonly why: string };

const reasons: Record<Exclude<Effect, "read">, string> = {
  write: "It changes a file.",
  run: "It runs a command on this machine.",
};

/**
 * Reading inside the scope is free; everything that changes something is asked.
 * @param repaired its arguments had to be mended: then nothing but a person may allow what changes something (C-14)
 */
export function rule(effect: Effect, repaired: boolean): Ruling {
  if (effect === "read") return { kind: "allow" };
  return {
    kind: "ask",
    why: repaired ? `${reasons[effect]} What the model wrote had to be mended first.` : reasons[effect],
  };
}
