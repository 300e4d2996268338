// How long a server asks to wait before it is asked again: in its headers, its body, or its words.
import { listOf, recordOf, textOf, type WireRecord } from "./wireValue.ts";

/** Milliseconds to wait for a server that is reading its model into memory. */
const loading = 15_000;

/** The longest a timer can be: a longer one would be over at once. */
const longest = 2 ** 31 - 1;

/** @returns milliseconds, or undefined where it says nothing */
export function retryWait(headers: unknown, body: WireRecord, now: number): number | undefined {
  const wait = (headers instanceof Headers ? inHeaders(headers, now) : undefined) ?? inBody(body) ?? inWords(body);
  return wait && Math.min(wait, longest);
}

function inHeaders(headers: Headers, now: number): number | undefined {
  const exact = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (exact >= 0) return exact;
  const given = headers.get("retry-after")?.trim() ?? "";
  if (given === "") return undefined;
  const wait = Number.isNaN(Number(given)) ? Date.parse(given) - now : Number(given) * 1000;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

/** Google's servers have no header for it. */
function inBody(body: WireRecord): number | undefined {
  const seconds = listOf(body["details"])
    .map((detail) => Number(/^([\d.]+)s$/.exec(textOf(recordOf(detail)["retryDelay"]))?.[1]))
    .find((number) => !Number.isNaN(number));
  return seconds === undefined ? undefined : Math.ceil(seconds * 1000);
}

const units = new Map([
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

function inWords(body: WireRecord): number | undefined {
  const message = textOf(body["message"]);
  const said = /(?:try again|retry) in ((?:\d+(?:\.\d+)?(?:ms|s|m|h))+)\b/i.exec(message)?.[1];
  if (said === undefined)
    return /\bmodel\b.{0,200}\bloading\b|\bloading\b.{0,200}\bmodel\b/i.test(message) ? loading : undefined;
  const pieces = said.matchAll(/([\d.]+)(ms|s|m|h)/g);
  return Math.ceil(
    [...pieces].reduce((sum, [, number, unit]) => sum + Number(number) * (units.get(unit ?? "") ?? 0), 0),
  );
}
