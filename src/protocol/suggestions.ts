// What the composer offers while a person types `@` or `/`.
import type { PanelCommand } from "./wire.ts";

export type Sigil = "@" | "/";

export interface Suggestion {
  readonly label: string;
  readonly detail: string;
  /** Name of a codicon. */
  readonly icon: string;
  /** Written in the place of what was typed, or a command that runs at once. */
  readonly does: { readonly write: string } | { readonly run: PanelCommand };
}

/** Lines that are selected in the editor. */
export interface SelectedLines {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}
