// Long work in slices, so that nothing else has to wait for the end of it.
import { setImmediate as turn } from "node:timers/promises";

/** Milliseconds after which others have their turn. */
const slice = 4;

/**
 * @returns to be called between two steps, and awaited: it waits only when it is time for others
 * It throws the signal's reason when that is aborted.
 */
export function pauses(signal?: AbortSignal): () => Promise<void> | undefined {
  let began = performance.now();
  const wait = async (): Promise<void> => {
    await turn();
    signal?.throwIfAborted();
    began = performance.now();
  };
  return () => (performance.now() - began > slice ? wait() : undefined);
}
