// A long list that draws what is near the reader's eyes: at its end while the reader is there, and left alone otherwise.
import { useCallback, useLayoutEffect, useReducer, useRef } from "preact/hooks";
import type { RefObject } from "preact";
import type { Block } from "./blocks.ts";
import { goTo, goToEnd, newReader, plan, scrolled, settle } from "./reader.ts";
import type { Reader } from "./reader.ts";
import { rowsOf } from "./roving.ts";
import type { Piece, Place } from "./sight.ts";

export interface Follow {
  /** What is to be drawn, in order. */
  readonly pieces: readonly Piece[];
  /** False when the reader has scrolled away from the end. */
  readonly atEnd: boolean;
  readonly toEnd: () => void;
  /** Goes to the first or the last row and gives it the focus; or to a block. */
  readonly reach: (where: "first" | "last" | { readonly key: string }) => void;
}

export interface FollowOptions {
  /** Scrolls. */
  readonly box: RefObject<HTMLElement | null>;
  /** In it, holds what is drawn. */
  readonly list: RefObject<HTMLElement | null>;
  /** What is in the list; another id begins anew, where `from` says. */
  readonly id: string | null;
  readonly blocks: readonly Block[];
  /** Where the reader was, in an earlier life of the list; null: at its end. */
  readonly from: Place | null;
  /** The reader is there; null: at the end. */
  readonly moved: (place: Place | null, top: number) => void;
}

export function useFollow({ box, list, id, blocks, from, moved }: FollowOptions): Follow {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const kept = useRef<{ readonly id: string | null; readonly reader: Reader } | null>(null);
  if (kept.current?.id !== id)
    kept.current = { id, reader: { ...newReader(from), box: box.current, list: list.current } };
  const { reader } = kept.current;
  const told = useRef(moved);
  told.current = moved;
  const pieces = plan(reader, blocks);

  const toEnd = useCallback(() => {
    goToEnd(reader);
    told.current(null, reader.scrollTop);
    redraw(0);
  }, [reader]);
  const reach = useCallback(
    (where: "first" | "last" | { readonly key: string }) => {
      const isBlock = typeof where === "object";
      reader.wish = isBlock ? null : where;
      if (where === "last") goToEnd(reader);
      else goTo(reader, isBlock ? where.key : reader.blocks[0]?.key);
      redraw(0);
    },
    [reader],
  );

  useLayoutEffect(
    () => watch(reader, { box: box.current, list: list.current, redraw: () => redraw(0), told }),
    [box, list, reader],
  );
  useLayoutEffect(() => {
    if (!settle(reader)) redraw(0);
    grantWish(reader);
  });
  return { pieces, atEnd: reader.following, toEnd, reach };
}

interface Watched {
  readonly box: HTMLElement | null;
  readonly list: HTMLElement | null;
  readonly redraw: () => void;
  readonly told: { readonly current: FollowOptions["moved"] };
}

/** Looks at sizes and at scrolling until what it returns is called. */
function watch(reader: Reader, { box, list, redraw, told }: Watched): (() => void) | undefined {
  if (!box || !list) return undefined;
  Object.assign(reader, { box, list });
  const onScroll = (): void => {
    const was = reader.following;
    if (!scrolled(reader) || was !== reader.following) redraw();
    told.current(reader.following ? null : reader.place, box.scrollTop);
  };
  const sizes = new ResizeObserver(() => {
    if (!settle(reader)) redraw();
  });
  for (const element of [box, ...box.children]) sizes.observe(element);
  box.addEventListener("scroll", onScroll, { passive: true });
  return () => {
    sizes.disconnect();
    box.removeEventListener("scroll", onScroll);
  };
}

function grantWish(reader: Reader): void {
  const { wish, box, blocks, drawn } = reader;
  if (wish === null || !box) return;
  const there = wish === "first" ? drawn.from === 0 : drawn.to === blocks.length;
  if (!there) return;
  reader.wish = null;
  rowsOf(box)
    .at(wish === "first" ? 0 : -1)
    ?.focus();
}
