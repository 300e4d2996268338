// Notices that a command waits for somebody to type: by what its processes do, or by output that ends like a question.
import type { StartedCommand } from "./process.ts";
import { inputOf, readsInput } from "./processTree.ts";

const interval = 200;
/** Milliseconds of silence after which a line that ends like a question is taken for one. */
const silence = 1_500;

/** What the last line of somebody's question looks like: not ended, and with a sign of asking at its end. */
export function looksAsking(line: string): boolean {
  return /[?:>\])$#»]\s*$/u.test(line) && line.trim() !== "";
}

/**
 * Watches a command whose input is open until its signal is aborted, and asks each time that it waits.
 * @param ask with the line that the question ends with; gives what is typed, null to end the input
 */
export async function watchInput(
  started: StartedCommand,
  ask: (prompt: string) => Promise<string | null>,
  signal: AbortSignal,
): Promise<void> {
  const { shell } = started.family;
  const input = shell && inputOf(shell.pid);
  let seen = 0;
  let answered = -1;
  for (;;) {
    await pause(signal);
    if (signal.aborted) return;
    const quiet = started.bytes() !== answered && Date.now() - started.spokeAt() > silence;
    const asking = quiet && looksAsking(started.kept.lastLine());
    // Twice in a row: it may just be reading what has been typed.
    seen = input !== null && (await readsInput(started.family, input)) ? seen + 1 : 0;
    if (seen < 2 && !asking) continue;
    answered = started.bytes();
    seen = 0;
    const text = await ask(started.kept.lastLine());
    started.type(text);
    if (text === null) return;
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, interval);
    signal.addEventListener("abort", done, { once: true });
  });
}
