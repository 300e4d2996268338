// What the panel shows of changed files, and the way back: by call, by run, and from an undo.
import assert from "node:assert/strict";
import type { LoopEvent } from "../../src/protocol/events.ts";
import { usePanel } from "./harness.ts";
import * as story from "./stories.ts";

const runId = "run-1";
const command = story.command("c1", "rm -r src");
const other = story.command("c2", "touch new.txt");
const changes: LoopEvent = {
  type: "call:changes",
  runId,
  toolCallId: "c1",
  changes: {
    files: [
      { path: "src/a.js", kind: "deleted" },
      { path: "src/b.js", kind: "changed" },
    ],
    more: 3,
  },
};
const more: LoopEvent = {
  type: "call:changes",
  runId,
  toolCallId: "c2",
  changes: { files: [{ path: "new.txt", kind: "added" }], more: 0 },
};
const undone = (undoId: string, rest: Partial<Extract<LoopEvent, { type: "changes:undone" }>> = {}): LoopEvent => ({
  type: "changes:undone",
  runId,
  undoId,
  calls: ["c1"],
  changes: { files: [{ path: "src/a.js", kind: "added" }], more: 0 },
  left: [],
  ...rest,
});

const worked = [
  story.setup(),
  ...story.start("Tidy up."),
  ...story.ready(command),
  ...story.running(command),
  changes,
  story.ended(command, "exit code 0"),
  ...story.ready(other),
  ...story.running(other),
  more,
  story.ended(other, "exit code 0"),
];

describe("the panel shows what calls have changed", function () {
  this.timeout(60_000);
  const { panel, show, open, tell, press, transcript } = usePanel();
  const button = (name: string) => panel().page.getByRole("button", { name, exact: true });
  const files = () => panel().page.getByRole("region", { name: "Changed files" });

  it("in the call's details, with a button that undoes that call alone", async () => {
    await show(worked);
    await panel().page.locator(".call-head").first().click();
    const words = await files().innerText();
    for (const part of ["src/a.js", "src/b.js", "and 3 others"]) assert.ok(words.includes(part), part);
    await button("src/b.js").click();
    await button("Undo").click();
    assert.deepEqual(await panel().posted(), [
      { type: "file:open", path: "src/b.js" },
      { type: "changes:undo", runId, toolCallId: "c1" },
    ]);
  });

  it("and at the end of the run one button for all of it, by keyboard too; none while it runs", async () => {
    await show(worked);
    assert.equal(await button("Undo 6 files").count(), 0);
    await tell(story.end());
    await button("Undo 6 files").focus();
    await press("Enter");
    assert.deepEqual(await panel().posted(), [{ type: "changes:undo", runId }]);
  });

  it("says what was undone, offers that no more, and offers to bring it back", async () => {
    await show([...worked, story.end()]);
    await tell(undone("u1"));
    assert.match(await transcript(), /You undid the changes of 1 file/);
    assert.equal(await panel().page.getByRole("status").innerText(), "You undid the changes of 1 file.");
    assert.equal(await button("Undo 1 file").count(), 1, "the other call's can still be undone");
    await panel().page.locator(".call-head").first().click();
    assert.match(await files().first().innerText(), /undone by you/);
    await button("Redo").click();
    assert.deepEqual(await panel().posted(), [{ type: "changes:undo", runId, undoId: "u1" }]);
    await tell(undone("u2", { undoes: "u1" }));
    assert.match(await transcript(), /You brought back what was undone: 1 file/);
    assert.equal(await button("Redo").count(), 0);
    assert.equal(await button("Undo 6 files").count(), 1);
  });

  it("says how many places were undone in an editor, which alone can bring them back", async () => {
    await show([...worked, story.end()]);
    const files = [{ path: "src/b.js", kind: "changed" as const }];
    await tell(undone("u1", { calls: [], changes: { files, more: 0 }, places: 1 }));
    assert.match(await transcript(), /You undid 1 place of src\/b\.js/);
    assert.equal(await button("Redo").count(), 0);
    assert.equal(await button("Undo 6 files").count(), 1);
  });

  it("says which of it an interrupted command has left, also when that is found out later", async () => {
    await show([...worked, story.end()]);
    await tell({ ...changes, changes: { ...changes.changes, interrupted: true } });
    assert.equal(await button("Undo 6 files, some by an interrupted command").count(), 1);
    await panel().page.locator(".call-head").first().click();
    assert.match(await files().innerText(), /Changed since it was interrupted/);
  });

  it("goes on offering it where files were left as they were", async () => {
    await show([...worked, story.end()]);
    await tell(undone("u1", { left: ["src/b.js"] }));
    assert.match(await transcript(), /1 file, 1 file left as they were/);
    assert.equal(await button("Undo 6 files").count(), 1);
  });

  it("the same after a reload, in every theme and width without anything beside its edge", async () => {
    const events = [...worked, story.end(), undone("u1")];
    await show(events);
    const before = await transcript();
    await open();
    await panel().send({ type: "snapshot", view: story.fold(events) });
    assert.equal(await transcript(), before);
    for (const theme of ["dark", "light", "contrast"] as const) {
      await show(events, { theme, width: 260 });
      await panel().page.locator(".call-head").first().click();
      assert.equal(await panel().page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0, theme);
    }
  });
});
