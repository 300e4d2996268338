// Reviews that a window has closed over: what was typed and decided is there again when the same change is proposed again.
import assert from "node:assert/strict";
import type { PendingCall, Proposal } from "../../../src/engine/ports.ts";
import { createDrafts, type Drafts } from "../../../src/host/reviewDrafts.ts";
import { createReviews, type ReviewAnswer, type Reviews } from "../../../src/host/reviews.ts";
import { shownReview, textOf } from "../../../src/host/reviewed.ts";

const before = "1\n2\n3\n4\n5\n6\n7\n";
const proposal: Proposal = { file: "/w/a.txt", path: "a.txt", before, after: "one\n2\n3\nfour\n5\n6\nseven\n" };
const call = (toolCallId: string, given: Proposal): PendingCall => ({
  runId: "r",
  toolCallId,
  toolName: "edit_file",
  params: {},
  label: { verb: "Edit", subject: "a.txt" },
  why: "It changes a file.",
  proposals: [given],
});

/** What outlives windows. */
function disk() {
  let kept: unknown;
  return {
    window(): { readonly drafts: Drafts; readonly reviews: Reviews; readonly settled: ReviewAnswer[] } {
      const settled: ReviewAnswer[] = [];
      const drafts = createDrafts({
        get: () => (kept === undefined ? undefined : JSON.parse(JSON.stringify(kept))),
        set: (next) => (kept = next),
      });
      const reviews = createReviews({ tell: () => undefined, settle: (_, answer) => settled.push(answer), drafts });
      return { drafts, reviews, settled };
    },
    damage: () => (kept = { not: "a list" }),
  };
}

const statesOf = (reviews: Reviews, id: string): readonly string[] => {
  const review = reviews.get(id);
  return review ? shownReview(review).hunks.map(({ state }) => state) : [];
};
const decide = (reviews: Reviews, id: string, index: number, state: "accepted" | "rejected"): void =>
  reviews.decide(id, reviews.get(id)?.hunks[index]?.id ?? "", state);

describe("a review that a window has closed over", () => {
  it("is there again with what was typed, decided and said, when the same is proposed again", () => {
    const { window } = disk();
    const first = window();
    first.reviews.follow([call("c1", proposal)]);
    first.reviews.type("c1", "one\n2\n3\nvier\n5\n6\nseven\n");
    decide(first.reviews, "c1", 0, "accepted");
    decide(first.reviews, "c1", 2, "rejected");
    first.reviews.comment("c1", first.reviews.get("c1")?.hunks[1]?.id ?? "", "in German");
    first.drafts.freeze();
    first.reviews.follow([]);

    const second = window();
    assert.deepEqual(
      second.drafts.left().map(({ path, typed }) => [path, typed]),
      [["a.txt", true]],
    );
    assert.deepEqual(second.drafts.left(), [], "it was told twice");
    second.reviews.follow([call("c2", proposal)]);
    assert.deepEqual(statesOf(second.reviews, "c2"), ["accepted", "open", "rejected"]);
    decide(second.reviews, "c2", 1, "accepted");
    const [answer] = second.settled;
    assert.equal(answer?.texts?.[0], "one\n2\n3\nvier\n5\n6\n7\n");
    assert.match(answer.decision.kind === "approve" ? (answer.decision.note ?? "") : "", /in German/);
    assert.deepEqual(window().drafts.left(), []);
  });

  it("is forgotten once it is answered, and not used for another change of the file", () => {
    const { window } = disk();
    const { reviews } = window();
    reviews.follow([call("c1", proposal)]);
    decide(reviews, "c1", 0, "rejected");
    const other = { ...proposal, after: "uno\n2\n3\n4\n5\n6\n7\n" };
    reviews.follow([call("c1", proposal), call("c2", other)]);
    assert.deepEqual(statesOf(reviews, "c2"), ["open"]);
    reviews.decideRest("c1", "accepted");
    reviews.follow([call("c3", proposal)]);
    assert.deepEqual(statesOf(reviews, "c3"), ["open", "open", "open"]);
  });

  it("is kept without a word when the run was stopped", () => {
    const { window } = disk();
    const { reviews, drafts } = window();
    reviews.follow([call("c1", proposal)]);
    decide(reviews, "c1", 0, "rejected");
    reviews.follow([]);
    assert.deepEqual(drafts.left(), []);
    reviews.follow([call("c2", proposal)]);
    assert.deepEqual(statesOf(reviews, "c2"), ["rejected", "open", "open"]);
  });

  it("leaves the last word to the person, even when every hunk had been decided", () => {
    const { window } = disk();
    const first = window();
    first.drafts.keep({
      proposal,
      hunks: [],
      states: new Map(),
      comments: new Map(),
      typed: true,
    });
    const review = window().drafts.restored({ ...proposal });
    assert.equal(review && textOf(review), before);
  });

  it("does no harm when what is kept of it is damaged", () => {
    const { window, damage } = disk();
    damage();
    const { reviews } = window();
    reviews.follow([call("c1", proposal)]);
    assert.deepEqual(statesOf(reviews, "c1"), ["open", "open", "open"]);
  });
});
