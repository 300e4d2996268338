// One codicon; and the buttons, each with a name and a tooltip.
import type { ComponentChildren } from "preact";

interface IconProps {
  readonly name: string;
  readonly class?: string;
}

/** A picture without words of its own: what it says must stand beside it. */
export function Icon({ name, class: extra = "" }: IconProps) {
  return <span class={`codicon codicon-${name} ${extra}`} aria-hidden="true" />;
}

interface ButtonProps {
  readonly onClick: () => void;
  readonly children: ComponentChildren;
  /** The tooltip, with the key if there is one. */
  readonly title: string;
  readonly kind?: "primary" | "secondary" | "link";
  readonly disabled?: boolean;
  /** Reached by arrows inside its list, not by Tab. */
  readonly inList?: boolean;
  /** A stop of its own among the rows of its list. */
  readonly row?: boolean;
}

export function Button({ onClick, children, title, kind = "secondary", disabled, inList, row }: ButtonProps) {
  return (
    <button
      type="button"
      class={`button ${kind}`}
      title={title}
      disabled={disabled ?? false}
      tabIndex={inList || row ? -1 : 0}
      data-row={row ? "" : undefined}
      onClick={onClick}
    >
      {children}
    </button>
  );
}

interface IconButtonProps {
  readonly name: string;
  /** Its name and its tooltip. */
  readonly label: string;
  readonly onClick: () => void;
  readonly disabled?: boolean;
  /** Reached by Tab. */
  readonly stop?: boolean;
}

/** A picture to press, inside a list: reached by arrows. */
export function IconButton({ name, label, onClick, disabled, stop }: IconButtonProps) {
  return (
    <button
      type="button"
      class={`icon-button codicon codicon-${name}`}
      tabIndex={stop ? 0 : -1}
      title={label}
      aria-label={label}
      disabled={disabled ?? false}
      onClick={onClick}
    />
  );
}

interface MoreProps {
  readonly title: string;
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}

/** Shows the rest of something long. */
export function More({ title, onClick, children }: MoreProps) {
  return (
    <button type="button" class="more" tabIndex={-1} title={title} onClick={onClick}>
      {children}
    </button>
  );
}
