// The page of sessions, in the place of the conversation: search, the list, and the way back.
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { FailureData } from "../src/protocol/events.ts";
import type { SessionRow } from "../src/protocol/sessions.ts";
import { useTools } from "./context.ts";
import { FailureView } from "./failure.tsx";
import { focusComposer } from "./focus.ts";
import { Button, Icon, IconButton } from "./icon.tsx";
import { SessionList } from "./sessionList.tsx";
import { itemsOf, merged, nothingListed, titleOf } from "./sessionRows.ts";
import type { Listed } from "./sessionRows.ts";
import type { Ui } from "./ui.ts";
import { t } from "./l10n.ts";
import { count } from "./words.ts";

type Asked = NonNullable<Ui["sessions"]>;

interface Props {
  readonly asked: Asked;
  /** What went wrong last. */
  readonly failure: FailureData | null;
}

export function SessionsPage({ asked, failure }: Props) {
  const { store } = useTools();
  const search = useRef<HTMLInputElement>(null);
  const [deleted, setDeleted] = useState<SessionRow | null>(null);
  const [earlier] = useState(failure);
  const listed = useListed(asked);
  const items = useMemo(() => itemsOf(listed.rows.values(), new Date()), [listed.rows]);
  const leave = (): void => store.setUi({ sessions: null });
  const ask = (change: Partial<Asked>): void => store.setUi({ sessions: { ...asked, ...change } });
  useFocusComesBack(search);
  const gone = deleted !== null && !asked.deleted && listed.gone.has(deleted.id) ? deleted : null;
  const undo = (): void => {
    if (gone) store.post({ type: "session:do", session: gone.id, act: "restore" });
    setDeleted(null);
    search.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const isUndo = /^z$/i.test(event.key) && !event.shiftKey && (event.ctrlKey || event.metaKey);
    if (event.key === "Escape") leave();
    else if (isUndo && gone && event.target !== search.current) undo();
    else return;
    event.preventDefault();
  };
  return (
    <main class="sessions" aria-label={t("Sessions")} onKeyDown={onKeyDown}>
      <Head asked={asked} ask={ask} leave={leave} search={search} />
      {failure && failure !== earlier && <FailureView failure={failure} latest={false} onRetry={null} />}
      <p class="for-readers" role="status">
        {howMany(asked, listed)}
      </p>
      {items.length === 0 && listed.done && <p class="sessions-none">{whyNone(asked)}</p>}
      <SessionList
        items={items}
        inTrash={asked.deleted}
        words={asked.text.trim()}
        busy={!listed.done}
        onDeleted={setDeleted}
        search={search}
      />
      {gone && (
        <div class="sessions-undo" role="status">
          <span class="sessions-undo-text">{t("Deleted: “{0}”", titleOf(gone))}</span>
          <Button title={t("Bring it back (Ctrl+Z)")} onClick={undo}>
            {t("Undo")}
          </Button>
        </div>
      )}
    </main>
  );
}

interface HeadProps {
  readonly asked: Asked;
  readonly ask: (change: Partial<Asked>) => void;
  readonly leave: () => void;
  readonly search: RefObject<HTMLInputElement | null>;
}

function Head({ asked, ask, leave, search }: HeadProps) {
  const { deleted, text } = asked;
  const label = deleted ? t("Search the titles of deleted sessions") : t("Search titles and texts");
  return (
    <div class="sessions-head">
      <div class="sessions-bar">
        <IconButton stop name="arrow-left" label={t("Back to the conversation (Escape)")} onClick={leave} />
        <h1>{deleted ? t("Deleted sessions") : t("Sessions")}</h1>
        <span class="grow" />
        <IconButton
          stop
          name={deleted ? "history" : "trash"}
          label={deleted ? t("Show all sessions") : t("Show deleted sessions")}
          onClick={() => ask({ deleted: !deleted, text: "" })}
        />
      </div>
      <div class="sessions-search">
        <Icon name="search" />
        <input
          ref={search}
          type="text"
          role="searchbox"
          value={text}
          aria-label={label}
          placeholder={label}
          onInput={(event) => ask({ text: event.currentTarget.value })}
          onKeyDown={(event) => toList(event)}
        />
        {text !== "" && (
          <IconButton
            stop
            name="close"
            label={t("Search for nothing")}
            onClick={() => {
              ask({ text: "" });
              search.current?.focus();
            }}
          />
        )}
      </div>
    </div>
  );
}

/** ArrowDown leads into the list; Enter opens its first row. */
function toList(event: KeyboardEvent): void {
  if (event.key !== "ArrowDown" && event.key !== "Enter") return;
  const rows = document.querySelectorAll<HTMLElement>(".session-row");
  const row = [...rows].find(({ tabIndex }) => tabIndex === 0) ?? rows[0];
  event.preventDefault();
  if (event.key === "Enter") rows[0]?.click();
  else row?.focus();
}

/** What the host tells of what is asked for; it is told when the page closes. */
function useListed({ text, deleted }: Asked): Listed {
  const { store, listen } = useTools();
  const [listed, setListed] = useState(nothingListed);
  const number = useRef(0);
  useEffect(
    () => listen((message) => message.type === "sessions:rows" && setListed((before) => merged(before, message))),
    [listen],
  );
  useEffect(() => {
    store.post({ type: "sessions:find", number: ++number.current, text, deleted });
  }, [store, text, deleted]);
  useEffect(() => () => store.post({ type: "sessions:close" }), [store]);
  return listed;
}

/** The focus goes into the search, and back to where it was. */
function useFocusComesBack(search: RefObject<HTMLInputElement | null>): void {
  const [before] = useState(() => document.activeElement);
  useLayoutEffect(() => {
    search.current?.focus();
    // The conversation takes the focus only once it is drawn again; where the host wants the focus counts more.
    return () =>
      queueMicrotask(() => {
        if (document.activeElement !== document.body) return;
        if (before instanceof HTMLElement && before !== document.body && before.isConnected) before.focus();
        else focusComposer();
      });
  }, [before, search]);
}

function howMany({ text, deleted }: Asked, { rows, done }: Listed): string {
  if (!done) return text.trim() === "" ? "" : t("Searching…");
  const found = deleted
    ? count("{0} deleted session", "{0} deleted sessions", rows.size)
    : count("{0} session", "{0} sessions", rows.size);
  return text.trim() === "" ? `${found}.` : t("{0} found for “{1}”.", found, text.trim());
}

function whyNone({ text, deleted }: Asked): string {
  if (text.trim() !== "") return t("Nothing was found for “{0}”.", text.trim());
  return deleted
    ? t("There is no deleted session. What is deleted can be restored for 30 days.")
    : t("There is no session in this folder yet. Write a message to begin one.");
}
