// To-dos: kept by a call, carried word for word through every compaction while they are open, and gone when they are done.
import assert from "node:assert/strict";
import { compactSession } from "../../../src/engine/compactSession.ts";
import { conversation } from "../../../src/engine/conversation.ts";
import { loopDefaults } from "../../../src/protocol/config.ts";
import { Entry, type CompactionEntry } from "../../../src/protocol/messages.ts";
import { replay } from "../../../src/protocol/replay.ts";
import type { Todo } from "../../../src/protocol/todos.ts";
import { emptyView, reduce } from "../../../src/protocol/view.ts";
import { todosIn } from "../../../src/protocol/viewTodos.ts";
import { updateTodosTool } from "../../../src/tools/updateTodos.ts";
import { calls, kit, pathOf, says, scriptedModel, tool, type Kit } from "../../support/kit.ts";
import { longModel, reads, textOf } from "../../support/longSession.ts";

const list = (...todos: readonly (readonly [string, Todo["state"]])[]): Todo[] =>
  todos.map(([text, state]) => ({ text, state }));
const first = list(["Find the rounding", "done"], ["Mend src/price.js", "doing"], ["Run every test", "open"]);
const keeps = (id: string, todos: readonly Todo[]) => calls([id, "update_todos", { todos }]);

const read = tool("read_file", {
  run: (_context, params) => ({ status: "succeeded", content: `${pathOf(params)} ${"z".repeat(6_000)}` }),
});

const compactions = (made: Kit): CompactionEntry[] =>
  made.lines.filter((entry): entry is CompactionEntry => entry["type"] === "compaction");
const carriedTodos = ({ carried }: CompactionEntry): string[] =>
  carried.filter(({ kind }) => kind === "todo").map(({ text }) => text);

/** A run of so many rounds that compacts again and again; some rounds keep the list. */
const long = (rounds: number, kept: Readonly<Record<number, readonly Todo[]>>) =>
  longModel({
    window: 20_000,
    task: (count) => {
      const todos = kept[count];
      if (todos) return keeps(`t${count}`, todos);
      return count < rounds ? reads(`f${count}`, 2_500) : says("Done.");
    },
  });

describe("to-dos", () => {
  it("that are open are in every request, word for word, however often the conversation is compacted", async () => {
    const model = long(60, { 1: first });
    const made = kit({ model, tools: [read, updateTodosTool()], config: { maxToolIterations: 500 } });
    assert.equal((await made.run({ message: "Mend it." })).output, "Done.");
    assert.ok(compactions(made).length >= 3);
    for (const compaction of compactions(made))
      assert.deepEqual(carriedTodos(compaction), ["Mend src/price.js (doing)", "Run every test"]);
    const last = textOf(model.tasks.at(-1));
    assert.match(last, /- Mend src\/price\.js \(doing\)\n- Run every test/);
    assert.doesNotMatch(last, /- Find the rounding/);
  });

  it("are carried as the newest list has them, and not at all once they are done", async () => {
    const done = first.map(({ text }) => ({ text, state: "done" as const }));
    const model = long(90, { 1: first, 30: list(["Write it down", "open"]), 60: done });
    const made = kit({ model, tools: [read, updateTodosTool()], config: { maxToolIterations: 500 } });
    assert.equal((await made.run({ message: "Mend it." })).output, "Done.");
    const carried = compactions(made).map((compaction) => carriedTodos(compaction).join());
    assert.ok(carried.includes("Mend src/price.js (doing),Run every test"));
    assert.ok(carried.includes("Write it down"));
    assert.equal(carried.at(-1), "");
    assert.ok(!textOf(model.tasks.at(-1)).includes("Write it down"));
  });

  it("are not carried beside a newer list that the model still reads as it wrote it", async () => {
    const newer = keeps("t2", list(["Only this", "open"]));
    const model = scriptedModel(keeps("t1", first), says("So far."), newer, says("Done."), says("A summary."));
    const made = kit({ model, tools: [updateTodosTool()] });
    for (const message of ["One.", "Two."]) await made.run({ message, sessionId: "s" });
    await compactSession({ sessionId: "s" }, made.ports, loopDefaults, (event) => made.events.push(event)).result;
    const entries = made.lines.map((line) => Entry.parse(line));
    const [compaction, ...others] = compactions(made);
    assert.ok(compaction && others.length === 0);
    assert.deepEqual(carriedTodos(compaction), []);
    assert.match(JSON.stringify(conversation(entries)), /Two\.[^]*Only this/);
  });

  it("are the same for the panel while they are kept and after the session was read anew; a failed call changes nothing", async () => {
    const wrong = calls(["t2", "update_todos", { todos: [{ text: "", state: "open" }] }]);
    const made = kit({ model: scriptedModel(keeps("t1", first), wrong, says("Done.")), tools: [updateTodosTool()] });
    await made.run({ message: "Mend it." });
    const live = [{ type: "session:open", sessionId: "s", title: "" } as const, ...made.events].reduce(
      reduce,
      emptyView,
    );
    const again = replay(
      made.lines.map((line) => Entry.parse(line)),
      { id: "s", title: "" },
    ).reduce(reduce, emptyView);
    const shown = { todos: first, done: "1 of 3 done", now: first[1] };
    assert.deepEqual(todosIn(live.turns), shown);
    assert.deepEqual(todosIn(again.turns), shown);
  });

  it("need nobody's approval, and a small window does without them unless the agent names the tool", async () => {
    const namesFor = async (contextWindow: number, tools?: readonly string[]) => {
      const model = { ...scriptedModel(says("Done.")), contextWindow };
      const made = kit({ model, tools: [read, updateTodosTool()], ...(tools && { agent: { tools: [...tools] } }) });
      await made.run();
      return model.requests[0]?.tools.map(({ name }) => name);
    };
    assert.equal(updateTodosTool().effect, "read");
    assert.deepEqual(await namesFor(16_000), ["read_file", "update_todos"]);
    assert.deepEqual(await namesFor(15_999), ["read_file"]);
    assert.deepEqual(await namesFor(8_000, ["update_todos"]), ["update_todos"]);
    assert.deepEqual(await namesFor(32_000, ["read_file"]), ["read_file"]);
  });
});
