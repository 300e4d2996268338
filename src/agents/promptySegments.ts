// What a template renders to: pieces of text that know whether the file's author or an input has written them.

export interface Segment {
  /** `literal`: stands in the file. `interp`: came in with an input. `rich`: stands for a thread, an image, … */
  readonly kind: "literal" | "interp" | "rich";
  /** Of a rich one: the marker that stands for its value. */
  readonly text: string;
  /** The input that it came with. */
  readonly source: string | null;
  /** The input may not even look as if it began a message. */
  readonly strict: boolean;
}

/** Most that one render may do and give: a template is a text, not a program. */
const limits = { steps: 1_000_000, characters: 4_000_000 };

const longestBlank = 1_000;

/** Collects what a template gives, and ends one that would never end. */
export interface Output {
  readonly segments: readonly Segment[];
  /** Counts one step of work. */
  step(): void;
  /** @param source the input that it came with; null: the file itself */
  write(text: string, source: string | null): void;
}

export function createOutput(isStrict: (input: string) => boolean): Output {
  const segments: Segment[] = [];
  let steps = 0;
  let length = 0;
  return {
    segments,
    step() {
      if (++steps > limits.steps) throw new TemplateError("The template does not come to an end: it repeats too much.");
    },
    write(text, source) {
      length += text.length;
      checkLength(length);
      const last = segments.at(-1);
      if (source !== null) segments.push({ kind: "interp", text, source, strict: isStrict(source) });
      else if (last?.kind === "literal") segments[segments.length - 1] = { ...last, text: last.text + text };
      else if (text !== "") segments.push({ kind: "literal", text, source, strict: false });
    },
  };
}

/** @throws TemplateError for a text that is longer than all that a template may give */
export function checkLength(characters: number): void {
  if (characters > limits.characters) throw new TemplateError("The template gives too much text.");
}

/**
 * The libraries' time grows with the square of a run of blanks.
 * @throws TemplateError for a longer one than any prompt has
 */
export function checkBlanks(template: string): void {
  for (const { 0: blanks, index } of template.matchAll(/\s+/g))
    if (blanks.length > longestBlank)
      throw new TemplateError("template: has too many blanks in a row", template.slice(0, index).split("\n").length);
}

/** What is wrong with a template, in a sentence. Never leaves the files that render. */
export class TemplateError extends Error {
  /** In the template, from 1, where it is known. */
  readonly line: number | null;

  constructor(message: string, line: number | null = null) {
    super(message);
    this.line = line;
  }
}

/** A template that was read and may be rendered. */
export interface Template {
  /** @throws TemplateError */
  render(inputs: Readonly<Record<string, unknown>>, output: Output): void;
}
