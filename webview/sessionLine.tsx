// One session of the list: its title, when it was used, what goes on in it, where the searched words stand; and its buttons.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { SessionRow } from "../src/protocol/sessions.ts";
import { Icon, IconButton } from "./icon.tsx";
import { Menu } from "./menu.tsx";
import { factsOf, sentencesOf, shortTime, speakers, titleOf, wholeTime } from "./sessionRows.ts";
import type { SessionActs } from "./sessionActs.ts";
import { t } from "./l10n.ts";

interface Look {
  readonly active: boolean;
  readonly inTrash: boolean;
  readonly words: string;
  readonly now: Date;
}

interface Props {
  readonly row: SessionRow;
  /** Of the row in the list, from 1. */
  readonly number: number;
  readonly place: { readonly top: string; readonly height: string };
  readonly look: Look;
  readonly acts: SessionActs;
  readonly onFocus: () => void;
}

export function SessionLine({ row, number, place, look, acts, onFocus }: Props) {
  const line = useRef<HTMLDivElement>(null);
  const renaming = acts.renaming === row.id;
  const back = (): void => line.current?.focus();
  return (
    <div
      ref={line}
      class={row.open ? "session-row open" : "session-row"}
      role="row"
      aria-rowindex={number}
      aria-label={sentencesOf(row)}
      aria-current={row.open ? "true" : undefined}
      tabIndex={look.active ? 0 : -1}
      style={place}
      onFocusIn={onFocus}
      onClick={(event) => !isControl(event.target) && acts.open(row, look.inTrash)}
      onContextMenu={(event) => {
        event.preventDefault();
        back();
        acts.openMenu(row.id);
      }}
    >
      <div class="session-what" role="gridcell">
        <div class="session-first">
          <StateIcon row={row} />
          {renaming ? (
            <Rename
              title={row.title}
              onDone={(title) => {
                acts.rename(row, title);
                back();
              }}
            />
          ) : (
            <span class="session-title">{marked(titleOf(row), look.words)}</span>
          )}
          <span class="session-when" title={wholeTime(row.at)}>
            {look.inTrash ? t("Deleted {0}", shortTime(row.at, look.now)) : shortTime(row.at, look.now)}
          </span>
        </div>
        <div class="session-facts">{factsOf(row).join(" · ")}</div>
        {row.found && (
          <div class="session-found" title={row.found.excerpt}>
            {speakers[row.found.by]}: {marked(row.found.excerpt, look.words)}
          </div>
        )}
      </div>
      <Buttons row={row} look={look} acts={acts} back={back} />
    </div>
  );
}

interface ButtonsProps extends Pick<Props, "row" | "look" | "acts"> {
  /** Gives the row the focus. */
  readonly back: () => void;
}

function Buttons({ row, look, acts, back }: ButtonsProps) {
  const box = useRef<HTMLDivElement>(null);
  const open = acts.menu === row.id;
  const close = (): void => {
    acts.openMenu("");
    back();
  };
  useLayoutEffect(() => {
    // Reached by Tab from the row that has the focus, and from no other.
    for (const button of box.current?.querySelectorAll("button.icon-button") ?? [])
      if (button instanceof HTMLElement) button.tabIndex = look.active ? 0 : -1;
  });
  return (
    <div
      ref={box}
      class="session-buttons"
      role="gridcell"
      onFocusOut={({ relatedTarget }) => {
        if (open && !(relatedTarget instanceof Node && box.current?.contains(relatedTarget))) acts.openMenu("");
      }}
    >
      {look.inTrash ? (
        <IconButton name="discard" label={t("Restore")} onClick={() => acts.open(row, true)} />
      ) : (
        <>
          <IconButton
            name={row.pinned ? "pinned" : "pin"}
            label={row.pinned ? t("Unpin (P)") : t("Pin (P)")}
            onClick={() => acts.pin(row)}
          />
          <IconButton
            name="ellipsis"
            label={t("More actions (Shift+F10)")}
            onClick={() => (open ? close() : acts.openMenu(row.id))}
          />
        </>
      )}
      {open && (
        <Menu label={t("What to do with {0}", titleOf(row))} items={acts.items(row, look.inTrash)} onClose={close} />
      )}
    </div>
  );
}

const icons = { running: "loading spin", waiting: "bell-dot", elsewhere: "eye", unfinished: "warning" } as const;

function StateIcon({ row: { state, pinned } }: Pick<Props, "row">) {
  if (state) return <Icon name={icons[state]} class={`state is-${state}`} />;
  return pinned ? <Icon name="pinned" class="state" /> : <Icon name="comment-discussion" class="state" />;
}

interface RenameProps {
  readonly title: string;
  /** With what was written; null: nothing is to be changed. */
  readonly onDone: (title: string | null) => void;
}

function Rename({ title, onDone }: RenameProps) {
  const field = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const end = (written: string | null): void => {
    if (done.current) return;
    done.current = true;
    onDone(written);
  };
  return (
    <input
      ref={field}
      class="session-rename"
      type="text"
      aria-label={t("Title of the session")}
      maxLength={200}
      defaultValue={title}
      onBlur={(event) => end(event.currentTarget.value)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") end(event.currentTarget.value);
        if (event.key === "Escape") end(null);
      }}
    />
  );
}

/** A text in which the searched words stand out. */
function marked(text: string, words: string): ComponentChildren {
  const at = words === "" ? -1 : text.toLowerCase().indexOf(words.toLowerCase());
  if (at === -1) return text;
  const end = at + words.length;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, end)}</mark>
      {text.slice(end)}
    </>
  );
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("button, input, [role=menu]") !== null;
}
