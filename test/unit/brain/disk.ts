// What the tests of this room share: a folder that goes away, a clock that stands still, and a short conversation.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../../src/engine/ports.ts";
import type { Entry } from "../../../src/protocol/messages.ts";

export const sessionId = "11111111-2222-4333-8444-555555555555";

/** Runs a test in a new folder, which is removed afterwards. */
export async function inFolder<T>(test: (dir: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), "brain-test-"));
  try {
    return await test(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

export interface StillClock extends Clock {
  /** Moves on, and calls back what came due, in order. */
  pass(milliseconds: number): void;
  /** Moves on without calling anybody back, as a computer that slept. */
  sleep(milliseconds: number): void;
}

export function stillClock(): StillClock {
  let time = Date.now();
  let timers: { at: number; callback: () => void }[] = [];
  return {
    now: () => time,
    after(milliseconds, callback) {
      const timer = { at: time + milliseconds, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    pass(milliseconds) {
      time += milliseconds;
      const due = timers.filter(({ at }) => at <= time).toSorted((a, b) => a.at - b.at);
      timers = timers.filter((timer) => !due.includes(timer));
      for (const { callback } of due) callback();
    },
    sleep(milliseconds) {
      time += milliseconds;
    },
  };
}

const at = (second: number): string => new Date(Date.UTC(2026, 0, 2, 10, 0, second)).toISOString();

/** A run with two calls and an answer. */
export function conversation(runId = "run-1", from = 0): Entry[] {
  const line = (id: string, second: number) => ({ id: `${runId}-${id}`, runId, timestamp: at(from + second) });
  return [
    { role: "user", content: "Make the tests pass 🌱", ...line("user", 0), agent: "Coder" },
    {
      role: "assistant",
      content: "I look first.",
      tool_calls: [
        { id: "a", name: "read_file", arguments: '{"path":"src/price.js"}' },
        { id: "b", name: "run_command", arguments: '{"command":"npm test"}' },
      ],
      ...line("reply", 1),
      iteration: 1,
    },
    {
      role: "tool",
      tool_call_id: "a",
      content: "x\u2028y\nz",
      ...line("a", 2),
      name: "read_file",
      status: "succeeded",
      duration: 3,
    },
    {
      role: "tool",
      tool_call_id: "b",
      content: "1 failing",
      ...line("b", 3),
      name: "run_command",
      status: "failed",
      duration: 9,
    },
    { role: "assistant", content: "Done.", ...line("answer", 4), iteration: 2 },
    { type: "run_end", ...line("end", 5), status: "completed", duration: 5000, usage: { input: 10, output: 4 } },
  ];
}

export function toText(entries: readonly Entry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}
