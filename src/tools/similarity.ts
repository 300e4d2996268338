// How alike two short texts are.

/**
 * Shared pairs of neighbouring characters, case ignored.
 * @returns 0 (nothing in common) to 1 (the same)
 */
export function similarity(a: string, b: string): number {
  const left = a.trim().toLowerCase();
  const right = b.trim().toLowerCase();
  if (left === right) return 1;
  if (left.length < 2 || right.length < 2) return 0;
  const pairs = new Map<string, number>();
  for (let at = 0; at < left.length - 1; at++) {
    const pair = left.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  let shared = 0;
  for (let at = 0; at < right.length - 1; at++) {
    const pair = right.slice(at, at + 2);
    const left = pairs.get(pair) ?? 0;
    if (left > 0) {
      pairs.set(pair, left - 1);
      shared++;
    }
  }
  return (2 * shared) / (left.length + right.length - 2);
}
