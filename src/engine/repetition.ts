// Notices a model that goes round in circles: the same calls with the same results, alone or in a cycle. Pure.

/** The longest cycle that is looked for, in rounds. */
const longestCycle = 4;

/**
 * How often the last cycle of rounds has come in a row: 1 when nothing repeats.
 * @param rounds what each round did, as text that is equal when they did the same; oldest first
 */
export function repeated(rounds: readonly string[]): number {
  let most = 1;
  for (let length = 1; length <= longestCycle; length++) {
    const cycle = rounds.slice(-length);
    let times = 0;
    for (let end = rounds.length; end >= length; end -= length) {
      if (!cycle.every((round, index) => round === rounds[end - length + index])) break;
      times += 1;
    }
    most = Math.max(most, times);
  }
  return most;
}
