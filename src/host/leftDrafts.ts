// What is half written in the panel of an editor tab: with the tab it goes to a panel that a person sees, or waits for one that opens.
import { Draft, type ToWebview } from "../protocol/wire.ts";
import { mostParts } from "../protocol/viewParts.ts";

/** Where it is kept while there is no panel for it. */
export interface LeftStore {
  get(): unknown;
  set(draft: Draft | undefined): void;
}

export interface LeftDrafts {
  /** Knows from now on what is half written in a panel. */
  readonly of: (panel: DraftPanel) => FollowedDraft;
}

export interface DraftPanel {
  readonly visible: () => boolean;
  readonly ask: (message: ToWebview) => void;
}

export interface FollowedDraft {
  /** The panel says what is half written in it; `parts` absent: as before. */
  readonly keep: (draft: Pick<Draft, "text"> & { readonly parts?: Draft["parts"] | undefined }) => void;
  /** The panel is there: it gets what was left behind, until it says that it has that. */
  readonly offer: () => void;
  /** The panel is gone. @param lost whether its text is gone with it */
  readonly end: (lost: boolean) => void;
}

export function createLeftDrafts(store: LeftStore): LeftDrafts {
  let left: Draft | null = Draft.safeParse(store.get()).data ?? null;
  const followed: { readonly panel: DraftPanel; readonly offer: () => void }[] = [];
  const leave = (draft: Draft | null): void => {
    left = draft;
    store.set(draft ?? undefined);
  };
  return {
    of(panel) {
      let now: Draft = { text: "", parts: [] };
      const offer = (): void => {
        if (left) panel.ask({ type: "draft:left", ...left });
      };
      const entry = { panel, offer };
      followed.push(entry);
      return {
        keep({ text, parts = now.parts }) {
          now = { text, parts };
          if (left && has(now, left)) leave(null);
        },
        offer,
        end(lost) {
          followed.splice(followed.indexOf(entry), 1);
          if (!lost || (now.text.trim() === "" && now.parts.length === 0)) return;
          leave(left ? together(left, now) : now);
          followed.find((other) => other.panel.visible())?.offer();
        },
      };
    },
  };
}

function has({ text, parts }: Draft, left: Draft): boolean {
  const values = new Set(parts.map(({ value }) => value));
  return text.includes(left.text) && left.parts.every(({ value }) => values.has(value));
}

function together(one: Draft, other: Draft): Draft {
  const texts = [one.text, other.text].filter((text) => text !== "");
  return { text: texts.join("\n\n"), parts: [...one.parts, ...other.parts].slice(0, mostParts) };
}
