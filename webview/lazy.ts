// A part of the panel that is fetched after the first paint.
import { useEffect, useState } from "preact/hooks";

export interface Lazy<T> {
  /** The part, once it is here. */
  readonly get: () => T | null;
  readonly fetch: () => Promise<void>;
  /** Calls back once when the part is here, at once if it is; returns how to take that back. */
  readonly whenHere: (here: () => void) => () => void;
}

/** @param load gives the part: a dynamic import */
export function lazy<T extends object>(load: () => Promise<T>): Lazy<T> {
  let part: T | null = null;
  const waiting = new Set<() => void>();
  return {
    get: () => part,
    fetch: async () => {
      part ??= await load();
      for (const here of waiting) here();
      waiting.clear();
    },
    whenHere: (here) => {
      if (part) here();
      else waiting.add(here);
      return () => waiting.delete(here);
    },
  };
}

/** The part, or null until it is here; then what uses it is drawn again. */
export function useLazy<T extends object>(lazy: Lazy<T>): T | null {
  const [part, setPart] = useState(lazy.get);
  useEffect(() => lazy.whenHere(() => setPart(lazy.get)), [lazy]);
  return part;
}

/** The same; fetched when something needs it. */
export function useFetched<T extends object>(lazy: Lazy<T>, needed: boolean): T | null {
  const part = useLazy(lazy);
  useEffect(() => {
    if (needed && !part) void lazy.fetch().catch(() => undefined);
  }, [lazy, needed, part]);
  return part;
}
