// A part of the panel that is fetched when it is needed.
import { useEffect, useState } from "preact/hooks";

export interface Lazy<T> {
  /** The part, once it is here. */
  readonly get: () => T | null;
  /** It could not be fetched when that was last tried. */
  readonly failed: () => boolean;
  /** Fetches it, where it is not here yet. @returns null when that failed */
  readonly fetch: () => Promise<T | null>;
  /** Calls back at once, and after each try; returns how to take that back. */
  readonly watch: (tried: () => void) => () => void;
}

/** @param load gives the part: a dynamic import */
export function lazy<T extends object>(load: () => Promise<T>): Lazy<T> {
  let part: T | null = null;
  let failed = false;
  const watching = new Set<() => void>();
  return {
    get: () => part,
    failed: () => failed,
    fetch: async () => {
      const come = part ?? (await load().catch(() => null));
      part ??= come;
      failed = part === null;
      for (const tried of watching) tried();
      return part;
    },
    watch: (tried) => {
      watching.add(tried);
      tried();
      return () => watching.delete(tried);
    },
  };
}

/** What a part can be asked, asked again after each try to fetch it. */
export function useLazy<T extends object, A>(lazy: Lazy<T>, ask: (lazy: Lazy<T>) => A): A {
  const [answer, setAnswer] = useState(() => ask(lazy));
  useEffect(() => lazy.watch(() => setAnswer(() => ask(lazy))), [lazy]);
  return answer;
}
