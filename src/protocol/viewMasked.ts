// What stands in a text in the place of secrets. Pure.

const marks = /\[masked: ([A-Za-z ]{1,40})\]/g;

/** Stands in the place of a secret of this kind. */
export function maskOf(kind: string): string {
  return `[masked: ${kind}]`;
}

/** The kinds of secrets that are masked in a text, each once. */
export function maskedIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(marks)].map(([, kind = ""]) => kind))];
}
