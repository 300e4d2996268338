// The trace of a run in the panel: opened from its end or by a command, moved through by keys, and led from to the conversation.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { TraceSpan } from "../../src/protocol/trace.ts";
import { marksOf, rowsOf, windowOf } from "../../webview/traceRows.ts";
import { composer, usePanel } from "./harness.ts";
import { drawn } from "./page.ts";
import * as story from "./stories.ts";
import { delegatedTrace, finishedTrace, longTrace } from "./traceStory.ts";

describe("the trace of a run, in the panel,", function () {
  this.timeout(60_000);
  const { panel, show, tell, press } = usePanel();
  const opened = async (trace = finishedTrace()): Promise<void> => {
    await show(story.finished());
    await panel().page.locator("[data-trace]").focus();
    await press("Enter");
    await panel().page.locator(".trace").waitFor();
    await panel().send({ type: "trace", runId: "run-1", trace });
  };
  const names = () => panel().page.locator(".trace tbody .trace-words").allInnerTexts();
  /** What has the focus: the name of a row of the trace, or what stands for an item of the conversation. */
  const focused = () =>
    panel().page.evaluate<string>(
      `document.activeElement.querySelector(":scope > th > .trace-words")?.textContent ?? document.activeElement.dataset.item ?? document.activeElement.dataset.trace ?? document.activeElement.getAttribute("aria-label")`,
    );
  const reads = async () => (await panel().posted()).filter(({ type }) => type === "trace:read").length;

  it("opens from the end of the run, by keys alone, and closes with Escape, back to where it was opened", async () => {
    await opened();
    assert.deepEqual(await panel().posted(), [{ type: "trace:read", runId: "run-1" }]);
    assert.equal(await focused(), "Request 1");
    assert.deepEqual((await names()).slice(0, 6), [
      "Request 1",
      "Read test/cart.test.js",
      "Read src/cart.js",
      "Read src/price.js",
      "Run node --test",
      "Edit src/price.js",
    ]);
    await press("ArrowDown", "ArrowDown", "ArrowUp");
    assert.equal(await focused(), "Read test/cart.test.js");
    await press("End");
    assert.equal(await focused(), "Request 3");
    await press("Escape");
    assert.equal(await panel().page.locator(".trace").count(), 0);
    assert.equal(await focused(), "run-1");
  });

  it("says the sums as the end of the run does, and of each row the exact numbers", async () => {
    await opened();
    const totals = (await panel().page.locator(".trace-totals").innerText()).replaceAll(/\s+/g, " ");
    assert.equal(totals, "Time 12 s Waiting for you 7.3 s Tokens 4,210 (1,200 cached) Cost $0.03");
    assert.match(await panel().page.locator(".end").innerText(), /^Worked 12 s[^]* · 4,210 tokens/);
    const detail = () => panel().page.locator(".trace-detail").innerText();
    await press("End");
    assert.equal(
      await detail(),
      "Request 3 · gpt-6-codex · at work from 11 s for 890 ms · first word after 350 ms · tokens: 1,100 read (600 cached), 40 written · $0.004",
    );
    await panel()
      .page.getByRole("row", { name: /Edit src\/price\.js/ })
      .hover();
    assert.equal(await detail(), "Edit src/price.js · done · at work from 8.2 s for 6 ms · 5.6 s waiting for you");
  });

  it("tells a screen reader each row's state and times, and where it stands", async () => {
    await opened();
    const row = panel().page.getByRole("row", { name: /Edit src\/price\.js/ });
    assert.match(
      (await row.innerText()).replaceAll(/\s+/g, " "),
      /Edit src\/price\.js done From 2\.6 s to 8\.2 s, of which 5\.6 s waiting for you 6 ms/,
    );
    assert.deepEqual([await row.getAttribute("aria-level"), await row.getAttribute("aria-rowindex")], ["2", "7"]);
    assert.equal(await panel().page.getByRole("treegrid", { name: "Requests and calls" }).count(), 1);
  });

  it("leads to a call in the conversation by a click or Enter, also to one that is grouped or inside of a delegate", async () => {
    await opened();
    await panel()
      .page.getByRole("row", { name: /Run npm install left-pad/ })
      .click();
    assert.equal(await focused(), "c3");
    await panel()
      .page.getByRole("row", { name: /Read src\/cart\.js/ })
      .press("Enter");
    assert.match(await focused(), /\br2\b/);
    await panel()
      .page.getByRole("row", { name: /Request 3/ })
      .press("Enter");
    assert.equal(await focused(), "m2", "the reply that answered it");
    await show([...story.delegated(), story.delegateEnded(), story.end()]);
    await panel().send({ type: "trace:show", runId: "run-1" });
    await panel().page.locator(".trace").waitFor();
    await panel().send({ type: "trace", runId: "run-1", trace: delegatedTrace() });
    await panel().page.locator("[data-item=d1]").press("Enter");
    await drawn(panel().page);
    await panel()
      .page.getByRole("row", { name: /Read test\/price\.test\.js/ })
      .press("Enter");
    await panel().page.waitForSelector('[data-item="d1/d2/r3"]:focus');
  });

  it("folds what is under a row with the arrows, and goes out and in with them", async () => {
    await opened();
    await press("ArrowLeft");
    assert.deepEqual(await names(), ["Request 1", "Request 2", "Run npm install left-pad", "Request 3"]);
    await press("ArrowRight", "ArrowRight");
    assert.equal(await focused(), "Read test/cart.test.js");
    await press("ArrowLeft");
    assert.equal(await focused(), "Request 1");
  });

  it("is copied as JSON", async () => {
    await opened();
    await panel().page.getByRole("button", { name: "Copy as JSON" }).click();
    const last = (await panel().posted()).at(-1);
    assert.ok(last?.type === "text:copy");
    assert.deepEqual(JSON.parse(last.text), JSON.parse(JSON.stringify(finishedTrace())));
  });

  it("draws of 500 calls what can be seen, and reaches the last by a key", async () => {
    await opened(longTrace(500));
    const rows = panel().page.locator(".trace tbody tr");
    assert.ok((await rows.count()) < 60, `${await rows.count()} rows are drawn`);
    assert.equal(await panel().page.getByRole("treegrid").getAttribute("aria-rowcount"), "551");
    await press("End");
    assert.equal(await focused(), "Read src/module49/9.js");
    await press("Home");
    assert.equal(await focused(), "Request 1");
    await panel().page.locator(".trace-rows").hover();
    await panel().page.mouse.wheel(0, 6_000);
    await panel()
      .page.getByRole("row", { name: /module2\d/ })
      .first()
      .waitFor();
    assert.ok((await rows.count()) < 60);
  });

  it("is opened by a command, read again as the run goes on, and there again after a reload, without taking the focus", async () => {
    await show(story.delegated());
    await panel().send({ type: "trace:show", runId: "run-1" });
    await panel().page.locator(".trace").waitFor();
    await panel().send({ type: "trace", runId: "run-1", trace: delegatedTrace() });
    assert.equal(await focused(), "Request 1");
    const before = await reads();
    await tell(story.delegateEnded());
    assert.ok((await reads()) > before);
    await panel().page.getByLabel(composer).focus();
    await panel().page.evaluate("window.dispatchEvent(new Event('pagehide'))");
    await panel().reload();
    await panel().send({ type: "snapshot", view: story.fold(story.finished()) });
    await panel().page.locator(".trace").waitFor();
    await panel().send({ type: "trace", runId: "run-1", trace: finishedTrace() });
    await panel()
      .page.getByRole("row", { name: /Request 1/ })
      .waitFor();
    assert.notEqual(await focused(), "Request 1");
  });

  it("says so where there is nothing of the run", async () => {
    await show(story.finished());
    await panel().page.getByRole("button", { name: "Timeline" }).click();
    await panel().page.locator(".trace").waitFor();
    await panel().send({ type: "trace", runId: "run-1", trace: null });
    assert.match(await panel().page.locator(".trace").innerText(), /There is nothing of this run in the transcript/);
    await press("Escape");
    assert.equal(await panel().page.locator(".trace").count(), 0);
  });
});

describe("the rows of a trace", () => {
  const span = (id: string, parent: string | null): TraceSpan => {
    const [known] = finishedTrace().spans;
    assert.ok(known);
    return { ...known, id, parent };
  };

  it("leave out everything under what is folded", () => {
    const spans = [span("a", null), span("b", "a"), span("c", "b"), span("d", null)];
    const drawnWith = (...closed: string[]) =>
      rowsOf(spans, new Set(closed)).map(({ span, fold }) => `${span.id} ${fold}`);
    assert.deepEqual(drawnWith(), ["a open", "b open", "c none", "d none"]);
    assert.deepEqual(drawnWith("b"), ["a open", "b closed", "d none"]);
    assert.deepEqual(drawnWith("a"), ["a closed", "d none"]);
  });

  it("stand under an axis with few marks that people count in", () => {
    assert.deepEqual(marksOf(12_300, 4), [0, 5_000, 10_000]);
    assert.deepEqual(marksOf(900, 4), [0, 500]);
    assert.deepEqual(marksOf(0, 4), [0]);
    fc.assert(
      fc.property(fc.nat(1e9), fc.integer({ min: 1, max: 8 }), (duration, most) => {
        const marks = marksOf(duration, most);
        assert.ok(marks.length <= most + 1 && marks.every((mark) => mark <= duration));
      }),
    );
  });

  it("are drawn where they can be seen", () => {
    assert.deepEqual(windowOf(500, 0, 240, 24), { from: 0, to: 18 });
    assert.deepEqual(windowOf(500, 2_400, 240, 24), { from: 92, to: 118 });
    assert.deepEqual(windowOf(3, 0, 240, 24), { from: 0, to: 3 });
  });
});
