// Reads a wrapper's own options, up to the program that it runs.
import type { CommandWord } from "./linePart.ts";
import type { Wrapper } from "./wrapperTable.ts";

export type Options =
  /** `next`: where the program stands. */
  | { readonly kind: "program"; readonly next: number; readonly sets: readonly string[] }
  | { readonly kind: "script"; readonly line: CommandWord }
  | { readonly kind: "unknown" };

/** @param start where its options begin */
export function optionsOf(wrapper: Wrapper, words: readonly CommandWord[], start: number): Options {
  const sets: string[] = [];
  let skip = wrapper.skips ?? 0;
  let index = start;
  while (index < words.length) {
    const step = stepOver(wrapper, words[index] ?? null, skip);
    if (step.kind === "unknown") return step;
    if (step.kind === "script") return { kind: "script", line: words[index + 1] ?? null };
    if (step.kind === "program") return { kind: "program", next: index + step.from, sets };
    if (step.sets !== undefined) sets.push(step.sets);
    if (step.skipped === true) skip--;
    index += step.words;
  }
  return { kind: "program", next: index, sets };
}

type Step =
  | { readonly kind: "own"; readonly words: number; readonly sets?: string; readonly skipped?: boolean }
  | { readonly kind: "program"; readonly from: number }
  | { readonly kind: "script" }
  | { readonly kind: "unknown" };

function stepOver(wrapper: Wrapper, word: CommandWord, skip: number): Step {
  if (word === null) {
    if (skip > 0) return { kind: "own", words: 1, skipped: true };
    return wrapper.joins ? { kind: "program", from: 0 } : { kind: "unknown" };
  }
  if (word === "--") return { kind: "program", from: 1 + skip };
  const assigned = wrapper.assigns ? /^([A-Za-z_]\w*)=/.exec(word)?.[1] : undefined;
  if (assigned !== undefined) return { kind: "own", words: 1, sets: assigned };
  if (!word.startsWith("-")) return skip > 0 ? { kind: "own", words: 1, skipped: true } : { kind: "program", from: 0 };
  return optionStep(wrapper, word);
}

function optionStep({ flags = "", valued = "", script = "" }: Wrapper, word: string): Step {
  const own = (words: number): Step => ({ kind: "own", words });
  const alone = flags.split(" ");
  const withValue = valued.split(" ");
  if (script.split(" ").includes(word)) return { kind: "script" };
  if (withValue.includes(word)) return own(2);
  if (alone.includes(word)) return own(1);
  if (word.startsWith("--")) return withValue.includes(word.split("=", 1).join("")) ? own(1) : { kind: "unknown" };
  if (withValue.includes(word.slice(0, 2)) || /^-\d+$/.test(word)) return own(1);
  const isCluster = word
    .slice(1)
    .split("")
    .every((letter) => alone.includes(`-${letter}`));
  return isCluster ? own(1) : { kind: "unknown" };
}
