// Fetches the markdown renderer after the first paint; until it is here, text stands as it was written.

/** Draws text into an element again and again as it grows. */
export interface MarkdownRenderer {
  readonly draw: (element: HTMLElement, text: string, settled: boolean) => void;
}

export interface LazyMarkdown {
  /** The renderer, once it is here. */
  readonly get: () => MarkdownRenderer | null;
  readonly fetch: () => Promise<void>;
  /** Calls back once when the renderer is here, at once if it is; returns how to take that back. */
  readonly whenHere: (here: () => void) => () => void;
}

/** @param load gives the renderer: a dynamic import */
export function lazyMarkdown(load: () => Promise<MarkdownRenderer>): LazyMarkdown {
  let renderer: MarkdownRenderer | null = null;
  const waiting = new Set<() => void>();
  return {
    get: () => renderer,
    fetch: async () => {
      renderer ??= await load();
      for (const here of waiting) here();
      waiting.clear();
    },
    whenHere: (here) => {
      if (renderer) here();
      else waiting.add(here);
      return () => waiting.delete(here);
    },
  };
}
