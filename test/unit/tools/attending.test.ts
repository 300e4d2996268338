// Waiting for a command that does nothing any more, on a clock of the test's own.
import assert from "node:assert/strict";
import { mock } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { attend, type Attended } from "../../../src/tools/attending.ts";
import type { StartedCommand } from "../../../src/tools/process.ts";
import { workOf } from "../../../src/tools/processTree.ts";
import { callContext } from "../../support/kit.ts";

interface Waiting {
  readonly hold: ReturnType<typeof attend>["hold"];
  /** Lets time pass, with what the command does meanwhile. */
  readonly pass: (
    milliseconds: number,
    does?: { readonly prints?: boolean; readonly computes?: number },
  ) => Promise<void>;
  readonly end: () => Attended["end"] | null;
}

/** A call that waits for a command: silent for a second and it goes on without it. */
function waiting(): Waiting {
  let spoke = 0;
  let computed = 0;
  let end: Attended["end"] | null = null;
  const started: StartedCommand = {
    family: { mark: "none", shell: null },
    kept: { add: () => undefined, text: () => "", lastLine: () => "" },
    bytes: () => 0,
    binary: () => false,
    spokeAt: () => spoke,
    ended: new Promise(() => undefined),
    leftBehind: () => false,
    stop: () => Promise.resolve(),
    type: () => undefined,
    unwatch: () => undefined,
  };
  const limits = { timeout: 60_000, idle: 1_000, background: false, input: false };
  const { hold, until } = attend(limits, callContext(new AbortController().signal), () => Promise.resolve(computed));
  void until(started).then((attended) => (end = attended.end));
  return {
    hold,
    async pass(milliseconds, { prints = false, computes = 0 } = {}) {
      computed += computes;
      if (prints) spoke = Date.now();
      mock.timers.tick(milliseconds);
      await nextTurn();
    },
    end: () => end,
  };
}

const idle = { kind: "background", idle: true } as const;

describe("A command that does nothing any more", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout", "Date"], now: 0 }));
  afterEach(() => mock.timers.reset());

  it("goes on in the background, and the call knows why", async () => {
    const { pass, end } = waiting();
    await pass(999);
    assert.equal(end(), null);
    await pass(1);
    assert.deepEqual(end(), idle);
  });

  it("is none that prints", async () => {
    const { pass, end } = waiting();
    for (let time = 0; time < 10; time++) await pass(900, { prints: true });
    assert.equal(end(), null);
    await pass(1_000);
    await pass(1_000);
    assert.deepEqual(end(), idle);
  });

  it("is none that computes in silence", async () => {
    const { pass, end } = waiting();
    for (let time = 0; time < 10; time++) await pass(1_000, { computes: 300 });
    assert.equal(end(), null);
    await pass(1_000, { computes: 1 });
    assert.deepEqual(end(), idle);
  });

  it("is none that waits for a person’s answer", async () => {
    const { pass, end, hold } = waiting();
    let answer = (): void => undefined;
    const asked = hold(() => new Promise<void>((resolve) => (answer = resolve)));
    await pass(600_000);
    assert.equal(end(), null);
    answer();
    await asked;
    await pass(1_000);
    assert.deepEqual(end(), idle);
  });
});

describe("What the processes of a command have computed", () => {
  it("is known on Linux, and nothing elsewhere or of those that are gone", async () => {
    const here = await workOf({ mark: "none", shell: { pid: process.pid, ended: () => false } });
    assert.equal(here > 0, process.platform === "linux");
    assert.equal(await workOf({ mark: "none", shell: null }), 0);
  });
});
