// How much a change adds and removes.
import { count } from "./words.ts";

interface CountsProps {
  readonly added: number;
  readonly removed: number;
}

/** "+3 −1" in colours. */
export function Counts({ added, removed }: CountsProps) {
  return (
    <span class="counts" title={`${count(added, "line")} added, ${count(removed, "line")} removed`}>
      <span class="plus">+{added}</span> <span class="minus">−{removed}</span>
    </span>
  );
}
