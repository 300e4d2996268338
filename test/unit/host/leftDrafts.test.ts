// What was half written in a tab that is closed: another panel gets it, now or later, and nobody gets it twice.
import assert from "node:assert/strict";
import { createLeftDrafts, type FollowedDraft, type LeftStore } from "../../../src/host/leftDrafts.ts";
import type { SentPart, ToWebview } from "../../../src/protocol/wire.ts";

const picture: SentPart = { kind: "image", mediaType: "image/png", value: "QUJD", name: "cat.png" };

function memory(): LeftStore & { readonly kept: () => unknown } {
  let kept: unknown;
  return { kept: () => kept, get: () => kept, set: (draft) => void (kept = structuredClone(draft)) };
}

interface FakePanel extends FollowedDraft {
  readonly got: ToWebview[];
  seen: boolean;
}

function panelIn(drafts: ReturnType<typeof createLeftDrafts>, seen = true): FakePanel {
  const panel = { seen, got: new Array<ToWebview>() };
  return Object.assign(panel, drafts.of({ visible: () => panel.seen, ask: (message) => void panel.got.push(message) }));
}

describe("what is half written in a tab that is closed", () => {
  it("goes at once to a panel in sight, with its images, and is forgotten once that panel has it", () => {
    const store = memory();
    const drafts = createLeftDrafts(store);
    const [hidden, side, tab] = [panelIn(drafts, false), panelIn(drafts), panelIn(drafts)];
    tab.keep({ text: "Look", parts: [picture] });
    tab.keep({ text: "Look at" });
    tab.end(true);
    const left = { text: "Look at", parts: [picture] };
    assert.deepEqual([hidden.got, side.got], [[], [{ type: "draft:left", ...left }]]);
    side.keep({ text: "something else", parts: [] });
    side.keep({ text: "Look at", parts: [] });
    assert.deepEqual(store.kept(), left, "it has not come yet");
    side.keep({ text: "Look at\n\nsomething else", parts: [picture] });
    assert.equal(store.kept(), undefined);
    side.offer();
    assert.equal(side.got.length, 1);
  });

  it("waits for the first panel that opens, in the next window, too, together with what was left before", () => {
    const store = memory();
    const drafts = createLeftDrafts(store);
    for (const text of ["one", "two"]) {
      const tab = panelIn(drafts);
      tab.keep({ text });
      tab.end(true);
    }
    const next = panelIn(createLeftDrafts(store));
    next.offer();
    assert.deepEqual(next.got, [{ type: "draft:left", text: "one\n\ntwo", parts: [] }]);
  });

  it("is nothing where nothing was written, or where the editor keeps it", () => {
    const store = memory();
    const drafts = createLeftDrafts(store);
    const [empty, side] = [panelIn(drafts), panelIn(drafts)];
    empty.keep({ text: " \n" });
    empty.end(true);
    side.keep({ text: "kept by the editor" });
    side.end(false);
    assert.equal(store.kept(), undefined);
    store.set(JSON.parse('{"text":1}'));
    const other = panelIn(createLeftDrafts(store));
    other.offer();
    assert.deepEqual(other.got, []);
  });
});
