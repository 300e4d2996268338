// The conversation: follows its end while the reader is there, and draws only the newest turns until asked for more.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { View } from "../src/protocol/view.ts";
import { useTools } from "./context.ts";
import { EmptyState } from "./empty.tsx";
import { FailureView } from "./failure.tsx";
import { Icon } from "./icon.tsx";
import { memo } from "./memo.ts";
import { keepTabStop, moveByKey, rememberRow, rowsOf } from "./roving.ts";
import { useFollow } from "./scroll.ts";
import { Turn } from "./turn.tsx";
import { number } from "./words.ts";

/** Turns drawn at first, and added each time. */
const page = 200;

interface Props {
  readonly view: View;
  readonly ready: boolean;
}

export const Transcript = memo(function Transcript({ view, ready }: Props) {
  const { store, markdown } = useTools();
  const box = useRef<HTMLDivElement>(null);
  const { atEnd, toEnd } = useFollow(box);
  const { turns, failure } = view;
  const [shown, showMore] = useEarlier(box, turns[0]?.runId);
  const first = Math.max(turns.length - shown, 0);

  // A new question, or another session, is what the reader came for.
  const newest = turns.at(-1)?.runId;
  useLayoutEffect(toEnd, [view.session.id, toEnd]);
  useLayoutEffect(() => {
    if (!view.reading) toEnd();
  }, [newest, toEnd]);
  useLayoutEffect(() => {
    if (box.current) keepTabStop(box.current, "last");
  });

  const onKeyDown = (event: KeyboardEvent): void => {
    if (box.current) moveByKey(event, box.current);
    markdown.get()?.press(event, store.post);
  };
  return (
    <main class="transcript-frame">
      <div
        ref={box}
        class="transcript"
        onKeyDown={onKeyDown}
        onClick={(event) => markdown.get()?.press(event, store.post)}
        onFocusIn={(event) => box.current && rememberRow(event, box.current)}
      >
        <div class="transcript-content" role="region" aria-label="Conversation">
          {(first > 0 || view.more) && <Earlier hidden={first} more={view.more} onMore={showMore} />}
          {turns.slice(first).map((turn) => (
            <Turn
              key={turn.runId}
              turn={turn}
              last={turn.runId === newest && !view.reading}
              compaction={view.compaction}
            />
          ))}
          {ready && turns.length === 0 && <EmptyState setup={view.setup} />}
          {failure && <FailureView failure={failure} latest onRetry={null} />}
        </div>
      </div>
      {!atEnd && (
        <button type="button" class="jump" title="Jump to the latest" onClick={toEnd}>
          <Icon name="arrow-down" /> Jump to latest
        </button>
      )}
    </main>
  );
});

interface EarlierProps {
  /** Turns that are here and not drawn. */
  readonly hidden: number;
  /** The host has others before them. */
  readonly more: boolean;
  readonly onMore: () => void;
}

function Earlier({ hidden, more, onMore }: EarlierProps) {
  const { store } = useTools();
  const onClick = (): void => {
    if (hidden === 0) store.post({ type: "session:earlier" });
    onMore();
  };
  return (
    <button
      type="button"
      class="more earlier"
      data-row=""
      tabIndex={-1}
      title="Show the messages before these"
      onClick={onClick}
    >
      Show earlier messages{hidden > 0 && !more && ` (${number(hidden)} more)`}
    </button>
  );
}

/** How many turns are drawn, and how to draw more without moving what is being read. */
function useEarlier(
  box: { readonly current: HTMLDivElement | null },
  oldest: string | undefined,
): readonly [number, () => void] {
  const [shown, show] = useState(page);
  const drawn = useRef({ shown, oldest });
  const element = box.current;
  // What is on the screen is measured before it changes.
  const changed = drawn.current.shown !== shown || drawn.current.oldest !== oldest;
  const before = element && changed ? measure(element) : null;
  useLayoutEffect(() => {
    drawn.current = { shown, oldest };
    if (!element || !before) return;
    element.scrollTop = element.scrollHeight - before.fromEnd;
    // The button has gone with the last of them.
    if (before.focused && document.activeElement === document.body) rowsOf(element)[0]?.focus({ preventScroll: true });
  });
  return [shown, () => show(shown + page)];
}

function measure(element: HTMLElement): { readonly fromEnd: number; readonly focused: boolean } {
  return {
    fromEnd: element.scrollHeight - element.scrollTop,
    focused: document.activeElement?.matches(".earlier") ?? false,
  };
}
