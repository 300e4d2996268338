// What every part of the panel can reach: the store, the renderer, and what a click opens; and how a row remembers its fold.
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Bridge } from "./bridge.ts";
import { useLazy } from "./lazy.ts";
import type { Lazy } from "./lazy.ts";
import type { MarkdownRenderer } from "./markdown.ts";
import type * as more from "./more.ts";
import type { Store } from "./store.ts";

type More = typeof more;

export interface Tools {
  readonly store: Store;
  readonly markdown: MarkdownRenderer;
  readonly more: Lazy<More>;
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

/** What a click opens; null until it is needed and has come. */
export function useMore(needed: boolean): More | null {
  const { more } = useTools();
  const part = useLazy(more, (one) => one.get());
  useEffect(() => {
    if (needed) void more.fetch();
  }, [more, needed]);
  return part;
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
