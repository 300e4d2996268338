// One turn: what the person asked, what Brain said and did, how it ended.
import { titleOf } from "../src/protocol/view.ts";
import type { Item, TextItem, Turn as TurnData } from "../src/protocol/viewTurn.ts";
import { CallRow, GroupRow } from "./callRow.tsx";
import { useFold, useTools } from "./context.ts";
import { FailureView } from "./failure.tsx";
import { groupCalls } from "./group.ts";
import { Button, Icon, More } from "./icon.tsx";
import { Markdown } from "./markdownView.tsx";
import { memo } from "./memo.ts";
import { clock, count, ending, usageWords } from "./words.ts";

interface TurnProps {
  readonly turn: TurnData;
  /** Only the newest turn offers to go on or to try again. */
  readonly last: boolean;
}

export const Turn = memo(function Turn({ turn, last }: TurnProps) {
  const { store } = useTools();
  const { runId, items, failure, end } = turn;
  return (
    <article class="turn" aria-label={titleOf(turn.user)}>
      {turn.user !== "" && <UserMessage turn={turn} />}
      {groupCalls(items).map((row) =>
        row.kind === "group" ? (
          <GroupRow key={row.id} runId={runId} group={row} />
        ) : (
          <Row key={`${row.kind}-${row.id}`} runId={runId} item={row} items={items} over={end !== null} />
        ),
      )}
      {!end && <Now items={items} />}
      {failure && <FailureView failure={failure} latest={last} onRetry={() => store.submit(turn.user)} />}
      {end && <End end={end} last={last} />}
    </article>
  );
});

interface UserProps {
  readonly turn: TurnData;
}

/** Lines of a message shown until a person asks for the rest. */
const firstLines = 12;

function UserMessage({ turn }: UserProps) {
  const lines = turn.user.split("\n");
  const [whole, show] = useFold(`user-${turn.runId}`, false);
  const short = !whole && lines.length > firstLines + 3;
  return (
    <div class="user" data-row="" tabIndex={-1} role="group" aria-label="You">
      <div class="user-head">
        <span class="who">You</span>
        <time dateTime={turn.at}>{clock(turn.at, new Date())}</time>
      </div>
      <div class="user-text">{short ? lines.slice(0, firstLines).join("\n") : turn.user}</div>
      {short && (
        <More title="Show the whole message" onClick={show}>
          Show all {count(lines.length, "line")}
        </More>
      )}
    </div>
  );
}

interface RowProps {
  readonly runId: string;
  readonly item: Item;
  readonly items: readonly Item[];
  readonly over: boolean;
}

function Row({ runId, item, items, over }: RowProps) {
  switch (item.kind) {
    case "text":
      return <Text runId={runId} item={item} over={over} />;
    case "call":
      return <CallRow runId={runId} call={item} waitsFor={namesOf(item.waitsFor, items)} />;
    case "user":
      return <div class="user-text">{item.text}</div>;
    case "plan":
    case "pause":
    case "compaction":
      return null;
    case "notice":
      return (
        <div class={`notice ${item.level}`} data-row="" tabIndex={-1} role="group" aria-label="Notice">
          <Icon name={item.level} />
          <span>{item.message}</span>
        </div>
      );
  }
}

function namesOf(ids: readonly string[], items: readonly Item[]): string {
  const names = ids.flatMap((id) => {
    const call = items.find((item) => item.kind === "call" && item.id === id);
    return call?.kind === "call" ? [`${call.label.verb} ${call.label.subject}`.trim()] : [];
  });
  const rest = names.length - 2;
  return rest > 0 ? `${names.slice(0, 2).join(", ")} and ${count(rest, "other")}` : names.join(" and ");
}

interface TextProps {
  readonly runId: string;
  readonly item: TextItem;
  readonly over: boolean;
}

const Text = memo(function Text({ runId, item, over }: TextProps) {
  const settled = over || item.state !== "streaming";
  const name = item.state === "interim" ? "Brain, along the way" : "Brain";
  return (
    <>
      {item.thinking !== "" && (
        <Thinking id={`${runId}/${item.id}`} text={item.thinking} done={settled || item.text !== ""} />
      )}
      {item.text !== "" && (
        <div class={`says ${item.state}`} data-row="" tabIndex={-1} role="group" aria-label={name}>
          <Markdown text={item.text} settled={settled} />
          {item.state === "interrupted" && <p class="quiet">This reply broke off.</p>}
        </div>
      )}
    </>
  );
});

interface ThinkingProps {
  readonly id: string;
  readonly text: string;
  readonly done: boolean;
}

function Thinking({ id, text, done }: ThinkingProps) {
  const [open, toggle] = useFold(`thinking-${id}`, false);
  return (
    <div class="thinking">
      <button
        type="button"
        class="call-head"
        data-row=""
        tabIndex={-1}
        aria-expanded={open}
        title={open ? "Hide what the model thought" : "Show what the model thought"}
        onClick={toggle}
      >
        <Icon name={done ? "lightbulb" : "loading"} class={done ? "state" : "state spin"} />
        <span class="call-words">{done ? "Thought" : "Thinking…"}</span>
        <Icon name={open ? "chevron-down" : "chevron-right"} class="chevron" />
      </button>
      {open && <div class="thought">{text}</div>}
    </div>
  );
}

interface NowProps {
  readonly items: readonly Item[];
}

/** One quiet line while nothing else on the screen says what is going on. */
function Now({ items }: NowProps) {
  const busy = items.some((item) =>
    item.kind === "call"
      ? ["streaming", "running", "ready", "pending"].includes(item.state)
      : item.kind === "text" && item.state === "streaming",
  );
  if (busy) return null;
  return (
    <div class="now">
      <Icon name="loading" class="state spin" />
      <span>Waiting for the model…</span>
    </div>
  );
}

interface EndProps {
  readonly end: NonNullable<TurnData["end"]>;
  readonly last: boolean;
}

function End({ end, last }: EndProps) {
  const { store } = useTools();
  return (
    <div class={`end ${end.status}`}>
      <span title={usageWords(end.usage)}>{ending(end)}</span>
      {last && end.status === "max_iterations" && (
        <Button row kind="primary" title="Go on from here" onClick={() => store.submit("Continue.")}>
          Continue
        </Button>
      )}
    </div>
  );
}
