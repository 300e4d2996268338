// To-dos that a person has changed: the newest word counts, the model reads it with its next request, and it outlives replay and compaction.
import assert from "node:assert/strict";
import fc from "fast-check";
import { tracesOf } from "../../../src/engine/carried.ts";
import { conversation } from "../../../src/engine/conversation.ts";
import { keepTodos } from "../../../src/engine/todos.ts";
import { Entry } from "../../../src/protocol/messages.ts";
import { replay } from "../../../src/protocol/replay.ts";
import type { Todo } from "../../../src/protocol/todos.ts";
import { emptyView, reduce, type View } from "../../../src/protocol/view.ts";
import { editedTodos, listIn, mostTodos } from "../../../src/protocol/viewTodos.ts";
import { updateTodosTool } from "../../../src/tools/updateTodos.ts";
import { calls, kit, says, scriptedModel, tool, type Kit } from "../../support/kit.ts";

const todo = (text: string, state: Todo["state"] = "open"): Todo => ({ text, state });
const models = [todo("Read"), todo("Mend")];
const persons = [todo("Read", "done"), todo("Mend"), todo("Tell Ann")];
const slow = (made: () => Kit) =>
  tool("slow", {
    run: () =>
      new Promise((resolve) => void made().clock.after(100, () => resolve({ status: "succeeded", content: "slow" }))),
  });
const entriesOf = (made: Kit): Entry[] => made.lines.map((line) => Entry.parse(line));
const shown = (made: Kit): View => replay(entriesOf(made), { id: "s", title: "" }).reduce(reduce, emptyView);
const told = (text: string | undefined): boolean => text?.includes("The person changed the to-do list") === true;

describe("to-dos that a person has changed", () => {
  it("in a run are read before the next reply, and count before a call that could not know of them", async () => {
    const both = [...calls(["t", "update_todos", { todos: models }]).slice(0, 1), ...calls(["a", "slow", {}])];
    const model = scriptedModel(both, calls(["b", "slow", {}]), says("ok"));
    const made: Kit = kit({ model, tools: [slow(() => made), updateTodosTool()] });
    const run = made.start();
    await made.clock.advance(50);
    assert.equal(run.keepTodos(models), true);
    assert.equal(run.keepTodos(persons), true);
    await made.clock.advance(1_000);
    const outcome = await run.result;
    assert.equal(run.keepTodos(models), false);
    const read = model.requests.map(({ messages }) => messages.filter(({ content }) => told(content)).length);
    assert.deepEqual(read, [0, 1, 1], "once, and from then on");
    const place = model.requests[1]?.messages.at(-1);
    assert.match(place?.content ?? "", /- Read \(done\)\n- Mend \(open\)\n- Tell Ann \(open\)\n/);
    assert.equal(place?.role, "user");
    assert.deepEqual(outcome.unread, []);
    assert.deepEqual(listIn(made.events.reduce<View>(reduce, emptyView).turns), persons);
    assert.deepEqual(listIn(shown(made).turns), persons);
    // Its lines are read again when the run has ended: nothing changes.
    const again = replay(
      entriesOf(made)
        .slice(1, -1)
        .filter((entry) => "type" in entry && entry.type === "todos"),
      {
        id: "s",
        title: "",
      },
    ).slice(1);
    assert.deepEqual(listIn(again.reduce<View>(reduce, shown(made)).turns), persons);
  });

  it("are written down where the run ends before it reads them", async () => {
    const model = scriptedModel(calls(["a", "slow", {}]));
    const made: Kit = kit({ model, tools: [slow(() => made)] });
    const run = made.start();
    await made.clock.advance(50);
    run.keepTodos(persons);
    run.stop();
    await made.clock.advance(1_000);
    await run.result;
    assert.deepEqual(listIn(shown(made).turns), persons);
  });

  it("are written down where the run fails before it reads them", async () => {
    const made = kit({ model: scriptedModel(), ports: { model: () => Promise.reject(new Error("no model")) } });
    const run = made.start();
    run.keepTodos(persons);
    assert.equal((await run.result).status, "error");
    assert.deepEqual(listIn(shown(made).turns), persons);
  });

  it("between two runs are told with what the person says next, the last word only", async () => {
    const model = scriptedModel(calls(["t", "update_todos", { todos: models }]), says("ok"), says("yes"));
    const made = kit({ model, tools: [updateTodosTool()] });
    const { sessionId, runId } = await made.run({ message: "Begin.", sessionId: "s" });
    const view = made.events.reduce<View>(reduce, emptyView);
    for (const todos of [[todo("x")], persons])
      made.events.push(await keepTodos({ sessionId, runId, todos }, made.ports));
    const changed = made.events.slice(-2).reduce<View>(reduce, view);
    assert.deepEqual(listIn(changed.turns), persons);
    await made.run({ message: "Go on.", sessionId });
    const last = model.requests.at(-1)?.messages.at(-1)?.content ?? "";
    assert.ok(told(last) && last.endsWith("\n\nGo on."), last);
    assert.doesNotMatch(last, /- x /);
  });

  it("are carried through a compaction like the model's own", () => {
    const about = { id: "e", runId: "r", timestamp: "t" };
    assert.deepEqual(tracesOf({ type: "todos", ...about, todos: persons }), [
      { kind: "todos", id: "e", todos: persons },
    ]);
  });

  it("give way to a later call of the model, which has read them", () => {
    const about = { runId: "r", timestamp: "t" };
    const entries: Entry[] = [
      { role: "user", content: "Go", id: "u", ...about },
      { type: "todos", id: "e", ...about, todos: persons },
      { role: "assistant", content: "ok", id: "a", ...about, iteration: 1 },
    ];
    assert.deepEqual(
      conversation(entries).map(({ role, content }) => [role, told(content)]),
      [
        ["user", false],
        ["user", true],
        ["assistant", false],
      ],
    );
    const emptied: Entry = { type: "todos", id: "e", ...about, todos: [] };
    assert.match(conversation([emptied]).at(-1)?.content ?? "", /nothing is left/);
  });

  it("with the same text are told apart by their places, and found by their text where the list has changed", () => {
    const [a, b] = [todo("Test"), todo("Test")];
    const done = todo("Test", "done");
    assert.deepEqual(editedTodos([a, b], { was: { at: 1, text: "Test" }, now: done }), [a, done]);
    assert.deepEqual(editedTodos([todo("New"), a], { was: { at: 0, text: "Test" }, now: null }), [todo("New")]);
  });

  it("are changed one at a time, never beyond what a list holds", () => {
    const anyTodo = fc.record({
      text: fc.constantFrom("a", "b", "c", "d"),
      state: fc.constantFrom<Todo["state"]>("open", "doing", "done"),
    });
    const anyWas = fc.record({ at: fc.nat({ max: 50 }), text: fc.constantFrom("a", "b", "c", "x") });
    const anyEdit = fc.record({ was: fc.option(anyWas), now: fc.option(anyTodo) });
    fc.assert(
      fc.property(fc.array(anyTodo, { maxLength: mostTodos.todos }), anyEdit, (todos, edit) => {
        const after = editedTodos(todos, edit);
        assert.ok(after.length <= mostTodos.todos);
        assert.ok(Math.abs(after.length - todos.length) <= 1);
        const known = edit.was === null || todos.some(({ text }) => text === edit.was?.text);
        if (!known || (edit.was === null && edit.now === null)) assert.equal(after, todos);
        if (known && edit.now && after !== todos) assert.ok(after.includes(edit.now));
      }),
    );
  });
});
