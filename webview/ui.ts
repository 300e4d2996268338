// What the panel keeps for itself: drafts and what is unfolded. Everything else comes from the host.
import type { Params } from "../src/protocol/messages.ts";
import type { SentPart } from "../src/protocol/wire.ts";
import type { Outbox, Outgoing } from "./outbox.ts";
import type { QueueEdit } from "./queueEdits.ts";
import type { Mark, Place } from "./sight.ts";
import { t } from "./l10n.ts";

/** A form of a pending call as it stands on the screen. */
export interface FormDraft {
  /** The whole as JSON text is being edited, instead of the single fields. */
  readonly raw: boolean;
  readonly texts: Readonly<Record<string, string>>;
  readonly json: string;
}

/** Another call that is being chosen in the place of a pending one. */
export interface Replacement {
  /** What the list of tools is narrowed by. */
  readonly search: string;
  /** The tool that was chosen, and the form of its parameters; null while the list is open. */
  readonly tool: string | null;
  readonly form: FormDraft | null;
}

/** What a person is making of a plan that waits. */
export interface PlanDraft {
  /** Ids of calls that are not to run. */
  readonly removed: readonly string[];
  /** Other parameters, by the id of their call. */
  readonly changed: Readonly<Record<string, Params>>;
  /** The call whose form is open; the form itself is among the forms, under the plan's id. */
  readonly editing: string | null;
}

export interface Ui {
  readonly draft: string;
  /** Images and PDFs that go with it. */
  readonly parts: readonly SentPart[];
  /** Why others do not; "" when there is nothing to say. */
  readonly partsProblem: string;
  /** A person does not want the lines that are selected in the editor to go along. */
  readonly withoutSelection: boolean;
  /** Messages on their way to the host. */
  readonly outbox: Outbox;
  /** Rows that a person folded or unfolded, by key. */
  readonly folds: Readonly<Record<string, boolean>>;
  /** Open forms, by the id of their call. */
  readonly forms: Readonly<Record<string, FormDraft>>;
  /** Open reason boxes, by the id of their call or plan. */
  readonly reasons: Readonly<Record<string, string>>;
  /** Open replacements, by the id of the call that would go. */
  readonly replacements: Readonly<Record<string, Replacement>>;
  /** Plans that are being changed, by id. */
  readonly plans: Readonly<Record<string, PlanDraft>>;
  /** Summaries that are being rewritten, by the id of their compaction. */
  readonly summaries: Readonly<Record<string, string>>;
  /** The run whose trace is open; null: none is. */
  readonly trace: string | null;
  /** Waiting messages that are being written anew, by their ids. */
  readonly edits: Readonly<Record<string, QueueEdit>>;
  /** One of them was gone before its new text came: that is in the draft. */
  readonly tooLate: boolean;
  /** What the page of sessions lists; null: the conversation is shown. */
  readonly sessions: { readonly text: string; readonly deleted: boolean } | null;
  /** Where the reader is in a session; null: at its end. */
  readonly place: (Place & { readonly session: string }) | null;
}

/** Folds kept; the oldest are forgotten beyond it. */
const mostFolds = 500;

/**
 * Reads what an earlier life of the panel, perhaps of an earlier version, left behind.
 * @returns its drafts, or empty ones where it cannot be read
 */
export function readUi(stored: unknown): Ui {
  const left = isRecord(stored) ? stored : {};
  const { draft, parts, partsProblem, outbox, folds, forms, reasons, replacements, plans, summaries } = left;
  const { trace, sessions, place } = left;
  return {
    draft: isString(draft) ? draft : "",
    parts: Array.isArray(parts) ? parts.filter(isPart) : [],
    partsProblem: isString(partsProblem) ? partsProblem : "",
    withoutSelection: left["withoutSelection"] === true,
    outbox: Array.isArray(outbox) ? outbox.filter(isOutgoing) : [],
    folds: only(folds, isBoolean),
    forms: only(forms, isFormDraft),
    reasons: only(reasons, isString),
    replacements: only(replacements, isReplacement),
    plans: only(plans, isPlanDraft),
    summaries: only(summaries, isString),
    trace: isString(trace) ? trace : null,
    edits: only(left["edits"], isQueueEdit),
    tooLate: left["tooLate"] === true,
    sessions: isListed(sessions) ? sessions : null,
    place: isPlace(place) ? place : null,
  };
}

/** Characters of a part that outlives the panel: it is written down again with every word that is typed. */
const mostKept = 100_000;

export function isKept({ value }: SentPart): boolean {
  return value.length <= mostKept;
}

/** What of it outlives the panel; its next life says what does not. */
export function toKeep(ui: Ui): Ui {
  const lost = ui.parts.filter((part) => !isKept(part)).map(({ name }) => `“${name}”`);
  const partsProblem =
    lost.length === 0 ? ui.partsProblem : t("Too large to be kept, give it again: {0}.", lost.join(", "));
  const outbox = ui.outbox.map(({ parts = [], ...one }) => ({ ...one, parts: parts.filter(isKept) }));
  return { ...ui, outbox, parts: ui.parts.filter(isKept), partsProblem };
}

/** The record without a key. */
export function without<T>(record: Readonly<Record<string, T>>, key: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
}

/** The record with the newest folds only, the given one among them. */
export function withFold(folds: Ui["folds"], key: string, open: boolean): Ui["folds"] {
  return Object.fromEntries([...Object.entries(without(folds, key)).slice(1 - mostFolds), [key, open]]);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

type Fits = (value: unknown) => boolean;

/** Whether a value has these parts. */
function shape<T>(...parts: readonly (readonly [keyof T & string, Fits])[]): (value: unknown) => value is T {
  return (value): value is T => isRecord(value) && parts.every(([key, fits]) => fits(value[key]));
}

const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
const orNull =
  (fits: Fits): Fits =>
  (value) =>
    value === null || fits(value);
const recordOf =
  (fits: Fits): Fits =>
  (value) =>
    isRecord(value) && Object.values(value).every(fits);

const isFormDraft = shape<FormDraft>(["raw", isBoolean], ["json", isString], ["texts", recordOf(isString)]);
const isQueueEdit = shape<QueueEdit>(["text", isString], ["was", isString]);
const isReplacement = shape<Replacement>(
  ["search", isString],
  ["tool", orNull(isString)],
  ["form", orNull(isFormDraft)],
);
const isPlanDraft = shape<PlanDraft>(
  ["removed", Array.isArray],
  ["changed", recordOf(isRecord)],
  ["editing", orNull(isString)],
);
const isMark = shape<Mark>(["item", isString], ["part", isString], ["offset", Number.isFinite]);
const isPlace = shape<NonNullable<Ui["place"]>>(
  ["session", isString],
  ["key", isString],
  ["offset", Number.isFinite],
  ["mark", (mark) => mark === undefined || isMark(mark)],
);
const isListed = shape<NonNullable<Ui["sessions"]>>(["text", isString], ["deleted", isBoolean]);
const isPart = shape<SentPart>(["value", isString], ["name", isString]);
const isOutgoing = shape<Outgoing>(
  ["text", isString],
  ["how", (how) => ways.includes(how)],
  ["queued", orNull(isString)],
  ["parts", (parts) => parts === undefined || (Array.isArray(parts) && parts.every(isPart))],
);
const ways: readonly unknown[] = ["start", "queue", "steer", "interrupt"] satisfies Outgoing["how"][];

function only<T>(value: unknown, fits: (entry: unknown) => entry is T): Record<string, T> {
  const entries = isRecord(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, T] => fits(entry[1])));
}
