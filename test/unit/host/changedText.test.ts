// Keeping and undoing what calls have changed in a text: whatever the order, the text is what the decisions say.
import assert from "node:assert/strict";
import fc from "fast-check";
import { keptAt, originalOf, placesOf, undoneAt, type ChangedText, type Place } from "../../../src/host/changedText.ts";
import { linesOf } from "../../../src/tools/hunks.ts";

const line = fc.constantFrom("a\n", "b\n", "c\n", "\n", "{\n", "}\n");
const text = fc
  .tuple(fc.array(line, { maxLength: 14 }), fc.constantFrom("", "end"))
  .map(([lines, end]) => lines.join("") + end);
const decisions = fc.array(fc.tuple(fc.nat(20), fc.boolean()), { maxLength: 30 });

/** The oracle: lines put in the place of lines, told apart from the code that is tested. */
function spliced(whole: string, place: Place["old"], other: string, from: Place["old"]): string {
  const lines = [...linesOf(whole)];
  lines.splice(place.from, place.to - place.from, ...linesOf(other).slice(from.from, from.to));
  return lines.join("");
}

function undone(text: ChangedText, place: Place): ChangedText {
  return { ...text, now: undoneAt(text, [place]) };
}

/** Until nothing is open, or the list is at its end. */
function decideAll(start: ChangedText, list: readonly (readonly [number, boolean])[]): ChangedText {
  let state = start;
  for (const [number, keep] of list) {
    const places = placesOf(state);
    const place = places[number % Math.max(1, places.length)];
    if (!place) return state;
    const before = { original: originalOf(state), now: state.now };
    state = keep ? keptAt(state, place) : undone(state, place);
    const expected = keep
      ? { original: spliced(before.original, place.old, before.now, place.now), now: before.now }
      : { original: before.original, now: spliced(before.now, place.now, before.original, place.old) };
    assert.deepEqual({ original: originalOf(state), now: state.now }, expected);
  }
  return state;
}

describe("what calls have changed in a text", () => {
  it("is, whatever is kept and undone in whatever order, the text with what was kept and without what was undone", () => {
    fc.assert(
      fc.property(text, text, decisions, (baseline, left, list) => {
        decideAll({ baseline, left, now: left }, list);
      }),
      { numRuns: 500 },
    );
  });

  it("is known also where lines repeat, so that what is left could be told apart in two ways", () => {
    const cases = [
      [
        "a\n}\n\nend",
        "}\n}\n\n",
        [
          [0, false],
          [3, true],
        ],
      ],
      [
        "a\n}\nc\n",
        "b\na\na\n}\n}\nc\na\n",
        [
          [1, false],
          [20, true],
          [0, false],
        ],
      ],
    ] as const;
    for (const [baseline, left, list] of cases) {
      const { now, ...rest } = decideAll({ baseline, left, now: left }, list);
      assert.ok(placesOf({ now, ...rest }).length > 0, "a place that nobody has decided about is not known any more");
    }
  });

  it("is gone when all is undone, to the letter, and stays as it is when all is kept", () => {
    fc.assert(
      fc.property(text, text, fc.boolean(), (baseline, left, keep) => {
        let state: ChangedText = { baseline, left, now: left };
        for (let place = placesOf(state)[0]; place; place = placesOf(state)[0])
          state = keep ? keptAt(state, place) : undone(state, place);
        assert.equal(state.now, keep ? left : baseline);
        assert.equal(originalOf(state), state.now);
      }),
      { numRuns: 500 },
    );
  });

  it("covers every difference from the original, so that nothing is passed over", () => {
    fc.assert(
      fc.property(text, text, text, (baseline, left, now) => {
        const state = { baseline, left, now };
        let next = linesOf(originalOf(state));
        for (const { old, now: place } of placesOf(state).toReversed())
          next = [...next.slice(0, old.from), ...linesOf(now).slice(place.from, place.to), ...next.slice(old.to)];
        assert.equal(next.join(""), now);
      }),
      { numRuns: 500 },
    );
  });

  const baseline = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  const left = "1\ntwo\n3\n4\n5\n6\n7\neight\n9\n";

  it("leaves a person’s own lines alone, and asks about none of them", () => {
    const state = { baseline, left, now: "mine\n1\ntwo\n3\n4\nfünf\n6\n7\neight\n9\n" };
    assert.equal(originalOf(state), "mine\n1\n2\n3\n4\nfünf\n6\n7\n8\n9\n");
    assert.deepEqual(
      placesOf(state).map(({ now, mixed }) => [now.from, now.to, mixed]),
      [
        [2, 3, false],
        [8, 9, false],
      ],
    );
    const [first] = placesOf(state);
    assert.ok(first);
    assert.equal(undoneAt(state, [first]), "mine\n1\n2\n3\n4\nfünf\n6\n7\neight\n9\n");
    const after = keptAt(state, first);
    assert.equal(after.baseline, "1\ntwo\n3\n4\n5\n6\n7\n8\n9\n");
    assert.equal(placesOf(after).length, 1);
  });

  it("says where a person has changed its lines since, or lines beside them", () => {
    const state = { baseline, left, now: "1\nzwei\n3\n4\n5\n6\n7\neight\nmine\n9\n" };
    assert.deepEqual(
      placesOf(state).map(({ mixed }) => mixed),
      [true, true],
    );
  });

  it("comes back when the editor takes an undoing back", () => {
    const state = { baseline, left, now: left };
    const [first] = placesOf(state);
    assert.ok(first);
    assert.equal(placesOf(undone(state, first)).length, 1);
    assert.equal(placesOf({ ...undone(state, first), now: left }).length, 2);
  });

  it("can be a part of a place, as an editor may divide it otherwise", () => {
    const state = { baseline: "a\nb\nc\n", left: "A\nB\nc\n", now: "A\nB\nc\n" };
    const part = { old: { from: 0, to: 1 }, now: { from: 0, to: 1 } };
    assert.equal(undoneAt(state, [part]), "a\nB\nc\n");
    assert.equal(keptAt(state, part).baseline, "A\nb\nc\n");
  });
});
