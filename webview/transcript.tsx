// The conversation: follows its end while the reader is there, and draws only the newest turns until asked for more.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { View } from "../src/protocol/view.ts";
import { useTools } from "./context.ts";
import { EmptyState } from "./empty.tsx";
import { FailureView } from "./failure.tsx";
import { Icon } from "./icon.tsx";
import { memo } from "./memo.ts";
import { keepTabStop, moveByKey, rememberRow } from "./roving.ts";
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
  const [shown, showEarlier] = useEarlier(box);
  const first = Math.max(turns.length - shown, 0);

  // A new question, or another session, is what the reader came for.
  const newest = turns.at(-1)?.runId;
  useLayoutEffect(toEnd, [newest, view.session.id, toEnd]);
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
          {first > 0 && (
            <button
              type="button"
              class="more earlier"
              data-row=""
              tabIndex={-1}
              title="Show more turns"
              onClick={showEarlier}
            >
              Show earlier ({number(first)} more)
            </button>
          )}
          {turns.slice(first).map((turn) => (
            <Turn key={turn.runId} turn={turn} last={turn.runId === newest} compaction={view.compaction} />
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

/** How many turns are drawn, and how to draw more without moving what is being read. */
function useEarlier(box: { readonly current: HTMLDivElement | null }): readonly [number, () => void] {
  const [shown, show] = useState(page);
  const fromEnd = useRef<number | null>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (element && fromEnd.current !== null) element.scrollTop = element.scrollHeight - fromEnd.current;
    fromEnd.current = null;
  }, [box, shown]);
  const more = (): void => {
    if (box.current) fromEnd.current = box.current.scrollHeight - box.current.scrollTop;
    show(shown + page);
  };
  return [shown, more];
}
