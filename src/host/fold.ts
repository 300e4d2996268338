// The host's own fold of everything that happened: what the panel is sent when it comes, and where failures outside a run go.
import { toFailure } from "../protocol/errors.ts";
import type { PanelEvent } from "../protocol/events.ts";
import { emptyView, reduce, type View } from "../protocol/view.ts";
import { createArriving } from "./arriving.ts";

export interface Fold {
  readonly view: () => View;
  readonly event: (event: PanelEvent) => void;
  /** Shows what was thrown as a failure outside any run. */
  readonly fail: (error: unknown) => void;
  /** The first event that makes a value, as that value. */
  readonly next: <T>(pick: (event: PanelEvent) => T | undefined) => Promise<T>;
  /** Runs something whose failure belongs in the panel; null when it failed. */
  readonly guard: <T>(work: () => Promise<T>) => Promise<T | null>;
}

/** @param heard told of every event after it was folded */
export function createFold(heard: (event: PanelEvent) => void, log: (message: string) => void): Fold {
  let view = emptyView;
  const waiting = new Set<(event: PanelEvent) => void>();
  const readable = createArriving();
  const take = (next: PanelEvent): void => {
    view = reduce(view, next);
    heard(next);
    for (const look of waiting) look(next);
  };
  const event = (next: PanelEvent): void => readable(next).forEach(take);
  const fail = (error: unknown): void => {
    const failure = toFailure(error);
    if (failure.code === "internal") log(error instanceof Error ? (error.stack ?? error.message) : String(error));
    event({ type: "panel:failure", failure });
  };
  return {
    view: () => view,
    event,
    fail,
    next: (pick) =>
      new Promise((resolve) => {
        const look = (seen: PanelEvent): void => {
          const picked = pick(seen);
          if (picked === undefined) return;
          waiting.delete(look);
          resolve(picked);
        };
        waiting.add(look);
      }),
    async guard(work) {
      try {
        return await work();
      } catch (error) {
        fail(error);
        return null;
      }
    },
  };
}
