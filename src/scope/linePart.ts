// What a command line is made of: the programs it runs, the files it redirects to, and what nobody can know.

/** A word as the program will get it; null: known only when it runs, and it may be several or none. */
export type CommandWord = string | null;

/** One program with its arguments. */
export interface SimpleCommand {
  readonly kind: "command";
  readonly words: readonly CommandWord[];
  /** Variables that are set for it or from it on. */
  readonly sets: readonly string[];
  /** It runs code that is not read here. */
  readonly opaque: boolean;
  /**
   * How it stands to what it runs in its turn: a `clear` wrapper does nothing by itself; of a `named` one that is not so,
   * and only a rule that names as many words as `names` speaks of it.
   */
  readonly wraps: "nothing" | "clear" | "named";
  readonly names: number;
  readonly inner: readonly LinePart[];
}

export type LinePart =
  | SimpleCommand
  | { readonly kind: "read"; readonly path: CommandWord }
  /** `keeps`: what the file holds stays. */
  | { readonly kind: "write"; readonly path: CommandWord; readonly keeps: boolean }
  /** `why` ends a sentence that begins with “It cannot be told what this runs:”. */
  | { readonly kind: "unknown"; readonly why: string };

export function unknown(why: string): LinePart {
  return { kind: "unknown", why };
}

/** The last part of a program's path. Windows and macOS find a program by a name in any case. */
export function baseName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1).toLowerCase();
}
