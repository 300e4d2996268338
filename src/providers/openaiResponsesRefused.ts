// What a server refused of a Responses request, when the same conversation can be sent without it.
import type { Accepted } from "./openaiResponsesRequest.ts";
import { recordOf, textOf } from "./wireValue.ts";

/** What servers say, and what to leave out for it; the first that fits and was not tried. */
const remedies: readonly (readonly [RegExp, Partial<Accepted>])[] = [
  [/encrypted[ _]content.*not supported|not support.*encrypted[ _]content|\binclude\b/i, { include: false }],
  [/invalid_encrypted_content|encrypted content|reasoning (input )?items?\b/i, { reasoning: false }],
  [
    /item with id|not persisted|item[ _]id|required (following|'reasoning') item|an id that begins/i,
    { itemIds: false },
  ],
];

/**
 * Reads a refusal.
 * @param thrown what the client library threw
 * @returns what to leave out, or null when the refusal is about something else
 */
export function afterRefusal(thrown: unknown, accepted: Accepted): Partial<Accepted> | null {
  const answer = recordOf(thrown);
  if (answer["status"] !== 400 && answer["status"] !== 404) return null;
  const body = recordOf(answer["error"]);
  const said = ["code", "param", "message"].map((name) => textOf(body[name])).join(" ");
  return remedies.find(([words, less]) => words.test(said) && takesAway(less, accepted))?.[1] ?? null;
}

function takesAway(less: Partial<Accepted>, accepted: Accepted): boolean {
  return (["itemIds", "reasoning", "include"] as const).some((part) => accepted[part] && less[part] === false);
}
