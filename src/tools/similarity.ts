// How alike two short texts are.

/**
 * Shared pairs of neighbouring characters, case ignored.
 * @returns 0 (nothing in common) to 1 (the same)
 */
export function similarity(a: string, b: string): number {
  return similarTo(b)(a);
}

/** The same for many texts beside one. @returns what takes a text, and a score that is of no interest unless it is higher */
export function similarTo(wanted: string): (text: string, floor?: number) => number {
  const right = wanted.trim().toLowerCase();
  const pairs = new Map<number, number>();
  for (let at = 0; at < right.length - 1; at++) {
    const pair = pairAt(right, at);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return (text, floor = 0) => {
    const left = text.trim().toLowerCase();
    if (left === right) return 1;
    if (left.length < 2 || right.length < 2) return 0;
    const all = left.length + right.length - 2;
    if ((2 * (Math.min(left.length, right.length) - 1)) / all <= floor) return 0;
    return (2 * sharedPairs(left, pairs)) / all;
  };
}

function sharedPairs(text: string, pairs: ReadonlyMap<number, number>): number {
  const used = new Map<number, number>();
  let shared = 0;
  for (let at = 0; at < text.length - 1; at++) {
    const pair = pairAt(text, at);
    const there = pairs.get(pair);
    const taken = there === undefined ? 0 : (used.get(pair) ?? 0);
    if (there === undefined || taken >= there) continue;
    used.set(pair, taken + 1);
    shared++;
  }
  return shared;
}

function pairAt(text: string, at: number): number {
  return text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);
}
