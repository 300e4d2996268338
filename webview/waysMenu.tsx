// The menu of the ways in which a message can go while a run is on.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { SubmitHow } from "../src/protocol/wire.ts";
import { isMac } from "./keys.ts";
import { t } from "./l10n.ts";

interface Way {
  readonly how: SubmitHow;
  readonly words: string;
  readonly about: string;
  readonly keys: string;
}

/** The ways in which a message can go while a run is on; the first is what Enter does. */
function ways(): readonly Way[] {
  return [
    { how: "queue", words: t("Queue"), about: t("sent when this run has ended"), keys: t("Enter") },
    {
      how: "steer",
      words: t("Send now"),
      about: t("read before its next step"),
      keys: isMac() ? "⌘Enter" : t("Ctrl+Enter"),
    },
    { how: "interrupt", words: t("Stop and send"), about: t("ends this run"), keys: "" },
  ];
}

interface Props {
  readonly onChoose: (how: SubmitHow) => void;
  readonly onClose: () => void;
}

export function WaysMenu({ onChoose, onClose }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const items = (): readonly HTMLElement[] => [...(list.current?.querySelectorAll<HTMLElement>("button") ?? [])];
  useLayoutEffect(() => {
    items().at(-1)?.scrollIntoView({ block: "nearest" });
    items()[0]?.focus();
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    const all = items();
    const at = all.findIndex((item) => item === document.activeElement);
    if (event.key === "Escape") onClose();
    else if (event.key === "ArrowDown") all[(at + 1) % all.length]?.focus();
    else if (event.key === "ArrowUp") all.at(at - 1)?.focus();
    else if (event.key === "Home") all[0]?.focus();
    else if (event.key === "End") all.at(-1)?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={list} class="menu" role="menu" aria-label={t("How to send it")} onKeyDown={onKeyDown}>
      {ways().map(({ how, words, about, keys }) => (
        <button key={how} type="button" class="menu-item" role="menuitem" tabIndex={-1} onClick={() => onChoose(how)}>
          <span>{words}</span>
          <kbd>{keys}</kbd>
          <span class="menu-about">{about}</span>
        </button>
      ))}
    </div>
  );
}
