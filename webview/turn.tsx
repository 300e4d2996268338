// One turn, or a stretch of one: what the person asked, what Brain said and did, how it ended.
import { titleOf } from "../src/protocol/view.ts";
import type { CompactionItem, MemoryItem } from "../src/protocol/viewContext.ts";
import type { UndoItem } from "../src/protocol/viewUndo.ts";
import type { Item, TextItem, Turn as TurnData } from "../src/protocol/viewTurn.ts";
import { NoticeRow } from "./alone.tsx";
import type { Block } from "./blocks.ts";
import { CallOf, GroupRow } from "./callRow.tsx";
import type { CallTree } from "./callTree.ts";
import { useTools } from "./context.ts";
import { ContextRow } from "./contextRow.tsx";
import { FailureView } from "./failure.tsx";
import { groupCalls } from "./group.ts";
import { Markdown } from "./markdownView.tsx";
import { memo } from "./memo.ts";
import { PauseLine } from "./pauseView.tsx";
import { PlanLine } from "./planView.tsx";
import { Now, Thinking } from "./progress.tsx";
import { RetryLine } from "./retryLine.tsx";
import type { Store } from "./store.ts";
import { TurnEnd } from "./turnEnd.tsx";
import { UserMessage } from "./userMessage.tsx";
import { t } from "./l10n.ts";

interface TurnProps {
  readonly block: Block;
  /** Only the newest turn offers to go on or to try again. */
  readonly last: boolean;
  /** Id of the compaction that the model reads; null: none. */
  readonly compaction: string | null;
}

export const Turn = memo(function Turn({ block, last, compaction }: TurnProps) {
  const { turn, tree, part, ends } = block;
  const { runId, items, end } = turn;
  const name = titleOf(turn.user);
  return (
    <article
      class={ends ? "turn" : "turn goes-on"}
      data-block={block.key}
      aria-label={part === 0 ? name : t("{0}, continued", name)}
    >
      {part === 0 && turn.user !== "" && (
        <UserMessage id={runId} messageId={turn.messageId} text={turn.user} at={turn.at} attached={turn.attached} />
      )}
      {groupCalls(block.items, tree).map((row) =>
        row.kind === "group" ? (
          <GroupRow key={row.id} runId={runId} group={row} />
        ) : row.kind === "compaction" || row.kind === "memory" || row.kind === "undo" ? (
          <ContextRow key={`${row.kind}-${row.id}`} runId={runId} item={row} inUse={compaction} />
        ) : (
          <Row key={`${row.kind}-${row.id}`} runId={runId} item={row} items={items} tree={tree} over={end !== null} />
        ),
      )}
      {ends && <Ending turn={turn} last={last} />}
    </article>
  );
});

function Ending({ turn, last }: { readonly turn: TurnData; readonly last: boolean }) {
  const { store } = useTools();
  const { items, failure, end } = turn;
  return (
    <>
      {!end && <Now items={items} />}
      {failure && (
        <FailureView failure={failure} latest={last} onRetry={turn.user === "" ? null : () => again(store, turn)} />
      )}
      <TurnEnd turn={turn} last={last} />
    </>
  );
}

function again({ answer }: Store, { messageId, user: text }: TurnData): void {
  answer(messageId, { type: "message:again", messageId, text });
}

interface RowProps {
  readonly runId: string;
  readonly item: Exclude<Item, CompactionItem | MemoryItem | UndoItem>;
  readonly items: readonly Item[];
  readonly tree: CallTree;
  readonly over: boolean;
}

function Row({ runId, item, items, tree, over }: RowProps) {
  switch (item.kind) {
    case "text":
      return <Text runId={runId} item={item} over={over} />;
    case "call":
      return <CallOf runId={runId} call={item} items={items} tree={tree} />;
    case "user":
      return (
        <UserMessage
          id={`${runId}/${item.id}`}
          messageId={item.id}
          text={item.text}
          at={null}
          attached={item.attached}
        />
      );
    case "plan":
      return <PlanLine runId={runId} plan={item} items={items} over={over} />;
    case "pause":
      return <PauseLine pause={item} over={over} />;
    case "retry":
      return <RetryLine item={item} waiting={!over && item === items.at(-1)} />;
    case "notice":
      return <NoticeRow item={item} />;
  }
}

interface TextProps {
  readonly runId: string;
  readonly item: TextItem;
  readonly over: boolean;
}

const Text = memo(function Text({ runId, item, over }: TextProps) {
  const settled = over || item.state !== "streaming";
  const name = item.state === "interim" ? t("Brain, along the way") : "Brain";
  return (
    <>
      {item.thinking !== "" && (
        <Thinking id={`${runId}/${item.id}`} text={item.thinking} done={settled || item.text !== ""} />
      )}
      {item.text !== "" && (
        <div class={`says ${item.state}`} data-row="" data-item={item.id} tabIndex={-1} role="group" aria-label={name}>
          <Markdown text={item.text} settled={settled} />
          {item.state === "interrupted" && <p class="quiet">{t("This reply broke off.")}</p>}
        </div>
      )}
    </>
  );
});
