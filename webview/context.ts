// What every part of the panel can reach: the store, and what is fetched after the first paint; and how a row remembers its fold.
import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";
import type { Flow } from "./flowView.tsx";
import type { Bridge } from "./bridge.ts";
import type { Later } from "./later.ts";
import type { Lazy } from "./lazy.ts";
import type { MarkdownRenderer } from "./markdown.ts";
import type { SessionsPage } from "./sessions.tsx";
import type { Store } from "./store.ts";

export interface Tools {
  readonly store: Store;
  readonly markdown: Lazy<MarkdownRenderer>;
  readonly later: Lazy<Later>;
  /** Drawings of plans. */
  readonly flow: Lazy<Flow>;
  readonly sessions: Lazy<{ readonly SessionsPage: typeof SessionsPage }>;
  readonly listen: Bridge["listen"];
}

const Context = createContext<Tools | null>(null);
export const ToolsProvider = Context.Provider;

/** @throws when used outside of the panel */
export function useTools(): Tools {
  const tools = useContext(Context);
  if (!tools) throw new Error("A part of the panel was drawn outside of it.");
  return tools;
}

/**
 * Whether a row is unfolded, and how to change that; what a person chose outlives the panel.
 * @param key of the row, among all rows
 * @param otherwise what holds until a person chooses
 */
export function useFold(key: string, otherwise: boolean): readonly [boolean, () => void] {
  const { store } = useTools();
  const [chosen, choose] = useState<boolean | undefined>(() => store.state().ui.folds[key]);
  const open = chosen ?? otherwise;
  const toggle = (): void => {
    choose(!open);
    store.fold(key, !open);
  };
  return [open, toggle];
}
