// Runs of one session, started at the same time: who runs when, who is refused, and that nobody waits for ever.
import assert from "node:assert/strict";
import type { ModelEvent, ModelRequest } from "../../../src/engine/ports.ts";
import { createQueue } from "../../../src/engine/queue.ts";
import type { Outcome, Run, RunRequest } from "../../../src/engine/run.ts";
import { loopDefaults } from "../../../src/protocol/config.ts";
import { kit, ofType, says, type Kit } from "../../support/kit.ts";

interface Asked {
  readonly message: string;
  /** The model answers. */
  readonly answer: () => void;
}

interface Crowd {
  readonly made: Kit;
  /** Every request that reached the model, in order. */
  readonly asked: readonly Asked[];
  readonly start: (message: string, request?: Partial<RunRequest>) => Run;
  /** Lets everything happen that needs no time. */
  readonly settle: () => Promise<void>;
  /** Answers the newest request, and the run that it belongs to ends. */
  readonly answer: () => Promise<void>;
}

/** An engine with a queue, and a model that answers when it is told to. */
function crowd(): Crowd {
  const asked: Asked[] = [];
  const model = { id: "slow", contextWindow: loopDefaults.contextWindow, stream };
  async function* stream({ messages }: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    await new Promise<void>((resolve) => {
      asked.push({ message: messages.at(-1)?.content ?? "", answer: resolve });
      signal.addEventListener("abort", () => resolve());
    });
    if (!signal.aborted) yield* says("Done.");
  }
  const bare = kit({ model });
  const made = kit({ model, ports: { clock: bare.clock, queue: createQueue(bare.clock) } });
  const settle = (): Promise<void> => bare.clock.advance(0);
  return {
    made: { ...made, clock: bare.clock },
    asked,
    start: (message, request) => made.start({ message, sessionId: "s", create: true, ...request }),
    settle,
    async answer() {
      asked.at(-1)?.answer();
      await settle();
      await settle();
    },
  };
}

const endings = async (runs: readonly Run[]): Promise<readonly string[]> => {
  const outcomes = await Promise.all(runs.map(({ result }) => result));
  return outcomes.map(({ status, failure }: Outcome) => failure?.code ?? status);
};

const messages = ({ asked }: Crowd): readonly string[] => asked.map(({ message }) => message);

describe("runs of one session", () => {
  it("BRAIN-CONC-3: wait for each other and go in the order in which they were started", async () => {
    const here = crowd();
    const runs = ["a", "b", "c", "d"].map((message) => here.start(message));
    await here.settle();
    for (const expected of [["a"], ["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d"]]) {
      assert.deepEqual(messages(here), expected);
      await here.answer();
    }
    assert.deepEqual(await endings(runs), ["completed", "completed", "completed", "completed"]);
    const ran = here.made.lines.flatMap((line) => (line["role"] === "user" ? [line["content"]] : []));
    assert.deepEqual(ran, ["a", "b", "c", "d"]);
  });

  it("BRAIN-CONC-4: after queueTimeout a waiting one ends with 503 and has never run", async () => {
    const here = crowd();
    const [first, second] = [here.start("a"), here.start("b")];
    await here.made.clock.advance(loopDefaults.queueTimeout - 1);
    const third = here.start("c");
    await here.made.clock.advance(1);
    const { status, failure } = await second.result;
    assert.deepEqual([status, failure?.code, failure?.status], ["error", "queue_timeout", 503]);
    assert.match(failure?.message ?? "", /waited 30 seconds/);
    await here.answer();
    assert.deepEqual(messages(here), ["a", "c"], "its place is free, and the one behind it still waits");
    await here.answer();
    assert.deepEqual(await endings([first, third]), ["completed", "completed"]);
    await here.made.clock.advance(loopDefaults.queueTimeout);
    assert.equal(ofType(here.made.events, "loop:end").length, 3);
  });

  it("BRAIN-CONC-5: ten wait, and the eleventh is refused at once", async () => {
    const here = crowd();
    const runs = Array.from({ length: 11 }, (_, n) => here.start(`${n}`));
    await here.settle();
    const { status, failure } = await here.start("too many").result;
    assert.deepEqual([status, failure?.code, failure?.status], ["error", "session_busy", 503]);
    for (const _ of runs) await here.answer();
    await here.settle();
    assert.deepEqual(new Set(await endings(runs)), new Set(["completed"]));
    assert.equal(here.asked.length, 11);
  });

  it("BRAIN-CONC-6: one that is to be dropped ends at once while another runs, and runs when none does", async () => {
    const here = crowd();
    const first = here.start("a");
    await here.settle();
    assert.deepEqual(await endings([here.start("b", { whenBusy: "drop" })]), ["session_busy"]);
    await here.answer();
    assert.deepEqual(await endings([first]), ["completed"]);
    const last = here.start("c", { whenBusy: "drop" });
    await here.settle();
    await here.answer();
    assert.deepEqual(await endings([last]), ["completed"]);
    assert.deepEqual(messages(here), ["a", "c"]);
  });

  it("BRAIN-CONC-7: one that interrupts ends what runs, which is written down, and goes before what waits", async () => {
    const here = crowd();
    const runs = [here.start("a"), here.start("b")];
    await here.settle();
    runs.push(here.start("c", { whenBusy: "interrupt" }));
    assert.equal((await runs[0]?.result)?.status, "aborted");
    await here.settle();
    await here.answer();
    await here.answer();
    assert.deepEqual(await endings(runs), ["aborted", "completed", "completed"]);
    assert.deepEqual(messages(here), ["a", "c", "b"]);
    const said = here.made.lines.flatMap((line) => {
      if (line["type"] === "run_end") return ["end"];
      return line["role"] === "user" ? [line["content"]] : [];
    });
    assert.deepEqual(said, ["a", "end", "c", "end", "b", "end"]);
  });

  it("BRAIN-CONC-7: a message that cannot be sent interrupts nothing", async () => {
    const here = crowd();
    const first = here.start("a");
    await here.settle();
    assert.deepEqual(await endings([here.start(" ", { whenBusy: "interrupt" })]), ["message_empty"]);
    await here.answer();
    assert.deepEqual(await endings([first]), ["completed"]);
  });

  it("BRAIN-CONC-11: one that is stopped while it waits never runs, and the others keep their order", async () => {
    const here = crowd();
    const runs = ["a", "b", "c"].map((message) => here.start(message));
    await here.settle();
    runs[1]?.stop();
    assert.equal((await runs[1]?.result)?.status, "aborted");
    await here.answer();
    await here.answer();
    assert.deepEqual(await endings(runs), ["completed", "aborted", "completed"]);
    assert.deepEqual(messages(here), ["a", "c"]);
  });

  it("BRAIN-CONC-2: runs of another session do not wait", async () => {
    const queue = createQueue(crowd().made.clock);
    const turn = { whenBusy: "drop", signal: new AbortController().signal, stop: () => undefined } as const;
    const enter = (sessionId: string) => queue.enter({ ...turn, sessionId, limits: loopDefaults });
    const leave = await enter("one");
    assert.ok(leave);
    assert.ok(await enter("other"));
    await assert.rejects(enter("one"), { code: "session_busy" });
    leave();
    assert.ok(await enter("one"));
    leave();
    await assert.rejects(enter("one"), { code: "session_busy" }, "who has left before gives nothing back");
  });
});
