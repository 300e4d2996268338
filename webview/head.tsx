// The head of what can be unfolded in the conversation: one line, which is a button.
import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

interface Props {
  readonly open: boolean;
  readonly toggle: () => void;
  readonly title: string;
  readonly children: ComponentChildren;
  /** Id of what stands below it once it is unfolded. */
  readonly details?: string;
  /** Ids of the calls it stands for. */
  readonly item?: string | undefined;
  readonly class?: string;
}

export function Head({ open, toggle, title, children, details, item, class: kind = "call-head" }: Props) {
  return (
    <button
      type="button"
      class={kind}
      data-row=""
      data-item={item}
      tabIndex={-1}
      aria-expanded={open}
      aria-controls={open ? details : undefined}
      title={title}
      onClick={toggle}
    >
      {children}
      <Icon name={open ? "chevron-down" : "chevron-right"} class="chevron" />
    </button>
  );
}
