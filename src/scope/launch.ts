// A program to start, as it is given to the system: no shell reads it again.

export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Windows: the arguments are one command line already, and are not quoted again. */
  readonly verbatim?: boolean;
}
