// Another call in the place of one that waits: chosen from a list, filled in, sent, refused, and told of afterwards.
import assert from "node:assert/strict";
import { decide, usePanel } from "./harness.ts";
import { drawn } from "./page.ts";
import * as story from "./stories.ts";

const asked = [story.setup(), ...story.start("Rename the module.")];
const two = [...asked, ...story.pendingEdit("e1"), ...story.pendingCommand("c1")];

describe("the panel replaces a call", function () {
  this.timeout(60_000);
  const { panel, open, show, tell, press, focused, transcript } = usePanel();
  const run = () => panel().page.getByRole("button", { name: "Run Ctrl" });
  const options = () => panel().page.getByRole("option").locator(".mono").allInnerTexts();

  it("by keys alone: R, a few letters, Enter, the form, Ctrl+Enter", async () => {
    await show(two);
    await panel().page.locator("[data-call=c1]").focus();
    await press("r");
    assert.match(await focused(), /^Instead of: run npm install left-pad\. Choose a tool\./);
    await panel().page.keyboard.type("search");
    await press("Enter");
    await panel().page.keyboard.type("left-?pad");
    await press("Control+Enter");
    const call = { name: "search_text", params: { pattern: "left-?pad" } };
    assert.deepEqual(await panel().posted(), [decide("c1", { kind: "replace", call })]);
    assert.equal(await focused(), "e1");
  });

  it("from all tools but its own, by words of name or description, with arrows", async () => {
    await show(two);
    await panel().page.locator("[data-call=e1]").focus();
    await press("r");
    assert.deepEqual(await options(), ["read_file", "write_file", "run_command", "search_text", "list_problems"]);
    await panel().page.keyboard.type("whole file");
    await drawn(panel().page);
    assert.deepEqual(await options(), ["write_file"]);
    await press("Control+A", "Delete", "ArrowDown", "ArrowDown", "ArrowUp");
    const active = await panel().page.evaluate(
      "document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).textContent",
    );
    assert.match(String(active), /^write_file/);
    await panel().page.keyboard.type("nothing like that");
    await press("Enter");
    assert.deepEqual(await options(), []);
    assert.match(await panel().page.locator(".replacement").innerText(), /No tool is called that/);
    assert.deepEqual(await panel().posted(), []);
  });

  it("and takes over what the other tool can use of it", async () => {
    await show(two);
    await panel().page.getByRole("button", { name: "Replace" }).first().click();
    await panel().page.getByRole("option", { name: "write_file" }).click();
    assert.equal(await panel().page.getByRole("textbox", { name: "Path" }).inputValue(), "src/price.js");
    assert.equal(await panel().page.getByRole("textbox", { name: "Content" }).inputValue(), "");
    assert.equal(await panel().page.locator(".field.changed").count(), 0);
  });

  it("by a tool that needs nothing", async () => {
    await show(two);
    await panel().page.locator("[data-call=e1]").focus();
    await press("r");
    await panel().page.keyboard.type("problems");
    await press("Enter", "Control+Enter");
    const call = { name: "list_problems", params: {} };
    assert.deepEqual(await panel().posted(), [decide("e1", { kind: "replace", call })]);
  });

  it("not while its form is wrong, and says what is wrong", async () => {
    await show(two);
    await panel().page.getByRole("button", { name: "Replace" }).first().click();
    await panel().page.getByRole("option", { name: "search_text" }).click();
    assert.equal(await run().isDisabled(), true);
    assert.equal(await panel().page.locator(".field-problem").innerText(), "This is required.");
    await press("Control+Enter");
    assert.deepEqual(await panel().posted(), []);
  });

  it("with its parameters as JSON too", async () => {
    await show(two);
    await panel().page.getByRole("button", { name: "Replace" }).first().click();
    await panel().page.getByRole("option", { name: "read_file" }).click();
    await panel().page.getByRole("button", { name: "JSON" }).click();
    await panel().page.getByLabel("All parameters").fill('{ "path": "README.md" }');
    await run().click();
    const call = { name: "read_file", params: { path: "README.md" } };
    assert.deepEqual(await panel().posted(), [decide("e1", { kind: "replace", call })]);
  });

  it("unless a person takes it back: Escape closes the list and the form, and another tool can be chosen", async () => {
    await show(two);
    await panel().page.locator("[data-call=e1]").focus();
    await press("r", "Escape");
    assert.equal(await focused(), "e1");
    await press("r", "Enter");
    await panel().page.getByRole("button", { name: "Other tool" }).click();
    assert.equal((await options()).length, 5);
    await press("Enter", "Escape");
    assert.equal(await focused(), "e1");
    assert.equal(await panel().page.getByRole("button", { name: "Approve ⏎" }).first().isVisible(), true);
    assert.deepEqual(await panel().posted(), []);
  });

  it("and keeps the form as it was filled when the host refuses it", async () => {
    await show(two);
    await panel().page.getByRole("button", { name: "Replace" }).first().click();
    await panel().page.getByRole("option", { name: "read_file" }).click();
    const path = panel().page.getByRole("textbox", { name: "Path" });
    await path.fill("/etc/passwd");
    await run().click();
    const call = { name: "read_file", params: { path: "/etc/passwd" } };
    const problem = "/etc/passwd is outside of the workspace.";
    await tell(story.decided(story.edit("e1"), { kind: "replace", call }, problem));
    assert.equal(await panel().page.locator(".problem").innerText(), problem);
    assert.equal(await path.inputValue(), "/etc/passwd");
    assert.equal(
      await panel().page.getByRole("status").first().innerText(),
      `edit src/price.js still waits: ${problem}`,
    );
    assert.equal(await run().isDisabled(), false);
    await path.fill("README.md");
    await run().click();
    assert.deepEqual(
      (await panel().posted()).at(-1),
      decide("e1", { kind: "replace", call: { ...call, params: { path: "README.md" } } }),
    );
  });

  it("and what was chosen outlives the panel, without taking the focus", async () => {
    await show(two);
    await panel().page.getByRole("button", { name: "Replace" }).first().click();
    await panel().page.getByRole("option", { name: "read_file" }).click();
    await panel().page.getByRole("textbox", { name: "Path" }).fill("README.md");
    await panel().reload();
    await panel().send({ type: "snapshot", view: story.fold(two) });
    assert.equal(await panel().page.getByRole("textbox", { name: "Path" }).inputValue(), "README.md");
    assert.equal(await panel().page.evaluate("document.activeElement === document.body"), true);
  });

  it("only while tools are known", async () => {
    await open();
    await panel().send({ type: "snapshot", view: { ...story.fold(two), tools: [] } });
    await panel().page.locator("[data-call=e1]").focus();
    await press("r");
    assert.equal(await panel().page.getByRole("button", { name: "Replace" }).count(), 0);
    assert.equal(await focused(), "e1");
  });

  it("and says so in words: at once, when it has run, and in a session that was opened again", async () => {
    const events = story.replaced();
    const atDecision = events.findIndex((event) => event.type === "call:decided");
    await show(events.slice(0, atDecision + 1));
    assert.match(await transcript(), /Edit\s+src\/price\.js\s+You replaced it by run_command/);
    await tell(...events.slice(atDecision + 1));
    assert.match(await transcript(), /Edit\s+src\/price\.js\s+You replaced it by run node --test/);
    const stored = events.filter((event, index) => index !== atDecision - 1 && event.type !== "call:pending");
    // A stored session knows the words of what ran, and the tool of what was proposed.
    const replayed = stored.map((event) =>
      event.type === "call:ready" ? { ...event, label: { verb: "Run", subject: "node --test" } } : event,
    );
    await show(replayed);
    assert.match(await transcript(), /edit_file\s+You replaced it by run node --test/);
  });
});
