// The to-dos as a person changes them, by key and by mouse; read-only where this window writes nothing.
import assert from "node:assert/strict";
import type { TodoEdit } from "../../src/protocol/todos.ts";
import { composer, usePanel } from "./harness.ts";
import { mostTodos } from "../../src/protocol/viewTodos.ts";
import * as plans from "./planStories.ts";
import * as story from "./stories.ts";

describe("the to-dos that a person changes in the panel", function () {
  this.timeout(60_000);
  const { panel, show, tell, press, focused } = usePanel();
  const unfold = async (change: Parameters<typeof story.setup>[0] = {}): Promise<void> => {
    await show([...story.working(), story.setup(change), ...plans.keepsTodos(plans.todos)]);
    await panel().page.locator(".todos .call-head").click();
  };
  const edits = async (): Promise<readonly TodoEdit[]> =>
    (await panel().posted()).flatMap((message) => (message.type === "todos:edit" ? [message.edit] : []));
  const [first, second] = plans.todos;
  assert.ok(first && second);

  it("are ticked, reworded, taken out and added by keys alone", async () => {
    await unfold();
    await panel().page.getByRole("checkbox").nth(1).focus();
    await press("Space", "Tab");
    assert.equal(await focused(), "To-do");
    await press("Control+a");
    await panel().page.keyboard.type("Round later");
    await press("Enter", "Tab", "Enter");
    assert.equal(await focused(), "Add a to-do");
    await panel().page.keyboard.type("Tell Ann");
    await press("Enter");
    assert.deepEqual(await edits(), [
      { was: { at: 1, text: second.text }, now: { text: second.text, state: "done" } },
      { was: { at: 1, text: second.text }, now: { text: "Round later", state: second.state } },
      { was: { at: 1, text: second.text }, now: null },
      { was: null, now: { text: "Tell Ann", state: "open" } },
    ]);
    assert.equal(await panel().page.getByLabel("Add a to-do").inputValue(), "");
  });

  it("are as the host says; Escape and an empty text leave one as it was", async () => {
    await unfold();
    const field = panel().page.getByRole("textbox", { name: "To-do", exact: true }).first();
    await field.fill("Something else");
    await press("Escape");
    assert.equal(await field.inputValue(), first.text);
    await field.fill(" ");
    await press("Enter");
    assert.equal(await field.inputValue(), first.text);
    assert.deepEqual(await edits(), []);
    const todos = [{ text: "Only this", state: "open" as const }];
    await tell({ type: "todos:changed", runId: "run-1", todosId: "e", todos });
    assert.equal(await field.inputValue(), "Only this");
    assert.match(await panel().page.locator(".todos").innerText(), /^0 of 1 done/);
  });

  it("keep what is being written in one, and the keyboard in it, while others come before it and go", async () => {
    await unfold();
    const change = (texts: readonly string[]) =>
      tell({
        type: "todos:changed",
        runId: "run-1",
        todosId: texts.join(),
        todos: texts.map((text) => ({ text, state: "open" })),
      });
    await change(["One", "Two", "Two", "Three"]);
    const field = panel().page.getByRole("textbox", { name: "To-do", exact: true }).nth(2);
    await field.focus();
    await press("End");
    await panel().page.keyboard.type(" and");
    await change(["Zero", "Two", "One", "Two", "Four"]);
    await panel().page.keyboard.type(" a half");
    await change(["Two", "Two", "Five"]);
    await press("Enter");
    assert.deepEqual(await edits(), [{ was: { at: 1, text: "Two" }, now: { text: "Two and a half", state: "open" } }]);
    await change(["Two", "Two and a half", "Five"]);
    await panel().page.keyboard.type("!");
    await press("Tab");
    assert.deepEqual((await edits()).at(-1), {
      was: { at: 1, text: "Two and a half" },
      now: { text: "Two and a half!", state: "open" },
    });
    assert.equal(await panel().page.locator(".todo").count(), 3);
  });

  it("of another session take over nothing that is being written", async () => {
    await unfold();
    await panel().page.getByLabel("Add a to-do").fill("For this one");
    await panel().page.getByRole("textbox", { name: "To-do", exact: true }).first().fill("Reworded here");
    const other = story.working().map((event) => ({ ...event, ...("sessionId" in event && { sessionId: "other" }) }));
    const opens = { type: "session:open", sessionId: "other", title: "" } as const;
    await tell(opens, ...other, story.setup(), ...plans.keepsTodos(plans.todos));
    assert.equal(await panel().page.getByLabel("Add a to-do").inputValue(), "");
    const field = panel().page.getByRole("textbox", { name: "To-do", exact: true }).first();
    assert.equal(await field.inputValue(), first.text);
  });

  it("leave the keyboard in the composer when the last of them is done, and in the list when it was full", async () => {
    await unfold();
    await panel().page.getByRole("checkbox").first().focus();
    const todos = [{ text: "Only this", state: "done" as const }];
    await tell({ type: "todos:changed", runId: "run-1", todosId: "e", todos });
    assert.equal(await focused(), composer);
    const many = Array.from({ length: mostTodos.todos }, (_, n) => ({ text: `To do ${n}`, state: "open" as const }));
    await tell({ type: "todos:changed", runId: "run-1", todosId: "f", todos: many });
    await panel().page.getByRole("button", { name: "Take out of the list: To do 7" }).focus();
    await press("Enter");
    assert.equal(await focused(), "To-do");
  });

  it("cannot be changed where they are only read along, or in Restricted Mode", async () => {
    await unfold({ workspace: "untrusted" });
    assert.equal(await panel().page.locator(".todo").count(), plans.todos.length);
    assert.equal(await panel().page.getByRole("checkbox").count(), 0);
    await tell(story.setup(), { type: "session:reading", reading: { state: "working", host: null } });
    assert.equal(await panel().page.getByRole("checkbox").count(), 0);
    await tell({ type: "session:reading", reading: null });
    await panel().page.getByRole("checkbox").first().waitFor();
  });
});
