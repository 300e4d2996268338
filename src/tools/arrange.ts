// Chooses one place for each hunk so that they follow one another, if there is one way only to do that. Pure.

export interface Place {
  /** Line at which what it looks for begins. */
  readonly start: number;
  /** The lines that it changes: the first, and the one behind the last. */
  readonly from: number;
  readonly to: number;
}

/** Of the hunk at this index it is not clear where it goes: there are several ways, or none in this order. */
export interface Unclear {
  readonly unclear: number;
  readonly why: "several" | "order";
}

/** @param all the places of each hunk from top to bottom, at least one */
export function arrange<P extends Place>(all: readonly (readonly P[])[]): readonly P[] | Unclear {
  const ways: (readonly number[])[] = [];
  for (const [index, places] of all.entries()) {
    const counts = waysTo(places, all[index - 1] ?? null, ways[index - 1] ?? []);
    if (counts.every((count) => count === 0)) return inAnyOrder(all) ?? { unclear: index, why: "order" };
    ways.push(counts);
  }
  const total = (ways.at(-1) ?? []).reduce((sum, count) => sum + count, 0);
  const several = all.findIndex(({ length }) => length > 1);
  return total > 1 ? { unclear: several, why: "several" } : theOnlyWay(all, ways);
}

/** In how many ways, up to two, a hunk gets to each of its places. */
function waysTo(
  places: readonly Place[],
  before: readonly Place[] | null,
  counts: readonly number[],
): readonly number[] {
  let sum = 0;
  let next = 0;
  return places.map(({ from }) => {
    if (!before) return 1;
    for (let place = before[next]; place && place.to <= from; place = before[next]) sum += counts[next++] ?? 0;
    return Math.min(2, sum);
  });
}

function theOnlyWay<P extends Place>(
  all: readonly (readonly P[])[],
  ways: readonly (readonly number[])[],
): readonly P[] {
  const chosen: P[] = [];
  for (let index = all.length - 1; index >= 0; index--) {
    const limit = chosen[0]?.from ?? Infinity;
    const place = all[index]?.find(({ to }, at) => to <= limit && ways[index]?.[at] === 1);
    if (place) chosen.unshift(place);
  }
  return chosen;
}

/** Where each fits one place only and none meets another, their order says nothing. */
function inAnyOrder<P extends Place>(all: readonly (readonly P[])[]): readonly P[] | null {
  const only = all.flatMap((places) => (places.length === 1 ? places : []));
  const sorted = only.toSorted((a, b) => a.from - b.from);
  const meet = sorted.some(({ from }, index) => from < (sorted[index - 1]?.to ?? 0));
  return only.length === all.length && !meet ? sorted : null;
}
