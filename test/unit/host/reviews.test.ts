// The review of proposed changes: what is decided is what is written, whatever the order and the texts.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { PendingCall, Proposal } from "../../../src/engine/ports.ts";
import { createDrafts } from "../../../src/host/reviewDrafts.ts";
import { createReviews, type ReviewAnswer } from "../../../src/host/reviews.ts";
import { shownReview, textOf } from "../../../src/host/reviewed.ts";
import type { PanelEvent } from "../../../src/protocol/events.ts";
import { applyHunks, hunksOf } from "../../../src/tools/hunks.ts";

const proposal = (before: string | null, after: string | null): Proposal => ({
  file: "/w/a.txt",
  path: "a.txt",
  before,
  after,
});
const call = (toolCallId: string, ...given: readonly Proposal[]): PendingCall => ({
  runId: "r",
  toolCallId,
  toolName: "edit_file",
  params: {},
  label: { verb: "Edit", subject: "a.txt" },
  why: "It changes a file.",
  ...(given.length > 0 && { proposals: given }),
});

function made(...waiting: readonly PendingCall[]) {
  const told: PanelEvent[] = [];
  const settled: (ReviewAnswer & { readonly id: string })[] = [];
  const reviews = createReviews({
    drafts: createDrafts({ get: () => [], set: () => undefined }),
    tell: (event) => told.push(event),
    settle: (id, answer) => settled.push({ id, ...answer }),
  });
  reviews.follow(waiting);
  const idsOf = (id: string): readonly string[] => reviews.get(id)?.hunks.map((hunk) => hunk.id) ?? [];
  const decide = (id: string, index: number, state: "accepted" | "rejected" | "open"): void =>
    reviews.decide(id, idsOf(id)[index] ?? "", state);
  return { reviews, told, settled, decide };
}

const before = "1\n2\n3\n4\n5\n6\n7\n";
const after = "one\n2\n3\nfour\n5\n6\nseven\n";

describe("the review of a proposed change", () => {
  it("answers the call once nothing is open, with what was taken", () => {
    const { settled, decide } = made(call("c", proposal(before, after)));
    decide("c", 0, "accepted");
    decide("c", 1, "rejected");
    assert.deepEqual(settled, []);
    decide("c", 2, "accepted");
    assert.deepEqual(settled, [{ id: "c", decision: { kind: "approve" }, texts: ["one\n2\n3\n4\n5\n6\nseven\n"] }]);
  });

  it("approves the call as it was when all is taken, and rejects it when nothing is", () => {
    const all = made(call("c", proposal(before, after)));
    all.reviews.decideRest("c", "accepted");
    assert.deepEqual(all.settled, [{ id: "c", decision: { kind: "approve" } }]);
    const none = made(call("c", proposal(before, after)));
    none.reviews.decideRest("c", "rejected");
    assert.deepEqual(none.settled, [
      { id: "c", decision: { kind: "reject", reason: "None of the change was wanted." } },
    ]);
  });

  it("can be taken back until the last hunk is decided", () => {
    const { settled, decide } = made(call("c", proposal(before, after)));
    decide("c", 0, "rejected");
    decide("c", 0, "open");
    decide("c", 0, "accepted");
    decide("c", 1, "accepted");
    decide("c", 2, "accepted");
    assert.deepEqual(settled, [{ id: "c", decision: { kind: "approve" } }]);
  });

  it("keeps what was accepted when the person writes elsewhere, and never answers because of typing", () => {
    const { reviews, settled, decide } = made(call("c", proposal(before, after)));
    decide("c", 0, "accepted");
    decide("c", 1, "rejected");
    reviews.type("c", "one\n2\n3\n4\n5\n6\nSEVEN\n");
    const review = reviews.get("c");
    assert.ok(review);
    assert.deepEqual(
      shownReview(review).hunks.map(({ state, lines }) => [state, lines.at(-1)]),
      [
        ["accepted", " 3"],
        ["open", "+SEVEN"],
      ],
    );
    reviews.type("c", before);
    assert.deepEqual(settled, []);
    assert.deepEqual(reviews.answerFor("c")?.decision.kind, "reject");
  });

  it("decides nothing without what was typed a moment ago", () => {
    for (const by of ["decideRest", "answerFor"] as const) {
      const { reviews, settled } = made(call("c", proposal(before, after)));
      reviews.onCatchUp(() => reviews.type("c", `${after}by hand\n`));
      if (by === "decideRest") reviews.decideRest("c", "accepted");
      const text = by === "decideRest" ? settled[0]?.texts?.[0] : reviews.answerFor("c")?.texts?.[0];
      assert.equal(text, `${after}by hand\n`);
    }
  });

  it("tells the model what the person says of a place", () => {
    const { reviews, settled } = made(call("c", proposal(before, after)));
    reviews.comment("c", reviews.get("c")?.hunks[1]?.id ?? "", "Say 4.");
    reviews.decideRest("c", "accepted");
    assert.deepEqual(settled, [{ id: "c", decision: { kind: "approve", note: "at line 4: Say 4." } }]);
  });

  it("keeps line endings that were not typed over, where an editor knows one ending only", () => {
    const mixed = "1\r\n2\n3\r\n4\n5\r\n";
    const { reviews } = made(call("c", proposal(mixed, "1\r\n2\n3\r\n4\nfive\r\n")));
    reviews.type("c", "1\r\n2\r\ndrei\r\n4\r\nfive\r\n");
    const review = reviews.get("c");
    assert.equal(review && textOf(review), "1\r\n2\ndrei\r\n4\nfive\r\n");
  });

  it("is there for what waits and no longer, and calls without a text have none", () => {
    const { reviews, told } = made(call("c", proposal(null, "new\n")), call("d"));
    assert.deepEqual([...reviews.all().keys()], ["c"]);
    assert.equal(reviews.answerFor("d"), null);
    reviews.follow([]);
    assert.equal(reviews.get("c"), undefined);
    reviews.decide("c", "x", "accepted");
    assert.deepEqual(
      told.map(({ type }) => type),
      ["review:changed"],
    );
  });

  it("of several files is answered once nothing of any of them is open, each with what was taken of it", () => {
    const files = [
      proposal(before, after),
      { ...proposal("x\n", "y\n"), path: "b.txt", to: "c.txt" },
      { ...proposal("gone\n", null), path: "d.txt" },
    ];
    const { reviews, told, settled } = made(call("c", ...files));
    const shown = told.at(-1);
    assert.ok(shown?.type === "review:changed");
    assert.equal(shown.toolCallId, "c");
    assert.deepEqual(
      shown.review.hunks.map(({ file }) => file),
      ["a.txt", "a.txt", "a.txt", "b.txt → c.txt", "d.txt (deleted)"],
    );
    assert.equal(shown.review.count, 5);
    assert.equal(new Set(shown.review.hunks.map(({ id }) => id)).size, 5);
    const [first, second, third] = [...reviews.ofCall("c").keys()];
    assert.ok(first !== undefined && second !== undefined && third !== undefined);
    // By the ids of the panel, and by those of the editors.
    reviews.decide("c", shown.review.hunks[3]?.id ?? "", "rejected");
    reviews.decide(first, reviews.get(first)?.hunks[0]?.id ?? "", "rejected");
    reviews.comment(first, reviews.get(first)?.hunks[1]?.id ?? "", "Say 4.");
    reviews.decideRest(first, "accepted");
    assert.deepEqual(settled, []);
    reviews.decideRest(third, "accepted");
    assert.deepEqual(settled, [
      {
        id: "c",
        decision: { kind: "approve", note: "a.txt at line 4: Say 4." },
        texts: ["1\n2\n3\nfour\n5\n6\nseven\n", null, ""],
      },
    ]);
    reviews.follow([]);
    assert.deepEqual([...reviews.all()], []);
  });

  it("of several files is approved or refused whole with the call", () => {
    const files = [proposal(before, after), { ...proposal(before, after), path: "b.txt" }];
    const all = made(call("c", ...files));
    assert.deepEqual(all.reviews.answerFor("c"), { decision: { kind: "approve" } });
    all.reviews.decideRest("c", "rejected");
    assert.deepEqual(
      all.settled.map(({ decision }) => decision.kind),
      ["reject"],
    );
  });

  it("approves an empty file that is made and one that is deleted", () => {
    for (const empty of [proposal(null, ""), proposal("", null)])
      assert.deepEqual(made(call("c", empty)).reviews.answerFor("c"), { decision: { kind: "approve" } });
  });

  it("shows every line of every hunk once, whatever the texts", () => {
    fc.assert(
      fc.property(texts, texts, (from, to) => {
        const { reviews } = made(call("c", proposal(from, to)));
        const review = reviews.get("c");
        assert.ok(review);
        const shown = shownReview(review).hunks.flatMap(({ lines }) => lines);
        const signs = (sign: string): number => shown.filter((line) => line.startsWith(sign)).length;
        const hunks = hunksOf(from, to);
        assert.equal(
          signs("-"),
          hunks.reduce((sum, { removed }) => sum + removed.length, 0),
        );
        assert.equal(
          signs("+"),
          hunks.reduce((sum, { added }) => sum + added.length, 0),
        );
      }),
      { numRuns: 200 },
    );
  });

  it("leads to exactly the accepted hunks, in whatever order they were decided", () => {
    const choice = fc.record({ hunk: fc.nat(), state: fc.constantFrom("accepted", "rejected", "open") });
    fc.assert(
      fc.property(texts, texts, fc.array(choice, { maxLength: 30 }), (from, to, choices) => {
        const hunks = hunksOf(from, to);
        fc.pre(hunks.length > 0);
        const { reviews, settled } = made(call("c", proposal(from, to)));
        const states = new Map<string, string>();
        for (const { hunk, state } of choices) {
          const { id } = hunks[hunk % hunks.length] ?? { id: "" };
          if (settled.length > 0) break;
          reviews.decide("c", id, state);
          states.set(id, state);
        }
        if (settled.length === 0) reviews.decideRest("c", "accepted");
        const wanted = applyHunks(
          from,
          hunks.filter(({ id }) => states.get(id) !== "rejected"),
        );
        const [answer] = settled;
        if (wanted === from) assert.equal(answer?.decision.kind, "reject");
        else assert.equal(answer?.texts?.[0] ?? to, wanted);
      }),
      { numRuns: 500 },
    );
  });
});

const texts = fc
  .array(fc.constantFrom("a\n", "b\n", "c\n", "\n", "d\r\n"), { maxLength: 14 })
  .map((all) => all.join(""));
