// Keeps a growing list at its end while the reader is at its end, and leaves it alone otherwise.
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";

/** Pixels from the end that still count as the end. */
const nearEnd = 24;

export interface Follow {
  /** False when the reader has scrolled away from the end. */
  readonly atEnd: boolean;
  readonly toEnd: () => void;
}

/** @param box scrolls; its only child grows */
export function useFollow(box: RefObject<HTMLElement | null>): Follow {
  const [atEnd, setAtEnd] = useState(true);
  const following = useRef(true);

  const toEnd = useCallback(() => {
    following.current = true;
    setAtEnd(true);
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [box]);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    let last = element.scrollTop;
    const onScroll = (): void => {
      const rest = element.scrollHeight - element.scrollTop - element.clientHeight;
      // Content that grew is no reason to stop following: only a reader who goes up is.
      if (rest < nearEnd) following.current = true;
      else if (element.scrollTop < last) following.current = false;
      last = element.scrollTop;
      setAtEnd(following.current);
    };
    const sizes = new ResizeObserver(() => {
      if (following.current) element.scrollTop = element.scrollHeight;
    });
    sizes.observe(element);
    if (element.firstElementChild) sizes.observe(element.firstElementChild);
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener("scroll", onScroll);
    };
  }, [box]);

  return { atEnd, toEnd };
}
