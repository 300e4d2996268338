// The list of to-dos as a tool: what it takes, what it says, and what a person is shown of it.
import assert from "node:assert/strict";
import { openPlace, ready, refusal } from "./place.ts";

describe("update_todos", () => {
  it("keeps the whole list, shows it as it will be and says how much of it is done", async () => {
    await using place = await openPlace();
    const todos = [
      { text: " Read the test ", state: "done" },
      { text: "Mend the price", state: "doing" },
    ];
    const prepared = ready(await place.prepare("update_todos", { todos }));
    assert.deepEqual(prepared.preview, {
      kind: "todos",
      todos: [
        { text: "Read the test", state: "done" },
        { text: "Mend the price", state: "doing" },
      ],
    });
    assert.deepEqual(await place.call("update_todos", { todos }), {
      status: "succeeded",
      content: "The list is kept: 1 of 2 done.",
      shown: "",
    });
  });

  it("takes an empty list, and no to-do without words, of another state or beyond what can be carried", async () => {
    await using place = await openPlace();
    const said = async (...todos: readonly unknown[]) => refusal(await place.prepare("update_todos", { todos }));
    assert.equal(ready(await place.prepare("update_todos", { todos: [] })).label.subject, "to-dos");
    assert.match(await said({ text: " ", state: "open" }), /todos\[0\]\.text/);
    assert.match(await said({ text: "a", state: "closed" }), /todos\[0\]\.state/);
    assert.match(await said({ text: "x".repeat(201), state: "open" }), /todos\[0\]\.text/);
    assert.match(await said(...Array.from({ length: 41 }, () => ({ text: "a", state: "open" }))), /todos/);
  });
});
