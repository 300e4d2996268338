// Work that must be done however this process ends: servers it started must not outlive it.
const pending = new Set<() => void>();
const deadly = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
let listening = false;

function listen(): void {
  listening = true;
  process.once("exit", () => {
    // The last first: a server ends before the folder that it writes into goes.
    for (const work of [...pending].toReversed()) work();
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    // Whoever else listens for the signal (mocha, `npm start`) decides how to end; alone, the default would skip "exit".
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(deadly[signal]);
    });
  }
}

/** Calls `work` (synchronous) when the process ends; the function returned takes it back. */
export function onExit(work: () => void): () => void {
  if (!listening) listen();
  pending.add(work);
  return () => void pending.delete(work);
}
