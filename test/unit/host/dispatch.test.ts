// What becomes of messages: sent at once, waiting, steered, interrupting; stopped, left, and over a reload of the window.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Outcome } from "../../../src/engine/run.ts";
import { createDispatch, type Dispatch, type DispatchedRun } from "../../../src/host/dispatch.ts";
import type { Waiting } from "../../../src/host/queue.ts";
import { createQueues } from "../../../src/host/queues.ts";
import { LoopError, toFailure } from "../../../src/protocol/errors.ts";
import type { LoopEvent, QueuedMessage } from "../../../src/protocol/events.ts";
import { type ContentPart, type RunStatus } from "../../../src/protocol/messages.ts";
import { noUsage } from "../../../src/protocol/usage.ts";
import { maxMessageLength } from "../../../src/protocol/config.ts";
import { countedIds } from "../../support/kit.ts";

/** A run that does what the test says, by the engine's contract. */
interface FakeRun extends DispatchedRun {
  readonly message: string;
  /** The message is written down and the first request is sent. */
  begin(): void;
  /** Reads what was steered into it. */
  read(): void;
  /** Ends; a run that was told to stop is aborted. Without having begun, it has failed at the door. */
  end(status?: RunStatus): void;
  readonly told: { stop: boolean };
}

interface Delivery {
  readonly text: string;
  readonly session: string;
}

interface Window {
  readonly dispatch: Dispatch;
  readonly run: () => FakeRun | null;
  readonly session: () => string | null;
  readonly open: (session: string | null) => Promise<void>;
  /** What the panel shows as waiting. */
  readonly shown: () => readonly string[];
}

interface World {
  /** What a model has read, in order. */
  readonly delivered: Delivery[];
  /** Starts of runs, also of those that failed at the door. */
  readonly started: string[];
  readonly failures: unknown[];
  readonly kept: Map<string, Waiting>;
  /** True: no run can be started. */
  broken: boolean;
  window(): Window;
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function world(): World {
  const ids = { session: countedIds("session"), message: countedIds("message") };
  const made: World = {
    delivered: [],
    started: [],
    failures: [],
    kept: new Map(),
    broken: false,
    window: () => windowOn(made, ids),
  };
  return made;
}

interface Ids {
  readonly session: () => string;
  readonly message: () => string;
}

function windowOn(made: World, ids: Ids): Window {
  let session: string | null = null;
  let run: FakeRun | null = null;
  let shown: readonly QueuedMessage[] = [];
  const store = {
    get: (id: string): unknown => made.kept.get(id),
    set(id: string, waiting: Waiting | undefined) {
      if (waiting) made.kept.set(id, structuredClone(waiting));
      else made.kept.delete(id);
      return Promise.resolve();
    },
  };
  const queues = createQueues(store, (message) => assert.fail(message));
  const dispatch = createDispatch({
    start({ text: message, parts }, heard) {
      if (made.broken) throw new LoopError("bad_setting", "A setting is wrong.");
      assert.ok(run === null, "two runs at once");
      const at = session ?? ids.session();
      session = at;
      run = fakeRun({ message, read: withNames(message, parts), session: at, made, heard, ended: () => (run = null) });
      made.started.push(message);
      heard({ type: "loop:start", runId: "r", sessionId: at, message, messageId: "m", timestamp: "t" });
      return run;
    },
    openSession: () => session,
    queues,
    changed: (queue) => (shown = queue),
    failed: (error) => made.failures.push(error),
    ids: ids.message,
  });
  return {
    dispatch,
    run: () => run,
    session: () => session,
    open: (id) =>
      dispatch.leave(async () => {
        await settle();
        session = id;
        shown = queues.of(id).queue;
      }),
    shown: () => shown.map(({ text }) => text),
  };
}

/** What a model reads of a message: its words, and what goes with them by name. */
function withNames(text: string, parts: readonly ContentPart[] = []): string {
  return [text, ...parts.map(({ name }) => name)].join(" + ");
}

interface FakeRunParts {
  readonly message: string;
  readonly read: string;
  readonly session: string;
  readonly made: World;
  readonly heard: (event: LoopEvent) => void;
  readonly ended: () => void;
}

function fakeRun({ message, read, session, made, heard, ended }: FakeRunParts): FakeRun {
  let resolve: (outcome: Outcome) => void = () => undefined;
  const result = new Promise<Outcome>((settled) => (resolve = settled));
  const told = { stop: false };
  const steered: { readonly content: string; readonly parts?: readonly ContentPart[] | undefined }[] = [];
  let begun = false;
  let open = true;
  const tell = (text: string): void => void made.delivered.push({ text, session });
  return {
    message,
    sessionId: session,
    result,
    told,
    steer(content, parts) {
      if (open) steered.push({ content, parts });
      return open;
    },
    keepTodos: () => true,
    stop: () => (told.stop = true),
    begin() {
      if (begun) return;
      begun = true;
      tell(read);
      heard({ type: "loop:context", runId: "r", tokenEstimate: 1, contextWindow: 2, agent: "a", model: "m" });
    },
    read() {
      if (!begun || told.stop) return;
      for (const { content, parts } of steered.splice(0)) {
        tell(withNames(content, parts));
        heard({ type: "message:user", runId: "r", messageId: "s", content, timestamp: "t" });
      }
    },
    end(wanted = "completed") {
      open = false;
      const failed = begun ? null : toFailure(new LoopError("session_busy", "Another window has it."));
      const status = failed ? "error" : told.stop ? "aborted" : wanted;
      ended();
      const ids = { runId: "r", sessionId: session };
      const nothing = { output: "", messages: [], toolCalls: [], toolResults: [], errors: [], usage: noUsage };
      const rest = { iterations: 0, duration: 0, ...(failed && { failure: failed }) };
      resolve({ ...ids, status, ...nothing, ...rest, unread: steered.map(({ content }) => content) });
    },
  };
}

/** Begins the run that is on and ends it. */
async function finish(window: Window, status?: RunStatus): Promise<void> {
  window.run()?.begin();
  window.run()?.end(status);
  await settle();
}

const texts = (made: World): readonly string[] => made.delivered.map(({ text }) => text);

describe("messages while a run is going on", () => {
  it("BRAIN-CONC-3: wait by default, and are sent in order when it has ended", async () => {
    const made = world();
    const window = made.window();
    const first = window.dispatch.submit("one", "queue");
    for (const text of ["two", "three"]) assert.equal(await window.dispatch.submit(text, "queue"), null);
    assert.deepEqual(window.shown(), ["two", "three"]);
    await finish(window);
    assert.equal((await first)?.status, "completed");
    assert.deepEqual(window.shown(), ["three"]);
    await finish(window, "completed_with_errors");
    await finish(window, "max_iterations");
    assert.deepEqual(texts(made), ["one", "two", "three"]);
    assert.deepEqual(window.shown(), []);
    assert.equal(window.dispatch.running(), false);
    assert.equal(made.kept.size, 0);
  });

  it("BRAIN-CONC-5: the 11th that would wait is refused, and the ten are kept", async () => {
    const made = world();
    const window = made.window();
    void window.dispatch.submit("running", "queue");
    for (let n = 1; n <= 10; n++) await window.dispatch.submit(`${n}`, "queue");
    await assert.rejects(window.dispatch.submit("11", "queue"), { code: "session_busy" });
    assert.equal(window.shown().length, 10);
    await window.dispatch.submit("now", "interrupt");
    assert.equal(window.shown()[0], "now", "what does not have to wait is not refused");
  });

  it("are refused when they are empty or too long, whether or not a run is going on", async () => {
    const made = world();
    const window = made.window();
    const long = "x".repeat(maxMessageLength + 1);
    for (const begun of [false, true]) {
      if (begun) void window.dispatch.submit("running", "queue");
      for (const how of ["queue", "steer", "interrupt"] as const) {
        await assert.rejects(window.dispatch.submit(" \n", how), { code: "message_empty" });
        await assert.rejects(window.dispatch.submit(long, how), { code: "message_too_long" });
      }
    }
    assert.deepEqual(made.started, ["running"]);
    assert.deepEqual(window.shown(), []);
    assert.equal(window.run()?.told.stop, false);
  });

  it("BRAIN-CONC-11: one that was removed is never sent", async () => {
    const made = world();
    const window = made.window();
    void window.dispatch.submit("one", "queue");
    for (const text of ["two", "three", "four"]) await window.dispatch.submit(text, "queue");
    const second = made.kept.get("session-1")?.queue[1];
    window.dispatch.remove(second?.id ?? "");
    assert.deepEqual(window.shown(), ["two", "four"]);
    for (let n = 0; n < 4; n++) await finish(window);
    assert.deepEqual(texts(made), ["one", "two", "four"]);
  });

  it("X-3: a steered one goes into the run, and one that was not read comes next", async () => {
    const made = world();
    const window = made.window();
    void window.dispatch.submit("one", "queue");
    await window.dispatch.submit("later", "queue");
    window.run()?.begin();
    await window.dispatch.submit("read", "steer");
    window.run()?.read();
    await window.dispatch.submit("not read", "steer");
    assert.deepEqual(window.shown(), ["later"]);
    assert.deepEqual(
      made.kept.get("session-1")?.sending.map(({ text }) => text),
      ["not read"],
    );
    for (let n = 0; n < 3; n++) await finish(window);
    assert.deepEqual(texts(made), ["one", "read", "not read", "later"]);
  });

  it("BRAIN-CONC-7: an interrupting one ends the run and is sent before everything that waits", async () => {
    const made = world();
    const window = made.window();
    void window.dispatch.submit("one", "queue");
    window.run()?.begin();
    await window.dispatch.submit("waits", "queue");
    await window.dispatch.submit("steered", "steer");
    await window.dispatch.submit("now", "interrupt");
    await window.dispatch.submit("right after", "interrupt");
    assert.equal(window.run()?.told.stop, true);
    assert.deepEqual(window.shown(), ["now", "right after", "waits"]);
    await finish(window);
    assert.equal(window.run()?.message, "now");
    assert.equal(window.run()?.told.stop, false);
    for (let n = 0; n < 4; n++) await finish(window);
    assert.deepEqual(texts(made), ["one", "now", "steered", "right after", "waits"]);
  });

  it("keep what goes with them, queued, steered, not read, over a crash, and sent again after a failure", async () => {
    const made = world();
    const window = made.window();
    const picture = (name: string): ContentPart[] => [{ kind: "image", mediaType: "image/png", value: "iVBOR", name }];
    void window.dispatch.submit("one", "queue", picture("1.png"));
    await window.dispatch.submit("two", "queue", picture("2.png"));
    window.run()?.begin();
    await window.dispatch.submit("read", "steer", picture("3.png"));
    window.run()?.read();
    await window.dispatch.submit("not read", "steer", picture("4.png"));
    window.run()?.end("error");
    await settle();
    void window.dispatch.submit("one", "queue");
    window.run()?.begin();
    // The next life of the window has only what was kept.
    const next = made.window();
    await next.open("session-1");
    assert.deepEqual(next.shown(), ["not read", "two"]);
    for (const { id } of made.kept.get("session-1")?.queue ?? []) {
      void next.dispatch.send(id, "queue");
      await finish(next);
    }
    const read = ["one + 1.png", "read + 3.png", "one + 1.png", "not read + 4.png", "two + 2.png"];
    assert.deepEqual(texts(made), read);
    assert.deepEqual(next.shown(), []);
  });

  it("wait on after a stop and after a failure, until a person sends something", async () => {
    for (const status of ["aborted", "error", "timeout", "stalled", "refusal"] as const) {
      const made = world();
      const window = made.window();
      void window.dispatch.submit("one", "queue");
      await window.dispatch.submit("two", "queue");
      await window.dispatch.submit("three", "queue");
      await finish(window, status);
      assert.equal(window.dispatch.running(), false, status);
      assert.deepEqual(window.shown(), ["two", "three"]);
      void window.dispatch.submit("new", "queue");
      for (let n = 0; n < 3; n++) await finish(window);
      assert.deepEqual(texts(made), ["one", "new", "two", "three"]);
    }
  });

  it("a stopped run that had just ended well starts nothing, and what is written after Stop is sent", async () => {
    const made = world();
    const window = made.window();
    void window.dispatch.submit("one", "queue");
    window.run()?.begin();
    await window.dispatch.submit("waits", "queue");
    const stopped = window.dispatch.stop();
    await window.dispatch.submit("instead", "queue");
    assert.deepEqual(window.shown(), ["instead", "waits"]);
    await finish(window);
    await stopped;
    assert.equal(window.run()?.message, "instead");
    const again = window.dispatch.stop();
    await finish(window);
    await again;
    assert.equal(window.dispatch.running(), false);
    assert.deepEqual(window.shown(), ["waits"]);
  });

  it("one that waits can be sent by hand: at once, into the run, or instead of it", async () => {
    const made = world();
    const window = made.window();
    const idOf = (text: string): string =>
      made.kept.get("session-1")?.queue.find((message) => message.text === text)?.id ?? "";
    void window.dispatch.submit("one", "queue");
    window.run()?.begin();
    for (const text of ["a", "b", "c", "d"]) await window.dispatch.submit(text, "queue");
    await window.dispatch.send(idOf("c"), "queue");
    assert.deepEqual(window.shown(), ["c", "a", "b", "d"]);
    await window.dispatch.send(idOf("b"), "steer");
    assert.deepEqual(window.shown(), ["c", "a", "d"]);
    window.run()?.read();
    await window.dispatch.send(idOf("d"), "interrupt");
    await finish(window);
    await finish(window, "error");
    void window.dispatch.send(idOf("a"), "queue");
    void window.dispatch.send("unknown", "interrupt");
    await finish(window);
    await finish(window);
    assert.deepEqual(texts(made), ["one", "b", "d", "a", "c"]);
  });

  it("one whose run cannot begin waits again, and sending its text again is sending it", async () => {
    const made = world();
    const window = made.window();
    void window.dispatch.submit("one", "queue");
    await window.dispatch.submit("two", "queue");
    await finish(window);
    assert.equal(window.run()?.message, "two");
    window.run()?.end();
    await settle();
    assert.deepEqual(window.shown(), ["two"]);
    void window.dispatch.submit("two", "queue");
    await finish(window);
    assert.deepEqual(texts(made), ["one", "two"]);
    assert.deepEqual(window.shown(), []);
    made.broken = true;
    await assert.rejects(window.dispatch.submit("three", "queue"), { code: "bad_setting" });
    assert.equal(window.dispatch.running(), false);
  });

  it("one that was typed and whose run cannot begin is in the turn that says why, and does not wait", async () => {
    const made = world();
    const window = made.window();
    const first = window.dispatch.submit("one", "queue");
    window.run()?.end();
    assert.equal((await first)?.failure?.code, "session_busy");
    assert.deepEqual(window.shown(), []);
    assert.equal(made.kept.size, 0);
  });

  it("one that cannot be sent by itself is told of, and still waits", async () => {
    const made = world();
    const window = made.window();
    void window.dispatch.submit("one", "queue");
    await window.dispatch.submit("two", "queue");
    made.broken = true;
    await finish(window);
    assert.equal(made.failures.length, 1);
    assert.deepEqual(window.shown(), ["two"]);
    assert.equal(window.dispatch.running(), false);
  });
});

describe("what waits", () => {
  it("is written anew and moved where it is, with what goes with it; what has gone meanwhile stays as it was sent", async () => {
    const made = world();
    const window = made.window();
    const picture: ContentPart[] = [{ kind: "image", mediaType: "image/png", value: "iVBOR", name: "1.png" }];
    void window.dispatch.submit("one", "queue");
    await window.dispatch.submit("two", "queue", picture);
    for (const text of ["three", "four"]) await window.dispatch.submit(text, "queue");
    const [two, three, four] = made.kept.get("session-1")?.queue.map(({ id }) => id) ?? [];
    assert.ok(two !== undefined && three !== undefined && four !== undefined);
    window.dispatch.edit(two, "zwei");
    window.dispatch.move(four, -1);
    assert.deepEqual(window.shown(), ["zwei", "four", "three"]);
    window.dispatch.move(four, -9);
    window.dispatch.move(two, 9);
    assert.deepEqual(window.shown(), ["four", "three", "zwei"]);
    assert.throws(() => window.dispatch.edit(two, "  "), { code: "message_empty" });
    await finish(window);
    window.dispatch.edit(four, "too late");
    window.dispatch.move(four, 1);
    assert.deepEqual(window.shown(), ["three", "zwei"]);
    for (let n = 0; n < 3; n++) await finish(window);
    assert.deepEqual(texts(made), ["one", "four", "three", "zwei + 1.png"]);
  });

  it("is its new text for who types the old one again after its run could not begin", async () => {
    const made = world();
    const window = made.window();
    void window.dispatch.submit("one", "queue");
    await window.dispatch.submit("two", "queue");
    await finish(window);
    window.run()?.end();
    await settle();
    const [waits] = made.kept.get("session-1")?.queue ?? [];
    window.dispatch.edit(waits?.id ?? "", "zwei");
    void window.dispatch.submit("two", "queue");
    await finish(window);
    await finish(window);
    assert.deepEqual(texts(made), ["one", "two", "zwei"]);
  });
});

describe("messages and sessions", () => {
  it("what waits stays with its session, and is there when it is opened again", async () => {
    const made = world();
    const window = made.window();
    void window.dispatch.submit("one", "queue");
    await window.dispatch.submit("two", "queue");
    window.run()?.begin();
    await window.dispatch.submit("steered", "steer");
    const left = window.open(null);
    await assert.rejects(window.dispatch.submit("too early", "queue"), { code: "session_busy" });
    window.run()?.end();
    await left;
    assert.equal(window.dispatch.running(), false, "nothing is started behind the person's back");
    assert.deepEqual(window.shown(), []);
    void window.dispatch.submit("other", "queue");
    await finish(window);
    assert.equal(window.dispatch.running(), false);
    await window.open("session-1");
    assert.deepEqual(window.shown(), ["steered", "two"]);
    assert.deepEqual(made.delivered, [
      { text: "one", session: "session-1" },
      { text: "other", session: "session-2" },
    ]);
  });

  it("a run that ends while its session is being left is followed by none", async () => {
    const made = world();
    const window = made.window();
    void window.dispatch.submit("one", "queue");
    await window.dispatch.submit("two", "queue");
    window.run()?.begin();
    window.run()?.end();
    await window.open(null);
    assert.deepEqual(made.started, ["one"]);
    await window.open("session-1");
    assert.deepEqual(window.shown(), ["two"]);
  });

  it("sessions are opened one after the other, also when one cannot be", async () => {
    const made = world();
    const window = made.window();
    const broken = window.dispatch.leave(() => Promise.reject(new Error("damaged")));
    const next = window.open("session-9");
    await assert.rejects(window.dispatch.submit("too early", "queue"), { code: "session_busy" });
    await assert.rejects(broken, { message: "damaged" });
    await next;
    assert.equal(window.session(), "session-9");
    void window.dispatch.submit("one", "queue");
    await finish(window);
    assert.deepEqual(made.delivered, [{ text: "one", session: "session-9" }]);
  });

  it("what waited, or was on its way, is there after a crash, and is not sent by itself", async () => {
    const made = world();
    const before = made.window();
    void before.dispatch.submit("one", "queue");
    before.run()?.begin();
    await before.dispatch.submit("two", "queue");
    await before.dispatch.submit("steered", "steer");
    const after = made.window();
    await after.open("session-1");
    assert.deepEqual(after.shown(), ["steered", "two"]);
    assert.equal(after.dispatch.running(), false);
    assert.deepEqual(made.started, ["one"]);
  });

  it("what cannot be read of an earlier window is left alone", async () => {
    const queues = createQueues({ get: () => ({ queue: "odd" }), set: () => Promise.resolve() }, () => undefined);
    assert.deepEqual(queues.of("s"), { queue: [], sending: [] });
  });
});

type Step =
  | { readonly do: "submit"; readonly how: "queue" | "steer" | "interrupt" }
  | { readonly do: "send"; readonly how: "queue" | "steer" | "interrupt"; readonly at: number }
  | { readonly do: "remove"; readonly at: number }
  | { readonly do: "edit"; readonly at: number }
  | { readonly do: "move"; readonly at: number; readonly by: number }
  | { readonly do: "end"; readonly status: RunStatus; readonly atTheDoor: boolean }
  | { readonly do: "open"; readonly at: number }
  | { readonly do: "begin" | "read" | "stop" | "crash" };

const how = fc.constantFrom("queue" as const, "steer" as const, "interrupt" as const);
const at = fc.nat(5);
const statuses: readonly RunStatus[] = ["completed", "completed", "completed", "max_iterations", "error", "aborted"];
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: how.map((h): Step => ({ do: "submit", how: h })) },
  { weight: 2, arbitrary: fc.tuple(how, at).map(([h, n]): Step => ({ do: "send", how: h, at: n })) },
  { weight: 1, arbitrary: at.map((n): Step => ({ do: "remove", at: n })) },
  { weight: 2, arbitrary: at.map((n): Step => ({ do: "edit", at: n })) },
  {
    weight: 2,
    arbitrary: fc.tuple(at, fc.integer({ min: -7, max: 7 })).map(([n, by]): Step => ({ do: "move", at: n, by })),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...statuses), fc.nat(4))
      .map(([status, n]): Step => ({ do: "end", status, atTheDoor: n === 0 })),
  },
  { weight: 2, arbitrary: at.map((n): Step => ({ do: "open", at: n })) },
  { weight: 4, arbitrary: fc.constant<Step>({ do: "begin" }) },
  { weight: 2, arbitrary: fc.constant<Step>({ do: "read" }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "stop" }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "crash" }) },
);

/** Plays steps as a person and a model would, and keeps the books. */
async function play(steps: readonly Step[]): Promise<void> {
  const made = world();
  let window = made.window();
  let count = 0;
  /** The session that was on the screen when a message was taken. */
  const typed = new Map<string, string>();
  const removed = new Set<string>();
  const atTheDoor = new Set<string>();
  /** The message of the last run that was begun by typing it. */
  let direct = "";
  const open: Promise<unknown>[] = [];
  const waitingIds = (): readonly QueuedMessage[] => made.kept.get(window.session() ?? "")?.queue ?? [];

  const submit = async (kind: "queue" | "steer" | "interrupt"): Promise<void> => {
    const text = `message ${++count}`;
    const taken = window.dispatch.submit(text, kind).catch((error: unknown) => {
      assert.ok(error instanceof LoopError && error.code === "session_busy");
      typed.delete(text);
    });
    // Taken or refused at once; only the end of a run that it starts comes later.
    typed.set(text, window.session() ?? "none");
    if (window.run()?.message === text) direct = text;
    open.push(taken);
    await settle();
  };
  const end = async (status: RunStatus): Promise<void> => {
    const run = window.run();
    if (run && run.message === direct && !texts(made).includes(run.message)) atTheDoor.add(run.message);
    run?.end(status);
    await settle();
  };
  const acts: { readonly [D in Step["do"]]: (one: Extract<Step, { do: D }>) => unknown } = {
    submit: (one) => submit(one.how),
    send(one) {
      const message = waitingIds()[one.at];
      if (message) open.push(window.dispatch.send(message.id, one.how).catch(() => undefined));
    },
    remove(one) {
      const message = waitingIds()[one.at];
      if (!message) return;
      window.dispatch.remove(message.id);
      removed.add(message.text);
    },
    edit(one) {
      const message = waitingIds()[one.at];
      const text = `message ${++count}, written anew`;
      // Of one that is not there any more nothing must come: it was sent, or waits in another session.
      window.dispatch.edit(message?.id ?? "gone", text);
      if (!message) return;
      typed.set(text, typed.get(message.text) ?? "none");
      typed.delete(message.text);
    },
    move(one) {
      const message = waitingIds()[one.at];
      const before = window.shown();
      const from = before.indexOf(message?.text ?? "");
      if (!message || from === -1) return;
      window.dispatch.move(message.id, one.by);
      const to = Math.max(0, Math.min(from + one.by, before.length - 1));
      assert.deepEqual(window.shown(), before.toSpliced(from, 1).toSpliced(to, 0, message.text));
    },
    end(one) {
      if (!one.atTheDoor) window.run()?.begin();
      return end(one.status);
    },
    open(one) {
      const known = [null, "another", ...new Set(typed.values())];
      open.push(window.open(known[one.at % known.length] ?? null));
    },
    begin: () => window.run()?.begin(),
    read: () => window.run()?.read(),
    stop: () => open.push(window.dispatch.stop()),
    crash() {
      const session = window.session();
      window = made.window();
      open.length = 0;
      direct = "";
      return window.open(session);
    },
  };
  const act = <D extends Step["do"]>(
    table: { readonly [K in D]: (one: Extract<Step, { do: K }>) => unknown },
    one: Extract<Step, { do: D }>,
  ): unknown => table[one.do](one);

  for (const one of steps) {
    await act(acts, one);
    await settle();
  }
  while (window.run()) await end("aborted");
  await Promise.all(open);
  const { queue = [], sending = [] } = made.kept.get(window.session() ?? "") ?? {};
  const waiting = [...sending, ...queue].map(({ text }) => text);
  assert.deepEqual(window.shown(), waiting, "waits, and is not shown");
  check(made, { typed, removed, atTheDoor });
}

interface Books {
  readonly typed: ReadonlyMap<string, string>;
  readonly removed: ReadonlySet<string>;
  /** Runs that could not begin; their turn shows the message and why. */
  readonly atTheDoor: ReadonlySet<string>;
}

function check(made: World, { typed, removed, atTheDoor }: Books): void {
  const read = texts(made);
  assert.equal(new Set(read).size, read.length, `sent twice: ${read.join(", ")}`);
  for (const { text, session } of made.delivered) assert.equal(session, typed.get(text), `${text} went astray`);
  const kept = [...made.kept].flatMap(([session, { queue, sending }]) =>
    [...queue, ...sending].map(({ text }) => ({ text, session })),
  );
  assert.equal(new Set(kept.map(({ text }) => text)).size, kept.length, "waits twice");
  for (const { text, session } of kept) {
    assert.equal(session, typed.get(text), `${text} waits elsewhere`);
    assert.ok(!read.includes(text), `${text} was sent and still waits`);
    assert.ok(!removed.has(text), `${text} was removed and still waits`);
  }
  const somewhere = new Set([...read, ...kept.map(({ text }) => text), ...removed, ...atTheDoor]);
  assert.deepEqual(
    [...typed.keys()].filter((text) => !somewhere.has(text)),
    [],
    "lost",
  );
  assert.deepEqual(
    [...removed].filter((text) => read.includes(text)),
    [],
    "removed and sent",
  );
}

describe("whatever a person does", () => {
  it("no message is lost, sent twice, or sent to another session", async function () {
    this.timeout(60_000);
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 60, size: "max" }), play), { numRuns: 400 });
  });
});
