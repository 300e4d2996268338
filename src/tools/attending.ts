// A call's waiting for its command: under its limits, with the person at hand, until it ends or goes on without the call.
import type { CallContext } from "../engine/ports.ts";
import { watchInput } from "./inputWatch.ts";
import type { CommandEnd, StartedCommand } from "./process.ts";
import { workOf } from "./processTree.ts";
import { timeLimit, type TimeLimit } from "./timeLimit.ts";

export interface Limits {
  /** Milliseconds of work, after which it is ended or, in the background, goes on by itself. */
  readonly timeout: number;
  /** Milliseconds without output and without work, after which it goes on by itself. */
  readonly idle: number;
  readonly background: boolean;
  /** Its input is open, and a person is asked when it waits for it. */
  readonly input: boolean;
}

/**
 * Asks a person on behalf of a command, whose time stands still meanwhile.
 * @param ask its signal is aborted when the call does not wait for the command any more
 */
export type Hold = <T>(ask: (over: AbortSignal) => Promise<T>) => Promise<T>;

export interface Attended {
  /** `background`: it goes on; `idle`: because nothing came of it. */
  readonly end: CommandEnd | { readonly kind: "background"; readonly idle: boolean };
  /** The question that nobody answered, so that its input was ended; null when there was none. */
  readonly unanswered: string | null;
}

export interface Attending {
  readonly hold: Hold;
  /** Ends the waiting: the command goes on without its call. */
  readonly release: () => void;
  /** Waits; the limits count from now on. */
  readonly until: (started: StartedCommand) => Promise<Attended>;
}

/**
 * Nothing counts before there is a command.
 * @param work how long a command has computed so far, in milliseconds
 */
export function attend(
  limits: Limits,
  { signal, enter }: Pick<CallContext, "signal" | "enter">,
  work: (command: StartedCommand) => Promise<number> = ({ family }) => workOf(family),
): Attending {
  const over = new AbortController();
  let free = (_idle: boolean): void => undefined;
  const released = new Promise<Attended["end"]>((resolve) => (free = (idle) => resolve({ kind: "background", idle })));
  const release = (): void => free(false);
  let atWork: StartedCommand | null = null;
  const wall = timeLimit(limits.timeout, () => (limits.background ? release() : void atWork?.stop("timeout")));
  const idle: Idle = { milliseconds: limits.idle, command: () => atWork, work };
  const quiet = idleLimit(idle, () => free(true));
  const each = (act: (clock: TimeLimit) => void): void => [wall, quiet].forEach(act);
  const hold: Hold = async (ask) => {
    each((clock) => clock.pause());
    try {
      return await ask(over.signal);
    } finally {
      each((clock) => clock.resume());
    }
  };
  return {
    hold,
    release,
    async until(started) {
      atWork = started;
      each((clock) => clock.resume());
      const onAbort = (): void => void started.stop("stopped");
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
      let unanswered: string | null = null;
      const type = async (prompt: string): Promise<string | null> => {
        const text = await hold((gone) => enter(prompt, gone).catch(() => null));
        if (text === null) unanswered = prompt;
        return text;
      };
      const watching = limits.input ? watchInput(started, type, over.signal) : Promise.resolve();
      const end = await Promise.race([started.ended, released]);
      each((clock) => clock.clear());
      over.abort();
      signal.removeEventListener("abort", onAbort);
      await watching;
      return { end, unanswered };
    },
  };
}

/** Part of the time that a command which does something at all is at work. */
const busy = 0.02;

interface Idle {
  readonly milliseconds: number;
  readonly command: () => StartedCommand | null;
  readonly work: (command: StartedCommand) => Promise<number>;
}

/** Reached when a command has neither printed anything for so long, nor worked, as far as the system tells. */
function idleLimit({ milliseconds, command, work }: Idle, reached: () => void): TimeLimit {
  let worked = 0;
  const look = async (started: StartedCommand): Promise<void> => {
    const quiet = Date.now() - started.spokeAt();
    if (quiet < milliseconds) return limit.restart(milliseconds - quiet);
    const before = worked;
    worked = await work(started);
    if (worked - before > busy * milliseconds) return limit.restart(milliseconds);
    reached();
  };
  const limit = timeLimit(milliseconds, () => {
    const started = command();
    if (started) void look(started);
  });
  return limit;
}
