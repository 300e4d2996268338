// The find box over the conversation: what is looked for, which of how many is shown, and the way to the others.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { FindAnswer, SoughtPlace } from "../src/protocol/sessions.ts";
import { useTools } from "./context.ts";
import { IconButton } from "./icon.tsx";
import { t } from "./l10n.ts";
import { number } from "./words.ts";

export interface Finding {
  /** Null: what is selected in the conversation, or what was looked for last. */
  readonly words: string | null;
  /** It is shown already; null: the nearest is to be shown, and the box wants the focus. */
  readonly place: SoughtPlace | null;
}

interface Props {
  readonly finding: Finding;
  /** What was looked for last, in a box that was closed, too. */
  readonly last: { current: string };
  readonly onClose: () => void;
}

/** The row of the conversation that Tab leads to. */
const tabStop = ".transcript [data-row][tabindex='0']";

export function FindBox({ finding, last, onClose }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const before = useRef<HTMLElement | null>(null);
  const [words, setWords] = useState("");
  const { answer, find, step } = useFound();
  useLayoutEffect(() => {
    const input = field.current;
    const isThere = document.activeElement === input;
    // Pressed again, the key of the box changes nothing in it.
    if (isThere && finding.words === null) return;
    const given = finding.words ?? (selected() || last.current);
    setWords(given);
    find(given, given !== words && !finding.place, finding.place ?? lastInSight());
    if (finding.place || !input || isThere) return;
    before.current = document.querySelector<HTMLElement>(":focus");
    input.focus();
    input.value = given;
    input.select();
  }, [finding]);
  const close = (): void => {
    CSS.highlights.clear();
    // Where that has gone, what was found gets the focus; the reader stays where they are.
    const to = before.current?.isConnected ? before.current : document.querySelector<HTMLElement>(tabStop);
    if (document.activeElement?.closest(".find")) to?.focus({ preventScroll: true });
    onClose();
  };
  useKeys(step, close);
  const none = answer?.count === 0;
  const way = { stop: true, disabled: !answer?.count };
  return (
    <div class="find" role="search" aria-label={t("Find in this session")}>
      <input
        ref={field}
        type="text"
        dir="auto"
        aria-label={t("Find")}
        maxLength={1_000}
        value={words}
        onInput={({ currentTarget: { value } }) => {
          last.current = value;
          setWords(value);
          find(value, true);
        }}
      />
      <span class={none ? "find-count none" : "find-count"} role="status">
        {words.trim() !== "" && answer && countOf(answer)}
      </span>
      <IconButton {...way} name="arrow-up" label={t("Next, further up (Enter)")} onClick={() => step(1)} />
      <IconButton
        {...way}
        name="arrow-down"
        label={t("Previous, further down (Shift+Enter)")}
        onClick={() => step(-1)}
      />
      <IconButton name="close" label={t("Close (Escape)")} stop onClick={close} />
    </div>
  );
}

function countOf({ at, count, more }: FindAnswer): string {
  if (count === 0) return t("No results");
  return t("{0} of {1}", at === 0 ? "?" : number(at), `${number(count)}${more ? "+" : ""}`);
}

interface Found {
  /** Null: there is none yet. */
  readonly answer: FindAnswer | null;
  /** @param go to what is nearest to the reader @param reader where they are; absent: as before */
  readonly find: (text: string, go: boolean, reader?: SoughtPlace | null) => void;
  /** Goes so many places on, to older ones; around the ends. */
  readonly step: (by: number) => void;
}

/** Asks the host, and hears what it has found. */
function useFound(): Found {
  const { store, listen } = useTools();
  const [answer, setAnswer] = useState<FindAnswer | null>(null);
  const asked = useRef(0);
  const find: Found["find"] = (text, go, reader) =>
    store.post({ type: "session:find", number: ++asked.current, text, go, ...(reader && { reader }) });
  useEffect(
    () =>
      listen((message) => {
        if (message.type !== "session:found" || message.number !== asked.current) return;
        setAnswer(message);
        if (message.count === 0) CSS.highlights.clear();
      }),
    [listen],
  );
  useEffect(() => () => find("", false), []);
  return { answer, find, step: (by) => store.post({ type: "session:findNext", by }) };
}

/** Longer texts are selected for something else. */
const mostSelected = 200;

function selected(): string {
  const selection = getSelection();
  const text = selection?.anchorNode?.parentElement?.closest(".transcript") ? selection.toString().trim() : "";
  return text.length > mostSelected || text.includes("\n") ? "" : text;
}

/** Keys that count wherever the focus is in the panel, but for Enter. */
function useKeys(step: Found["step"], close: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { key, target, shiftKey } = event;
      const on = (places: string): boolean => target instanceof Element && target.closest(places) !== null;
      const isNext = key === "F3" || (key === "g" && event.metaKey);
      if (isNext || (key === "Enter" && on(".find > input"))) step(shiftKey ? -1 : 1);
      else if (key === "Escape" && !event.defaultPrevented && on(".find, .transcript")) close();
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });
}

/** What is drawn last of what the reader sees; null: nothing. */
function lastInSight(): SoughtPlace | null {
  const rows = [...document.querySelectorAll<HTMLElement>(".transcript [data-item]")];
  const row = rows.findLast((one) => one.getBoundingClientRect().top < innerHeight);
  const block = row?.closest<HTMLElement>("[data-block]")?.dataset["block"] ?? "";
  const item = row?.dataset["item"]?.split(" ").at(-1);
  return item === undefined ? null : { runId: block.slice(0, block.lastIndexOf("#")), item };
}
