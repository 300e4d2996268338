// A text that grows by small pieces. Pure.

/** Characters after which the text is put together anew. */
const page = 16_384;

/**
 * The text and the piece. What `+` makes is a chain of all pieces, hundreds of thousands in a long answer, that stays in memory
 * and stops everything when it is collected; what `join` makes is one text.
 */
export function appended(text: string, piece: string): string {
  const turnsPage = Math.floor(text.length / page) !== Math.floor((text.length + piece.length) / page);
  return turnsPage ? [text, piece].join("") : text + piece;
}
