// Reviews that were begun and not finished, kept so that no window that closes takes what a person has typed and decided with it.
import * as z from "zod";
import type { Proposal } from "../engine/ports.ts";
import { applyHunks, hunksOf } from "../tools/hunks.ts";
import { hashText } from "../tools/workspace.ts";
import { isOpen, type Reviewed } from "./reviewed.ts";

const Draft = z.object({
  file: z.string(),
  path: z.string(),
  /** Hashes of the texts that it is about. */
  before: z.string(),
  after: z.string(),
  /** What would be written with all hunks, those that were refused too. */
  text: z.string(),
  typed: z.boolean(),
  states: z.array(z.tuple([z.string(), z.enum(["open", "accepted", "rejected"])])),
  comments: z.array(z.tuple([z.string(), z.string()])),
  /** It was waiting for the person when it was last heard of. */
  waiting: z.boolean(),
});
export type Draft = z.infer<typeof Draft>;

export interface DraftStore {
  get(): unknown;
  set(drafts: readonly Draft[]): void;
}

export interface Drafts {
  /** The review as a person had left it, when the same change is proposed again. */
  readonly restored: (proposal: Proposal) => Reviewed | null;
  readonly keep: (review: Reviewed) => void;
  /** It was answered. */
  readonly forget: (proposal: Proposal) => void;
  /** It does not wait any more, and was not answered: it is kept, and nobody need be told. */
  readonly leave: (proposal: Proposal) => void;
  /** Those that were waiting when the window closed. Each is told once. */
  readonly left: () => readonly Draft[];
  /** The window closes: what goes now goes for that reason alone. */
  readonly freeze: () => void;
}

/** The oldest go first. */
const mostDrafts = 20;
/** Characters; what is longer is not kept. */
const longest = 1_000_000;

export function createDrafts(store: DraftStore): Drafts {
  let drafts: readonly Draft[] = z.array(Draft).catch([]).parse(store.get());
  let frozen = false;
  const put = (next: readonly Draft[]): void => {
    if (frozen) return;
    drafts = next.slice(-mostDrafts);
    store.set(drafts);
  };
  const others = (proposal: Proposal): readonly Draft[] => drafts.filter((draft) => !isOf(draft, proposal));
  return {
    restored(proposal) {
      const draft = drafts.find((one) => isOf(one, proposal));
      if (!draft) return null;
      const hunks = hunksOf(proposal.before ?? "", draft.text);
      const ids = new Set(hunks.map(({ id }) => id));
      const states = new Map(draft.states.filter(([id]) => ids.has(id)));
      const comments = new Map(draft.comments.filter(([id]) => ids.has(id)));
      const review = { proposal, hunks, states, comments, typed: draft.typed };
      // With nothing open nobody could say the last word.
      return isOpen(review) ? review : { ...review, states: new Map() };
    },
    keep(review) {
      const { proposal, hunks, states, comments, typed } = review;
      const text = applyHunks(proposal.before ?? "", hunks);
      if (text.length > longest) return;
      const { file, path } = proposal;
      const about = { file, path, ...hashesOf(proposal), text, typed, waiting: true };
      put([...others(proposal), { ...about, states: [...states], comments: [...comments] }]);
    },
    forget: (proposal) => put(others(proposal)),
    leave: (proposal) => put(drafts.map((draft) => (isOf(draft, proposal) ? { ...draft, waiting: false } : draft))),
    left() {
      const left = drafts.filter(({ waiting }) => waiting);
      if (left.length > 0) put(drafts.map((draft) => ({ ...draft, waiting: false })));
      return left;
    },
    freeze: () => void (frozen = true),
  };
}

function hashesOf({ before, after }: Proposal): { readonly before: string; readonly after: string } {
  return { before: before === null ? "" : hashText(before), after: after === null ? "" : hashText(after) };
}

function isOf({ file, before, after }: Draft, proposal: Proposal): boolean {
  const hashes = hashesOf(proposal);
  return file === proposal.file && before === hashes.before && after === hashes.after;
}
