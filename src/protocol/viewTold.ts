// Words in another language than English: the tables that a page brings along, and how a sentence is found in them. Pure.

/** By the English words. */
type Table = Readonly<Record<string, string>>;

/** Sentences that come as data, from the loop, the tools, the host. They stay English in it, for the model reads them too. */
export interface Told {
  readonly exact: Table;
  /** Those with values in them: a pattern, and what is said in its place. */
  readonly forms: readonly (readonly [pattern: string, other: string])[];
}

export interface PageWords {
  /** As HTML and `Intl` name it. */
  readonly language: string;
  /** The panel's own words. */
  readonly panel: Table;
  readonly told: Told;
}

/** The text with values in the place of `{0}`, `{1}` …; a hole without a value stays. */
export function filled(text: string, values: readonly (string | number)[]): string {
  return text.replace(/\{(\d)\}/g, (hole, at: number) => String(values[at] ?? hole));
}

/** Sentences of data in another language, and so are the values in them; what is not known stays. */
export function inTold(told: Told, words: string): string {
  const sentences = words.split(/(?<=[.!?]) (?=[A-Z“])/);
  return oneIn(told, words) ?? sentences.map((sentence) => oneIn(told, sentence) ?? sentence).join(" ");
}

function oneIn(told: Told, sentence: string): string | null {
  const known = told.exact[sentence];
  if (known !== undefined) return known;
  for (const [pattern, other] of told.forms) {
    const values = new RegExp(pattern, "s").exec(sentence)?.slice(1);
    if (values)
      return filled(
        other,
        values.map((value) => oneIn(told, value) ?? value),
      );
  }
  return null;
}

/** A table of sentences as they are looked for. Holes are numbered in the order of the English sentence. */
export function toldOf(table: Table): Told {
  const entries = Object.entries(table);
  return {
    exact: Object.fromEntries(entries.filter(([english]) => !english.includes("{0}"))),
    forms: entries.flatMap(([english, other]) => (english.includes("{0}") ? [[patternOf(english), other]] : [])),
  };
}

/** What fills a hole does not begin another sentence. */
function patternOf(english: string): string {
  const text = english.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\d\}/g, "((?:(?![.!?] [A-Z“]).)*?)");
  return `^${text}$`;
}
