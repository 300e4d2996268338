// What fills the model's window, over the composer: each part with its tokens and its share, and where room is made.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { ContextHolds } from "../src/protocol/contextParts.ts";
import type { WindowView } from "../src/protocol/view.ts";
import { useTools } from "./context.ts";
import { Button } from "./icon.tsx";
import { number } from "./words.ts";
import { t } from "./l10n.ts";

interface Props {
  readonly context: WindowView;
  readonly busy: boolean;
  /** @param back true: the focus goes back to where it was opened */
  readonly onClose: (back: boolean) => void;
}

/** The parts by their names, in the order in which the model reads them. */
function namedParts({ parts }: ContextHolds): readonly (readonly [string, number])[] {
  return [
    [t("System prompt"), parts.system],
    [t("Project rules (AGENTS.md)"), parts.rules],
    ["MEMORY.md", parts.memory],
    [t("Definitions of tools"), parts.tools],
    [t("Summary of the earlier part"), parts.summary],
    [t("Messages"), parts.messages],
    [t("Attachments and images"), parts.attachments],
    [t("Results of tools"), parts.results],
  ];
}

export function MeterDetails({ context, busy, onClose }: Props) {
  const { store } = useTools();
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  useOutside(box, () => onClose(false));
  const { tokens, window, holds } = context;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    onClose(true);
  };
  const compact = (): void => {
    onClose(true);
    store.post({ type: "command:run", command: "compactConversation" });
  };
  return (
    <div
      ref={box}
      class="holds"
      role="dialog"
      aria-label={t("What fills the context")}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <p>{t("About {0} of {1} tokens are used, {2}.", number(tokens), number(window), percent(tokens, window))}</p>
      {holds ? (
        <Parts context={context} holds={holds} />
      ) : (
        <p class="quiet">{t("What they are made of is known with the next request.")}</p>
      )}
      {notesOf(context).map((note) => (
        <p key={note} class="quiet">
          {note}
        </p>
      ))}
      <div class="holds-foot">
        <Button
          disabled={busy}
          title={
            busy
              ? t("A run is going on: it makes room by itself when it must")
              : t("Sum the older part up, so that there is room again")
          }
          onClick={compact}
        >
          {t("Compact")}
        </Button>
      </div>
    </div>
  );
}

function Parts({ context: { tokens, window }, holds }: { readonly context: WindowView; readonly holds: ContextHolds }) {
  const { compactAt } = holds;
  const used = namedParts(holds).flatMap(([name, count]) => (count > 0 ? [{ name, count, kind: "" }] : []));
  const rest = [
    { name: t("Free"), count: Math.max(0, compactAt - tokens), kind: "free" },
    { name: t("Kept for the answer"), count: Math.max(0, window - Math.max(compactAt, tokens)), kind: "free" },
  ];
  return (
    <table>
      <thead class="for-readers">
        <tr>
          <th>{t("Part")}</th>
          <th>{t("Tokens")}</th>
          <th>{t("Share of the window")}</th>
        </tr>
      </thead>
      <tbody>
        {[...used, ...rest].map(({ name, count, kind }) => (
          <tr key={name} class={kind}>
            <th scope="row">
              <span class="holds-bar" aria-hidden="true" style={{ width: `${(count / window) * 100}%` }} />
              {name}
            </th>
            <td>{number(count)}</td>
            <td>{percent(count, window)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Where room is made by itself, and what of the last request was not read anew. */
function notesOf({ window, holds, last }: WindowView): readonly string[] {
  const limits = holds
    ? [
        t(
          "Above {0} tokens ({1}) the older part is summed up by itself; above {2} what lasts is noted in MEMORY.md before.",
          number(holds.compactAt),
          percent(holds.compactAt, window),
          number(holds.flushAt),
        ),
      ]
    : [];
  if (!last) return limits;
  const cached =
    last.cached === undefined
      ? t("The endpoint does not say what of the last request its cache had.")
      : t(
          "Of the {0} tokens of the last request, {1} were read from the endpoint’s cache.",
          number(last.input),
          number(last.cached),
        );
  return [...limits, cached];
}

/** "18 %", "< 1 %". */
function percent(part: number, of: number): string {
  const share = (part / of) * 100;
  return share > 0 && share < 1 ? "< 1 %" : `${Math.round(share)} %`;
}

/** Calls back when the focus, or a click, goes elsewhere. */
function useOutside(box: { readonly current: HTMLElement | null }, left: () => void): void {
  useEffect(() => {
    const look = (event: Event): void => {
      const { target } = event;
      const isInside =
        target instanceof Element && (box.current?.contains(target) || target.closest(".meter") !== null);
      if (!isInside) left();
    };
    document.addEventListener("pointerdown", look);
    document.addEventListener("focusin", look);
    return () => {
      document.removeEventListener("pointerdown", look);
      document.removeEventListener("focusin", look);
    };
  });
}
