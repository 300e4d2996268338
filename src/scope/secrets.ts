// Puts `[masked: …]` in the place of secrets in a text, whole or as it streams by. Pure.
import { maskedIn, maskOf } from "../protocol/viewMasked.ts";
import { privateKey, secretShapes } from "./secretShapes.ts";

/** The text with every secret replaced by its kind. Masking twice is masking once; takes linear time. */
export function maskSecrets(text: string): string {
  let masked = text;
  for (const { name, hints, found, genuine } of secretShapes)
    if (hints.some((hint) => masked.includes(hint)))
      masked = masked.replace(found, (match) => (genuine?.(match) === false ? match : maskOf(name)));
  return masked;
}

/** The first place where a secret was, as it is written there; undefined when there is none. */
export function maskIn(text: string): string | undefined {
  const [kind] = maskedIn(text);
  return kind === undefined ? undefined : maskOf(kind);
}

/** Masks the texts in a value that is plain data, the names in it too. */
export function maskData(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === "string") return mask(value);
  if (Array.isArray(value)) return value.map((member) => maskData(member, mask));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [mask(name), maskData(member, mask)]));
}

/** The lines of the private keys in a text that nothing but such a key would have. */
export function linesOfKeys(text: string): readonly string[] {
  if (!privateKey.hints.some((hint) => text.includes(hint))) return [];
  const keys = text.match(privateKey.found) ?? [];
  return keys.flatMap((key) => key.split(/\\[nr]|\s/)).filter((line) => /^[A-Za-z0-9+/=]{20,}$/.test(line));
}

export interface MaskedStream {
  add(chunk: string): void;
  /** Hands on what is left; nothing comes after it. */
  end(): void;
}

/** A line that may hold a secret, or the first half of one, waits for its end, but not for ever. */
const mostHeld = 64 * 1024;
const suspicious =
  /:\/\/|[_-]|earer|asic|ya29|AIza|A(?:KIA|SIA|BIA|CCA)|eyJ|SG\.|hvs\.|dapi|key|secret|token|passw|passp|pwd|credential/i;

/** @param show receives the masked text: together, what `maskSecrets` makes of the whole */
export function maskedStream(show: (chunk: string) => void): MaskedStream {
  let held = "";
  const pass = (text: string): void => {
    if (text !== "") show(maskSecrets(text));
  };
  return {
    add(chunk) {
      held += chunk;
      const from = startOfUnsure(held);
      const sure = held.length - from > mostHeld ? held.length : from;
      pass(held.slice(0, sure));
      held = held.slice(sure);
    },
    end() {
      pass(held);
      held = "";
    },
  };
}

/** A private key that goes on: nothing has come yet that is not part of one. */
const openBlock = /-----BEGIN [A-Z -]{0,60}(?:[A-Za-z0-9+/=:,.-]|\\(?:[nr]|$)|\s)*$/;

const closed = /-----END [A-Z ]{0,40}-----\r?\n/;

/** Where the end of the text begins that may be part of a secret which goes on. */
function startOfUnsure(text: string): number {
  const begin = text.lastIndexOf("-----BEGIN ");
  const block = begin === -1 ? "" : text.slice(begin);
  if (openBlock.test(block) && !closed.test(block)) return startOfLine(text, begin);
  const line = startOfLine(text, text.length);
  if (suspicious.test(text.slice(line))) return line;
  return text.length - (/[A-Za-z0-9:/+]*$/.exec(text.slice(Math.max(line, text.length - 64)))?.[0].length ?? 0);
}

function startOfLine(text: string, place: number): number {
  if (place === 0) return 0;
  return Math.max(text.lastIndexOf("\n", place - 1), text.lastIndexOf("\r", place - 1)) + 1;
}
