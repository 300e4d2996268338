// A menu: arrows go round, Escape closes it, and what is chosen is done by whoever opened it.
import { useLayoutEffect, useRef } from "preact/hooks";

export interface MenuItem {
  readonly key: string;
  readonly words: string;
  readonly about?: string;
  readonly keys?: string;
  readonly onChoose: () => void;
}

interface Props {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly onClose: () => void;
}

export function Menu({ label, items, onClose }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const buttons = (): readonly HTMLElement[] => [...(list.current?.querySelectorAll<HTMLElement>("button") ?? [])];
  useLayoutEffect(() => {
    buttons().at(-1)?.scrollIntoView({ block: "nearest" });
    buttons()[0]?.focus();
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    const all = buttons();
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
    <div ref={list} class="menu" role="menu" aria-label={label} onKeyDown={onKeyDown}>
      {items.map(({ key, words, about, keys = "", onChoose }) => (
        <button key={key} type="button" class="menu-item" role="menuitem" tabIndex={-1} onClick={onChoose}>
          <span>{words}</span>
          <kbd>{keys}</kbd>
          {about !== undefined && <span class="menu-about">{about}</span>}
        </button>
      ))}
    </div>
  );
}
