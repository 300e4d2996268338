// The conversation: follows its end while the reader is there, and draws only what is near the reader's eyes.
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { RefObject } from "preact";
import type { View } from "../src/protocol/view.ts";
import { Alone } from "./alone.tsx";
import { blocksOf } from "./blocks.ts";
import { useTools } from "./context.ts";
import { Earlier, Jump } from "./farther.tsx";
import { memo } from "./memo.ts";
import { moveByKey, reachByKey } from "./moving.ts";
import { keepTabStop, rememberRow } from "./roving.ts";
import { useFollow } from "./scroll.ts";
import type { Piece } from "./sight.ts";
import type { Wish } from "./store.ts";
import { Turn } from "./turn.tsx";
import { t } from "./l10n.ts";

interface Props {
  readonly view: View;
  readonly ready: boolean;
  readonly wish: Wish | null;
}

/** Pixels before the first turn at which those before it are asked for. */
const nearStart = 1_500;

export const Transcript = memo(function Transcript({ view, ready, wish }: Props) {
  const { store, markdown } = useTools();
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const { turns, session, more } = view;
  const blocks = useMemo(() => blocksOf(turns), [turns]);
  const earlier = useEarlier(view, box);
  const follow = useFollow({
    box,
    list,
    id: session.id,
    blocks,
    from: store.state().ui.place?.session === session.id ? store.state().ui.place : null,
    moved: (place, top) => {
      store.stay(place && session.id !== null ? { ...place, session: session.id } : null);
      if (top < nearStart) earlier.soon();
    },
  });
  const { atEnd, toEnd, pieces, reach } = follow;
  useLayoutEffect(() => {
    if (wish?.at !== "block" && wish?.at !== "end") return;
    store.wishDone();
    if (wish.at === "end") toEnd();
    else reach(wish);
  }, [wish, store, reach, toEnd]);

  const newest = turns.at(-1)?.runId;
  useNewTurn(view, () => {
    if (!view.reading) toEnd();
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (box.current && !reachByKey(event, follow)) moveByKey(event, box.current);
    markdown.press(event, store.post);
  };
  return (
    <main class="transcript-frame">
      <h1 class="for-readers">Brain</h1>
      <div
        ref={box}
        class="transcript"
        onKeyDown={onKeyDown}
        onClick={(event) => markdown.press(event, store.post)}
        onFocusIn={(event) => box.current && rememberRow(event, box.current)}
      >
        <div class="transcript-content" role="region" aria-label={t("Conversation")}>
          {more && <Earlier onMore={earlier.now} />}
          <div ref={list} class="turns">
            {pieces.map((piece) => pieceOf(piece, newest, view))}
          </div>
          <Alone view={view} ready={ready} />
        </div>
      </div>
      {!atEnd && <Jump toEnd={toEnd} />}
    </main>
  );
});

function pieceOf(piece: Piece, newest: string | undefined, { reading, compaction }: View) {
  if (piece.kind === "gap") return <div key={piece.key} class="gap" style={{ height: `${piece.height}px` }} />;
  const { block } = piece;
  const last = block.turn.runId === newest && !reading;
  return <Turn key={block.key} block={block} last={last} compaction={compaction} />;
}

interface EarlierTurns {
  readonly now: () => void;
  readonly soon: () => void;
}

/** Asks for what is before the first turn: by itself once for each, by a person as often as they like. */
function useEarlier({ turns, more }: View, box: RefObject<HTMLElement | null>): EarlierTurns {
  const { store } = useTools();
  const asked = useRef<string | null>(null);
  const first = turns[0]?.runId ?? "";
  const now = (): void => {
    asked.current = first;
    store.post({ type: "session:earlier" });
  };
  const soon = (): void => void (more && asked.current !== first && now());
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    keepTabStop(element, "last");
    // What is here does not fill the panel.
    if (element.scrollHeight <= element.clientHeight) soon();
  });
  return { now, soon };
}

/** A new question in the session that is open is what the reader came for, but for one that has waited and begins by itself. */
function useNewTurn({ session, turns, queue }: View, come: () => void): void {
  const newest = turns.at(-1);
  const before = useRef({ session: session.id, newest: newest?.runId, waited: new Set<string>() });
  useLayoutEffect(() => {
    const { current } = before;
    const same = current.session === session.id;
    const isNew = current.newest !== newest?.runId;
    const isAsked = newest !== undefined && !current.waited.has(newest.user);
    const waiting = queue.map(({ text }) => text);
    const waited = new Set(same && !isNew ? [...current.waited, ...waiting] : waiting);
    before.current = { session: session.id, newest: newest?.runId, waited };
    if (same && isNew && isAsked) come();
  });
}
