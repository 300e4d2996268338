// How the bytes of a text file are read as text and written again, so that what is not changed stays the same to the byte.
import { isUtf8 } from "node:buffer";

/** How a file is written. */
export interface Encoding {
  /** As VS Code calls it: `utf8`, `utf16le`, `utf16be`, `windows1252`, or what a person has set. */
  readonly name: string;
  /** A byte order mark comes first. */
  readonly marked: boolean;
}

/** The encodings that a person has set for their files, beside Unicode with a byte order mark. */
export interface SetEncodings {
  /** Null: UTF-8, as everywhere. */
  nameFor(real: string): string | null;
  decode(name: string, bytes: Uint8Array): Promise<string>;
  encode(name: string, text: string): Promise<Uint8Array>;
}

export interface Decoded {
  readonly text: string;
  readonly encoding: Encoding;
}

const utf8: Encoding = { name: "utf8", marked: false };

const marks: readonly (readonly [Encoding, Buffer])[] = [
  [{ name: "utf8", marked: true }, Buffer.from([0xef, 0xbb, 0xbf])],
  [{ name: "utf16le", marked: true }, Buffer.from([0xff, 0xfe])],
  [{ name: "utf16be", marked: true }, Buffer.from([0xfe, 0xff])],
];

/** Characters of the bytes from 0x80 to 0x9f in Windows-1252; those that it leaves open stand for themselves. */
const upper = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";
const fromByte = Array.from({ length: 256 }, (_, byte) => upper[byte - 0x80] ?? String.fromCodePoint(byte));
const toByte = new Map(fromByte.map((character, byte) => [character, byte]));

/**
 * Reads bytes by their byte order mark; else by what is set for the file; else as UTF-8; else, where they are no UTF-8 but
 * text, as Windows-1252, in which every byte is a character. Nothing counts that does not lead back to the same bytes.
 * @returns null: they are no text
 */
export async function decode(bytes: Buffer, set: string | null, others?: SetEncodings): Promise<Decoded | null> {
  for (const [encoding, mark] of marks)
    if (bytes.subarray(0, mark.length).equals(mark)) return decodedBy(encoding, bytes.subarray(mark.length));
  if (set !== null && others && !isUnicode(set)) {
    const found = await decodedBySet(bytes, set, others);
    if (found) return found;
  }
  return bytes.includes(0)
    ? null
    : (decodedBy(utf8, bytes) ?? decodedBy({ name: "windows1252", marked: false }, bytes));
}

function decodedBy(encoding: Encoding, bytes: Buffer): Decoded | null {
  const text = textOf(encoding.name, bytes);
  return text === null || text.includes("\0") ? null : { text, encoding };
}

function isUnicode(name: string): boolean {
  return name.startsWith("utf");
}

/** What a file gets that is new. */
export function encodingForNew(set: string | null): Encoding {
  if (set === null) return utf8;
  return isUnicode(set) ? { name: set.replace(/bom$/, ""), marked: set !== "utf8" } : { name: set, marked: false };
}

function textOf(name: string, bytes: Buffer): string | null {
  switch (name) {
    case "utf16le":
      return bytes.length % 2 === 0 ? bytes.toString("utf16le") : null;
    case "utf16be":
      return bytes.length % 2 === 0 ? Buffer.from(bytes).swap16().toString("utf16le") : null;
    case "windows1252":
      return hasControls(bytes) ? null : Array.from(bytes, (byte) => fromByte[byte]).join("");
    default:
      return isUtf8(bytes) ? bytes.toString("utf8") : null;
  }
}

/** Null: a character is not in the encoding. */
function bytesOf(name: string, text: string): Buffer | null {
  switch (name) {
    case "utf16le":
      return Buffer.from(text, "utf16le");
    case "utf16be":
      return Buffer.from(text, "utf16le").swap16();
    case "windows1252": {
      const bytes = text.split("").map((character) => toByte.get(character));
      return bytes.includes(undefined) ? null : Buffer.from(bytes.filter((byte) => byte !== undefined));
    }
    default:
      return Buffer.from(text, "utf8");
  }
}

/** Control characters that no text has: what they are in is not text, though each byte could be a character. */
function hasControls(bytes: Buffer): boolean {
  return bytes.some((byte) => byte < 0x07 || (byte > 0x0d && byte < 0x20 && byte !== 0x1b));
}

async function decodedBySet(bytes: Buffer, name: string, others: SetEncodings): Promise<Decoded | null> {
  try {
    const text = await others.decode(name, bytes);
    const again = Buffer.from(await others.encode(name, text));
    return again.equals(bytes) ? { text, encoding: { name, marked: false } } : null;
  } catch {
    // Not text by the editor's own judgement.
    return null;
  }
}

/**
 * The bytes of a text.
 * @returns `lacks`: a character that the encoding does not have
 */
export async function encode(
  text: string,
  { name, marked }: Encoding,
  others?: SetEncodings,
): Promise<Buffer | { readonly lacks: string }> {
  const bytes = await exactly(text, name, others);
  if (bytes) return marked ? Buffer.concat([markOf(name), bytes]) : bytes;
  for (const character of new Set(text))
    if ((await exactly(character, name, others)) === null) return { lacks: character };
  return { lacks: "" };
}

function markOf(name: string): Buffer {
  return marks.find(([encoding]) => encoding.name === name)?.[1] ?? Buffer.alloc(0);
}

/** Null: it would not be the same text when it is read again. */
async function exactly(text: string, name: string, others: SetEncodings | undefined): Promise<Buffer | null> {
  if (!others || isUnicode(name) || name === "windows1252") return bytesOf(name, text);
  const bytes = Buffer.from(await others.encode(name, text));
  return (await others.decode(name, bytes)) === text ? bytes : null;
}

/** A sentence for the model about a character that cannot be written. */
export function lackingWords(path: string, { name }: Pick<Encoding, "name">, character: string): string {
  return `“${path}” is written in ${name}, which has no “${character}”. Write it without that, or convert the file to UTF-8 first.`;
}
