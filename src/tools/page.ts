// A page of the web that a person names in a message: fetched once, as text that a model can read.
import { lookup } from "node:dns/promises";
import { reachOf, type Reach } from "../scope/addresses.ts";

export interface PageParts {
  readonly signal: AbortSignal;
  /** Asks for one address and follows nothing; absent: the global one. */
  readonly fetch?: typeof fetch;
  /** Where a name leads; absent: as this machine looks it up. Never rejects. */
  readonly reach?: (host: string) => Promise<Reach>;
}

/** Bytes of a page that are read. */
const mostBytes = 2_000_000;
/** Characters of HTML that are read: what is nested without end takes time that grows with their square. */
const mostHtml = 600_000;
/** Characters of a main part that says something. */
const fewest = 100;
/** Milliseconds that a page may take in all. */
const longest = 20_000;
const mostHops = 5;

/**
 * The text of a page, HTML as Markdown. The address is the person's own word; where it is sent on from the world's network, it
 * stays in that. Nothing is sent along: no cookies, no credentials.
 * @throws Error with a sentence for the person
 */
export async function readPage(
  address: string,
  { signal, fetch: ask = fetch, reach = reachOfName }: PageParts,
): Promise<string> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(longest)]);
  let url = checked(address);
  let from = await reach(url.hostname);
  for (let hop = 0; hop <= mostHops; hop += 1) {
    const response = await ask(url.href, { redirect: "manual", signal: within, headers: { accept: wanted } }).catch(
      (error: unknown) => {
        throw new Error(unreachable(url, error, within), { cause: error });
      },
    );
    const onward = response.status >= 300 && response.status < 400 ? response.headers.get("location") : null;
    if (onward === null) return textOf(url, response);
    await response.body?.cancel();
    url = checked(URL.parse(onward, url.href)?.href ?? onward);
    const next = await reach(url.hostname);
    if (from === "world" && next !== "world") throw new Error(`It is sent on to ${url.host}, which is not on the web.`);
    from = next;
  }
  throw new Error(`It was sent on more than ${mostHops} times.`);
}

const wanted = "text/markdown, text/html;q=0.9, text/plain;q=0.9, application/json;q=0.8, */*;q=0.1";

function checked(address: string): URL {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error("It is no address of a page.");
  if (url.username !== "" || url.password !== "") throw new Error("Its address holds a name or a password.");
  return url;
}

async function reachOfName(host: string): Promise<Reach> {
  const bare = host.replace(/^\[|\]$/g, "");
  const found = await lookup(bare, { all: true }).catch(() => []);
  const reaches = found.map(({ address }) => reachOf(address));
  return reaches.find((reach) => reach !== "world") ?? "world";
}

function unreachable({ host }: URL, error: unknown, within: AbortSignal): string {
  if (within.aborted) return `${host} did not answer within ${longest / 1_000} seconds.`;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return `${host} cannot be reached: ${cause instanceof Error ? cause.message : String(cause)}`;
}

async function textOf({ href, host }: URL, response: Response): Promise<string> {
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(
      `${host} answered ${response.status}${response.statusText === "" ? "" : ` ${response.statusText}`}.`,
    );
  }
  const type = response.headers.get("content-type") ?? "text/html";
  const bytes = await firstBytes(response);
  const isHtml = /html/i.test(type);
  if (!isHtml && bytes.includes(0)) throw new Error(`It is no text (${type}).`);
  const text = decoderFor(type).decode(bytes);
  const shown = isHtml ? await asMarkdown(text, href) : text;
  if (shown.trim() === "") throw new Error("There is no text in it.");
  return shown.trim();
}

/** What there is, as far as it is read. */
async function firstBytes({ body }: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    parts.push(part);
    size += part.length;
    if (size >= mostBytes) break;
  }
  return Buffer.concat(parts).subarray(0, mostBytes);
}

function decoderFor(type: string): InstanceType<typeof TextDecoder> {
  const [, charset = "utf-8"] = /charset="?([\w-]+)/i.exec(type) ?? [];
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

/** What the page is about, without the frame that all pages of a site have; all of it where nothing says what that is. */
async function asMarkdown(html: string, origin: string): Promise<string> {
  const { htmlToMarkdown, withMinimalPreset } = await import("@mdream/js");
  const read = html.slice(0, mostHtml);
  const main = htmlToMarkdown(read, withMinimalPreset({ origin }));
  return main.length < fewest ? htmlToMarkdown(read, { origin }) : main;
}
