// Where a rerun stands: the recorded request that is being answered, what of its calls has begun, and the recorded times.
import type { LoopEvent } from "../protocol/events.ts";
import type { Clock } from "./ports.ts";
import type { RecordedCall, RecordedReply, RecordedRun } from "./recorded.ts";
import { isCancelled } from "./sentences.ts";

export interface Stage {
  /** The next request is sent. @returns its number, from 1 */
  begin(): number;
  /** What is recorded as the answer to the present request. */
  reply(): RecordedReply | null;
  /** The recorded call of this id in the present reply. */
  call(id: string): RecordedCall | null;
  /** Told of every event. */
  hear(event: LoopEvent): void;
  /** A tool is asked about a call. */
  start(id: string): void;
  /** A tool was asked about a call of the present reply, or the call has ended without one. */
  hasStarted(id: string): boolean;
  /** Resolves when a call that was stopped at work ended: with the stop itself, or as much later as the record says. */
  stopped(id: string, signal: AbortSignal): Promise<void>;
  /** Resolves at the time of a line of the run; at once when that has passed. */
  until(index: number, offset?: number): Promise<void>;
}

/**
 * @param times of the run's lines, in milliseconds since the rerun began
 * @param begun told of the number of each request that is sent
 */
export function createStage(
  run: RecordedRun,
  clock: Clock,
  times: readonly number[],
  begun: (request: number) => void,
): Stage {
  const start = clock.now();
  const started = new Set<string>();
  let request = 0;
  const reply = (): RecordedReply | null => run.replies.get(request) ?? null;
  const called = (id: string): RecordedCall | null => reply()?.calls.find(({ call }) => call.id === id) ?? null;
  const until = (index: number, offset = 0): Promise<void> => {
    const left = start + (times[index] ?? 0) + offset - clock.now();
    return left <= 0 ? Promise.resolve() : new Promise((resolve) => void clock.after(left, resolve));
  };
  let atWork: { readonly index: number; readonly end: () => void }[] = [];
  /** In the recorded order, whoever hears of the stop first. */
  const endAll = (): void => {
    const ending = atWork.toSorted((a, b) => a.index - b.index);
    atWork = [];
    for (const { end } of ending) end();
  };
  return {
    begin() {
      request += 1;
      started.clear();
      begun(request);
      return request;
    },
    reply,
    call: called,
    hear(event) {
      if (event.type === "tool:start") started.add(event.toolCallId);
    },
    start: (id) => void started.add(id),
    hasStarted: (id) => started.has(id),
    stopped(id, signal) {
      const { calls = [] } = reply() ?? {};
      const { index = Infinity } = called(id) ?? {};
      // All before it ended by themselves with the stop: so did it.
      const isPrompt = calls.every(
        (other) => other.index >= index || other.result?.status !== "cancelled" || wasBusy(other),
      );
      return new Promise((resolve) => {
        atWork.push({ index, end: isPrompt ? resolve : () => void until(index).then(resolve) });
        signal.addEventListener("abort", endAll, { once: true });
        if (signal.aborted) endAll();
      });
    },
    until,
  };
}

/** It was at work, or before a person, when it was stopped. */
function wasBusy({ result }: RecordedCall): boolean {
  return result !== null && (result.verdict !== undefined || isCancelled(result, "whileAsked"));
}
