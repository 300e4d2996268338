// The chat over the real engine: what a queue, steering and sessions do to what the model reads and what is written down.
import assert from "node:assert/strict";
import { createSessions, type SessionStore } from "../../../src/brain/sessions.ts";
import { createChat, type Chat } from "../../../src/host/chat.ts";
import { createFold } from "../../../src/host/fold.ts";
import type { Waiting } from "../../../src/host/queue.ts";
import { sendAgain } from "../../../src/host/sendAgain.ts";
import { createQueues } from "../../../src/host/queues.ts";
import type { PanelEvent, Setup } from "../../../src/protocol/events.ts";
import type { ModelRequest } from "../../../src/engine/ports.ts";
import { isMessage } from "../../../src/protocol/messages.ts";
import { replay } from "../../../src/protocol/replay.ts";
import { emptyView, reduce, type View } from "../../../src/protocol/view.ts";
import { storedLines } from "./storedLines.ts";
import { inFolder } from "../brain/disk.ts";
import { countedIds, fakeClock, kit, says, scriptedModel, type Kit, type Script } from "../../support/kit.ts";

const setup: Setup = {
  workspace: "trusted",
  workspaceName: "test",
  agent: "coder",
  provider: "demo",
  model: "demo",
  scripted: true,
  keyMissing: false,
};

interface Room {
  readonly kit: Kit;
  readonly kept: Map<string, Waiting>;
  readonly remembered: Map<string, string | undefined>;
}

function room(...scripts: readonly Script[]): Room & { readonly requests: readonly ModelRequest[] } {
  const model = scriptedModel(...scripts);
  return { kit: kit({ model }), kept: new Map(), remembered: new Map(), requests: model.requests };
}

function chatIn(
  { kit: { ports, lines }, kept, remembered }: Room,
  stored?: SessionStore,
): {
  chat: Chat;
  events: PanelEvent[];
  view: () => ReturnType<ReturnType<typeof createFold>["view"]>;
} {
  const events: PanelEvent[] = [];
  const log = (): void => undefined;
  const fold = createFold((event) => events.push(event), log);
  const store = {
    get: (id: string): unknown => kept.get(id),
    set: (id: string, waiting: Waiting | undefined) =>
      Promise.resolve(waiting ? void kept.set(id, waiting) : void kept.delete(id)),
  };
  const chat = createChat({
    fold,
    workspace: {
      open: () => ({ composition: { ports, sessions: stored ?? storedLines(lines) } }),
      describe: () => Promise.resolve(setup),
    },
    remembered: { get: (key) => remembered.get(key), set: (key, value) => void remembered.set(key, value) },
    queues: createQueues(store, log),
    limits: () => ({}),
    ids: countedIds("message"),
    clock: ports.clock,
    log,
  });
  return { chat, events, view: fold.view };
}

/** A reply that is held back until it is let go. */
function held(text: string): { script: Script; letGo: () => void; asked: Promise<void> } {
  let letGo = (): void => undefined;
  const free = new Promise<void>((resolve) => (letGo = resolve));
  let tell = (): void => undefined;
  const asked = new Promise<void>((resolve) => (tell = resolve));
  const script: Script = async function* script(_, signal) {
    tell();
    await Promise.race([free, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
    if (!signal.aborted) yield* says(text);
  };
  return { script, letGo, asked };
}

async function until(what: () => boolean): Promise<void> {
  for (const limit = Date.now() + 20_000; Date.now() < limit && !what();)
    await new Promise((resolve) => setImmediate(resolve));
  assert.ok(what());
}

const said = (request: ModelRequest | undefined): readonly string[] =>
  (request?.messages ?? []).flatMap((message) => (message.role === "user" ? [message.content] : []));

describe("the chat", () => {
  it("sends what waits when the run has ended, in the same session", async () => {
    const first = held("First.");
    const made = room(first.script, says("Second."));
    const { chat, view } = chatIn(made);
    const outcome = chat.submit("one");
    await first.asked;
    assert.equal(await chat.submit("two"), null);
    assert.deepEqual(
      view().queue.map(({ text }) => text),
      ["two"],
    );
    first.letGo();
    assert.equal((await outcome)?.output, "First.");
    await until(() => !chat.running());
    assert.deepEqual(said(made.requests[1]), ["one", "two"]);
    assert.deepEqual(
      view().turns.map(({ user, end }) => [user, end?.status]),
      [
        ["one", "completed"],
        ["two", "completed"],
      ],
    );
    assert.deepEqual(view().queue, []);
    assert.equal(made.kept.size, 0);
  });

  it("X-3: steers: the model reads the message before it goes on, and the transcript has it once", async () => {
    const first = held("First.");
    const made = room(first.script, says("Second."));
    const { chat, view } = chatIn(made);
    const outcome = chat.submit("one");
    await first.asked;
    assert.equal(await chat.submit("instead", "steer"), null);
    first.letGo();
    assert.equal((await outcome)?.output, "Second.");
    assert.deepEqual(said(made.requests[1]), ["one", "instead"]);
    const users = made.kit.lines.flatMap((line) => (isMessage(line) && line.role === "user" ? [line.content] : []));
    assert.deepEqual(users, ["one", "instead"]);
    assert.equal(chat.running(), false);
    assert.equal(view().turns.length, 1);
    assert.equal(made.kept.size, 0);
  });

  it("sends a message again with what was given with it, also in a window that has it from the disk only", async () => {
    const made = room(says("Which one?"), says("A cat."), says("Yes."));
    const before = chatIn(made);
    const picture = { kind: "image", mediaType: "image/png", value: "aGk=", name: "cat.png" } as const;
    await before.chat.submit("what is it", "queue", [picture]);
    const after = chatIn(made);
    await after.chat.restore();
    const messageId = after.view().turns[0]?.messageId ?? "";
    const sessions = (): Pick<SessionStore, "read"> => ({ read: () => Promise.resolve(made.kit.lines) });
    const again = { chat: after.chat, fold: { view: after.view }, sessions };
    await sendAgain(again, { messageId, text: "what is it" });
    const images = made.requests[1]?.messages.filter(
      (message) => message.role === "user" && message.parts?.length === 1,
    );
    assert.equal(images?.length, 2);
    await sendAgain(again, { messageId: "not written down", text: "is it?" });
    assert.deepEqual(said(made.requests[2]), ["what is it", "what is it", "is it?"]);
  });

  it("shows images to the model, small ones of them to the person, and neither to whoever looks at the queue", async () => {
    const slow = held("Looking.");
    const made = room(slow.script, says("A cat."));
    const { chat, view } = chatIn(made);
    const thumbnail = "data:image/webp;base64,AAAA";
    const parts = [{ kind: "image" as const, mediaType: "image/png", value: "QUJD", name: "cat.png", thumbnail }];
    const first = chat.submit("Wait.");
    await slow.asked;
    await chat.submit("What is this?", "queue", parts);
    assert.deepEqual(view().queue, [
      { id: "message-2", text: "What is this?", attached: [{ kind: "image", label: "cat.png", thumbnail }] },
    ]);
    slow.letGo();
    await first;
    while (chat.running()) await new Promise((resolve) => setImmediate(resolve));
    const last = made.requests[1]?.messages.at(-1);
    assert.deepEqual(last?.role === "user" && last.parts, parts);
    assert.deepEqual(view().turns[1]?.attached, [{ kind: "image", label: "cat.png", thumbnail }]);
    const again = replay(made.kit.lines, { id: "s", title: "" }).reduce(reduce, emptyView);
    assert.deepEqual(again.turns[1]?.attached, view().turns[1]?.attached);
  });

  it("a stop keeps what waits and what was not read; the next message goes first", async () => {
    const first = held("First.");
    const made = room(first.script, says("New."), says("Steered."), says("Waited."));
    const { chat, view } = chatIn(made);
    void chat.submit("one");
    await first.asked;
    await chat.submit("waits");
    await chat.submit("steered", "steer");
    await chat.stop();
    assert.equal(chat.running(), false);
    assert.deepEqual(
      view().queue.map(({ text }) => text),
      ["steered", "waits"],
    );
    await chat.submit("new");
    await until(() => !chat.running());
    assert.deepEqual(said(made.requests[3]), ["one", "new", "steered", "waits"]);
  });

  it("interrupts: the run is aborted, and the message starts the next one", async () => {
    const first = held("First.");
    const made = room(first.script, says("Second."));
    const { chat, view } = chatIn(made);
    const outcome = chat.submit("one");
    await first.asked;
    await chat.submit("now", "interrupt");
    assert.equal((await outcome)?.status, "aborted");
    await until(() => !chat.running());
    assert.deepEqual(
      view().turns.map(({ user, end }) => [user, end?.status]),
      [
        ["one", "aborted"],
        ["now", "completed"],
      ],
    );
  });

  it("a refused message is said in the panel, and nothing is started or queued", async () => {
    const made = room(says("First."));
    const { chat, view } = chatIn(made);
    assert.equal(await chat.submit("  "), null);
    assert.equal(view().failure?.code, "message_empty");
    assert.deepEqual(view().turns, []);
  });

  it("shows what waited when the session is opened in the next window, and does not send it", async () => {
    const first = held("First.");
    const made = room(first.script, says("Second."));
    const { chat } = chatIn(made);
    void chat.submit("one");
    await first.asked;
    await chat.submit("waits");
    await chat.stop();
    const next = chatIn(made);
    await next.chat.restore();
    assert.deepEqual(
      next.view().queue.map(({ text }) => text),
      ["waits"],
    );
    assert.equal(next.chat.running(), false);
    await next.chat.newSession();
    assert.deepEqual(next.view().queue, []);
    assert.equal(made.remembered.get("session"), undefined);
    assert.equal(made.requests.length, 1);
  });

  it("shows what waits for a session of which nothing was written yet", async () => {
    const made = room(says("First."));
    made.remembered.set("session", "never-written");
    made.kept.set("never-written", { queue: [], sending: [{ id: "a", text: "typed" }] });
    const { chat, view } = chatIn(made);
    await chat.restore();
    assert.equal(view().session.id, "never-written");
    await chat.sendQueued("a", "queue");
    assert.deepEqual(
      view().turns.map(({ user }) => user),
      ["typed"],
    );
    assert.deepEqual(view().queue, []);
  });

  it("takes a message out of the queue", async () => {
    const first = held("First.");
    const made = room(first.script);
    const { chat, view } = chatIn(made);
    const outcome = chat.submit("one");
    await first.asked;
    await chat.submit("waits");
    chat.removeQueued(view().queue[0]?.id ?? "");
    first.letGo();
    await outcome;
    assert.equal(chat.running(), false);
    assert.deepEqual(view().queue, []);
    assert.equal(made.requests.length, 1);
  });
});

describe("the chat over sessions on the disk", () => {
  const ids = (): string => crypto.randomUUID();
  interface Disk extends ReturnType<typeof chatIn> {
    readonly sessions: SessionStore;
    readonly requests: readonly ModelRequest[];
    readonly remembered: Map<string, string | undefined>;
  }
  const onDisk = (scripts: readonly Script[], test: (disk: Disk) => Promise<void>): Promise<void> =>
    inFolder(async (dir) => {
      const sessions = createSessions({ dir, clock: fakeClock() });
      const model = scriptedModel(...scripts);
      const made = { kit: kit({ model, ports: { sessions, ids } }), kept: new Map(), remembered: new Map() };
      await test({ ...chatIn(made, sessions), sessions, requests: model.requests, remembered: made.remembered });
    });
  const users = (view: View): readonly string[] => view.turns.map(({ user }) => user);

  it("edits and runs again: a copy that ends before the message, the original as it was", () =>
    onDisk(
      [says("First."), says("Second."), says("Other.")],
      async ({ chat, view, sessions, requests, remembered }) => {
        await chat.submit("one");
        await chat.submit("two");
        const original = view().session.id ?? "";
        const before = await sessions.read(original);
        const forked = await chat.forkAt({ entryId: view().turns[1]?.messageId ?? "", side: "before" });
        assert.deepEqual(forked, { text: "two", from: original });
        assert.deepEqual([users(view()), view().session.title], [["one"], "one (fork)"]);
        assert.equal(remembered.get("session"), view().session.id);
        await chat.submit("two, but better");
        assert.deepEqual(users(view()), ["one", "two, but better"]);
        assert.deepEqual(said(requests[2]), ["one", "two, but better"]);
        assert.deepEqual(await sessions.read(original), before);
        await chat.openSession(original);
        assert.deepEqual(users(view()), ["one", "two"]);
      },
    ));

  it("forks from a turn, also from the one that is running: it is stopped first", () => {
    const second = held("Second.");
    return onDisk([says("First."), second.script], async ({ chat, view, sessions }) => {
      await chat.submit("one");
      void chat.submit("two");
      await second.asked;
      const [first] = view().turns;
      const original = view().session.id ?? "";
      await chat.forkAt({ entryId: first?.messageId ?? "", side: "with" });
      assert.equal(chat.running(), false);
      assert.deepEqual(view().turns, [first]);
      assert.notEqual(view().session.id, original);
      const end = (await sessions.read(original)).at(-1);
      assert.ok(end && "type" in end && end.type === "run_end");
      assert.equal(end.status, "aborted");
    });
  });

  it("says why there is no fork, and stays where it is", () =>
    onDisk([says("First.")], async ({ chat, view }) => {
      assert.equal(await chat.forkAt({ entryId: "x", side: "with" }), null);
      assert.equal(view().failure?.code, "session_not_found");
      await chat.submit("one");
      const { id } = view().session;
      assert.equal(await chat.forkAt({ entryId: "x", side: "with" }), null);
      assert.deepEqual([view().failure?.code, view().session.id, users(view())], ["entry_not_found", id, ["one"]]);
    }));

  it("shows the title that a person gave", () =>
    onDisk([says("First.")], async ({ chat, view, sessions }) => {
      await chat.submit("one");
      const id = view().session.id ?? "";
      await sessions.rename(id, "Named");
      await chat.openSession(id);
      assert.equal(view().session.title, "Named");
    }));
});
