// What a person does to the to-dos, over the real engine: it outlives a run that never begins, a window that is killed, and a reload.
import assert from "node:assert/strict";
import type { ModelRequest } from "../../../src/engine/ports.ts";
import type { Queue } from "../../../src/engine/queue.ts";
import { createChat, type Chat } from "../../../src/host/chat.ts";
import { createFold } from "../../../src/host/fold.ts";
import { editedAgain, nothingWaits, withEdit } from "../../../src/host/queue.ts";
import { createQueues } from "../../../src/host/queues.ts";
import type { Entry } from "../../../src/protocol/messages.ts";
import type { Todo, TodoEdit } from "../../../src/protocol/todos.ts";
import { listIn } from "../../../src/protocol/viewTodos.ts";
import { updateTodosTool } from "../../../src/tools/updateTodos.ts";
import { calls, kit, says, scriptedModel, type Script } from "../../support/kit.ts";
import { storedLines } from "./storedLines.ts";

const todo = (text: string, state: Todo["state"] = "open"): Todo => ({ text, state });
const models = [todo("Read"), todo("Mend")];
const tick: TodoEdit = { was: { at: 0, text: "Read" }, now: todo("Read", "done") };
const add: TodoEdit = { was: null, now: todo("Tell Ann") };
const persons = [todo("Read", "done"), todo("Mend"), todo("Tell Ann")];
const keepsAList = [calls(["t", "update_todos", { todos: models }]), says("ok")];

/** What outlives a window. */
interface Disk {
  readonly lines: readonly Entry[];
  readonly kept: Map<string, string>;
  readonly remembered: Map<string, string | undefined>;
}

interface Window extends Disk {
  readonly chat: Chat;
  readonly list: () => readonly Todo[] | null;
  readonly requests: readonly ModelRequest[];
}

const emptyDisk = (): Disk => ({ lines: [], kept: new Map(), remembered: new Map() });

/** @param turns whether each run gets its turn; one that does not waits until it is stopped */
function windowOn({ lines, kept, remembered }: Disk, scripts: readonly Script[], turns: readonly boolean[]): Window {
  const log = (): void => undefined;
  const model = scriptedModel(...scripts);
  const tools = [updateTodosTool()];
  const made = kit({ model, tools, history: lines, ports: { ids: () => crypto.randomUUID(), queue: queueOf(turns) } });
  const fold = createFold(log, log);
  const store = {
    get: (id: string): unknown => JSON.parse(kept.get(id) ?? "null"),
    set: (id: string, waiting: unknown) =>
      Promise.resolve(waiting ? void kept.set(id, JSON.stringify(waiting)) : void kept.delete(id)),
  };
  const chat = createChat({
    fold,
    workspace: {
      open: () => ({ composition: { ports: made.ports, sessions: storedLines(made.lines) } }),
      describe: () => Promise.reject(new Error("nobody asks")),
    },
    remembered: { get: (key) => remembered.get(key), set: (key, value) => void remembered.set(key, value) },
    queues: createQueues(store, (message) => assert.fail(message)),
    limits: () => ({}),
    ids: () => crypto.randomUUID(),
    clock: made.clock,
    log,
  });
  const { lines: written } = made;
  return { chat, list: () => listIn(fold.view().turns), requests: model.requests, lines: written, kept, remembered };
}

function queueOf(turns: readonly boolean[]): Queue {
  let count = 0;
  return {
    enter: ({ signal }) =>
      turns[count++] === true
        ? Promise.resolve(() => undefined)
        : new Promise((resolve) => signal.addEventListener("abort", () => resolve(null))),
  };
}

/** The next life of a window of which only the disk is left. */
async function restarted(before: Disk, ...scripts: readonly Script[]): Promise<Window> {
  const next = windowOn({ ...before, kept: new Map(before.kept) }, scripts, [true]);
  await next.chat.restore();
  return next;
}

const told = ({ requests }: Window): string => requests.at(-1)?.messages.at(-1)?.content ?? "";
const written = ({ lines }: Window): number =>
  lines.filter((entry) => "type" in entry && entry.type === "todos").length;

async function isReadNext(window: Window): Promise<void> {
  assert.deepEqual(window.list(), persons);
  await window.chat.submit("Go on.");
  assert.match(told(window), /changed the to-do list.*- Read \(done\)\n- Mend \(open\)\n- Tell Ann \(open\)\n/s);
  assert.deepEqual([window.list(), written(window), window.kept.size], [persons, 1, 0]);
}

describe("the to-dos of a session that a person changes", () => {
  it("stand after a reload when the run that was to read them never began, and the next run reads them", async () => {
    const window = windowOn(emptyDisk(), keepsAList, [true, false]);
    await window.chat.submit("Begin.");
    void window.chat.submit("Wait.");
    for (const edit of [tick, add]) await window.chat.editTodos(edit);
    await window.chat.stop();
    assert.equal(written(window), 0);
    await isReadNext(await restarted(window, says("yes")));
  });

  it("stand when the window is killed while the model answers", async () => {
    let asked = (): void => undefined;
    const asks = new Promise<void>((resolve) => (asked = resolve));
    const never: Script = async function* never() {
      asked();
      yield await new Promise<never>(() => undefined);
    };
    const window = windowOn(emptyDisk(), [...keepsAList, never], [true, true]);
    await window.chat.submit("Begin.");
    void window.chat.submit("Work.");
    await asks;
    for (const edit of [tick, add]) await window.chat.editTodos(edit);
    await isReadNext(await restarted({ ...window, lines: [...window.lines] }, says("yes")));
  });

  it("are read by the next run where the one that goes on takes nothing", async () => {
    const window = windowOn(emptyDisk(), [...keepsAList, says("yes")], [true, false, true]);
    await window.chat.submit("Begin.");
    void window.chat.compact("");
    for (const edit of [tick, add]) await window.chat.editTodos(edit);
    await window.chat.stop();
    await isReadNext(window);
  });

  it("are written at once between two runs, with what no run has written down", async () => {
    const window = windowOn(emptyDisk(), keepsAList, [true, false]);
    await window.chat.submit("Begin.");
    void window.chat.submit("Wait.");
    await window.chat.editTodos(tick);
    await window.chat.stop();
    await window.chat.editTodos(add);
    assert.deepEqual([window.list(), written(window), window.kept.size], [persons, 1, 0]);
    assert.deepEqual((await restarted(window)).list(), persons);
  });

  it("are changed again as they are by then: what others have made of the list stays, and nothing is there twice", () => {
    const waiting = withEdit(withEdit(nothingWaits, tick, models), add, persons);
    assert.deepEqual(editedAgain(waiting, [todo("New"), ...models]), [todo("New"), ...persons]);
    assert.deepEqual(editedAgain(waiting, persons), persons);
    assert.deepEqual(editedAgain(waiting, []), [todo("Tell Ann")]);
    assert.deepEqual(editedAgain(waiting, null), persons);
    assert.equal(editedAgain(nothingWaits, models), models);
    assert.equal(editedAgain(nothingWaits, null), null);
  });
});
