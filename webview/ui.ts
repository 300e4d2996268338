// What the panel keeps for itself: drafts and what is unfolded. Everything else comes from the host.

/** A form of a pending call as it stands on the screen. */
export interface FormDraft {
  /** The whole as JSON text is being edited, instead of the single fields. */
  readonly raw: boolean;
  readonly texts: Readonly<Record<string, string>>;
  readonly json: string;
}

export interface Ui {
  readonly draft: string;
  /** A prompt that was sent and has not been seen in the conversation yet. */
  readonly sent: string | null;
  /** Rows that a person folded or unfolded, by key. */
  readonly folds: Readonly<Record<string, boolean>>;
  /** Open forms, by the id of their call. */
  readonly forms: Readonly<Record<string, FormDraft>>;
  /** Open reason boxes, by the id of their call. */
  readonly reasons: Readonly<Record<string, string>>;
}

const emptyUi: Ui = { draft: "", sent: null, folds: {}, forms: {}, reasons: {} };

/** Folds kept; the oldest are forgotten beyond it. */
const mostFolds = 500;

/**
 * Reads what an earlier life of the panel, perhaps of an earlier version, left behind.
 * @returns its drafts, or empty ones where it cannot be read
 */
export function readUi(stored: unknown): Ui {
  if (!isRecord(stored)) return emptyUi;
  const { draft, sent, folds, forms, reasons } = stored;
  return {
    draft: typeof draft === "string" ? draft : "",
    sent: typeof sent === "string" ? sent : null,
    folds: only(folds, (value) => typeof value === "boolean"),
    forms: only(forms, isFormDraft),
    reasons: only(reasons, isString),
  };
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

function isFormDraft(value: unknown): value is FormDraft {
  if (!isRecord(value) || !isRecord(value["texts"])) return false;
  const texts = Object.values(value["texts"]);
  return typeof value["raw"] === "boolean" && isString(value["json"]) && texts.every(isString);
}

function only<T>(value: unknown, fits: (entry: unknown) => entry is T): Record<string, T> {
  const entries = isRecord(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, T] => fits(entry[1])));
}
