// One quiet line of the conversation: a row of its list, with a picture.
import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

interface Props {
  readonly kind: string;
  readonly icon: string;
  /** Of the picture. */
  readonly class?: string;
  /** What a screen reader calls it. */
  readonly label: string;
  readonly title?: string;
  readonly children: ComponentChildren;
}

export function Line({ kind, icon, class: looks = "", label, title, children }: Props) {
  return (
    <div class={`notice ${kind}`} data-row="" tabIndex={-1} role="group" aria-label={label} title={title}>
      <Icon name={icon} class={looks} />
      {children}
    </div>
  );
}
