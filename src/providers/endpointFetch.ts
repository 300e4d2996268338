// The fetch that client libraries are given: sends chosen headers only, tells of arriving bytes, and makes readable errors of odd answers.
import { setImmediate } from "node:timers/promises";
import { LoopError } from "../protocol/errors.ts";
import type { Unfold } from "./wholeReply.ts";
import { isRecord, recordOf, textOf, type WireRecord } from "./wireValue.ts";

export interface FetchOptions {
  readonly baseUrl: string;
  /** What the answer must be; anything else under a good status is an error. A function reads one that comes whole instead of streamed. */
  readonly expects: Unfold | "json";
  /** Names in lower case. Libraries add headers of their own, and those of environment variables: they stay here. */
  readonly headers: readonly string[];
  /** Sends what is left; absent: the global one. */
  readonly fetch?: typeof fetch;
  /** Told whenever bytes of the answer arrive, comments and pings included. */
  readonly onBytes?: () => void;
}

/** Makes the fetch. The error of a refusal is always in `error.message` of its JSON, wherever the server put it. */
export function endpointFetch(options: FetchOptions): typeof fetch {
  const send = options.fetch ?? fetch;
  return async (input, init) => {
    const given = new Headers(init?.headers);
    const headers = options.headers.flatMap((name): [string, string][] => {
      const value = given.get(name);
      return value === null ? [] : [[name, value]];
    });
    const response = heard(await send(input, { ...init, headers, redirect: "manual" }), options);
    options.onBytes?.();
    refuseRedirect(response, options.baseUrl);
    if (!response.ok) return withError(response);
    return (await wholeAnswer(response, options)) ?? response;
  };
}

function heard(response: Response, { onBytes }: FetchOptions): Response {
  return onBytes && response.body ? new Response(response.body.pipeThrough(told(onBytes)), response) : response;
}

/** Bytes that are read before everything else has its turn: a burst of a fast endpoint would hold it up. */
const atOnce = 16_384;

/** A key is for one host: what would lead to another is not followed. */
function refuseRedirect({ status, headers }: Response, baseUrl: string): void {
  if (status < 300 || status >= 400) return;
  const { host } = new URL(baseUrl);
  const there = URL.parse(headers.get("location") ?? "", baseUrl)?.origin ?? "another address";
  throw new LoopError(
    "endpoint_unreachable",
    `${host} sends requests on to ${there}. Your key stays here: if that is right, set that address.`,
  );
}

function told(onBytes: () => void): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  return new TransformStream({
    async transform(bytes, controller) {
      onBytes();
      for (let from = 0; from < bytes.length; from += atOnce) {
        controller.enqueue(bytes.subarray(from, from + atOnce));
        await setImmediate();
      }
    },
  });
}

/** Libraries keep only `error` of a refusal; servers also put their reason elsewhere. */
async function withError(response: Response): Promise<Response> {
  const text = await response.text();
  const { status, headers } = response;
  return new Response(JSON.stringify({ error: errorIn(text) }), { status, headers: new Headers([...headers]) });
}

function errorIn(text: string): unknown {
  const said = parsed(text);
  const body: unknown = Array.isArray(said) ? said[0] : said;
  if (!isRecord(body)) return { message: text };
  const error = body["error"] ?? body;
  return isRecord(error) ? error : { message: textOf(error) };
}

/** Some servers do not stream, whatever they are asked for. @returns null for an answer that is as it was asked for */
async function wholeAnswer(response: Response, { baseUrl, expects }: FetchOptions): Promise<Response | null> {
  const type = response.headers.get("content-type") ?? "";
  const { host } = new URL(baseUrl);
  if (type.includes("html"))
    throw new LoopError(
      "endpoint_unreachable",
      `${host} answered with a web page: is ${baseUrl} the address of its API?`,
    );
  if (expects === "json" || !type.includes("json")) return null;
  const text = await response.text();
  const body = recordOf(parsed(text));
  const events = isRecord(body["error"]) ? null : expects(body);
  if (events) return asStream(events);
  const said = textOf(recordOf(errorIn(text))["message"]);
  const because = said === "" ? "." : `: ${said}`;
  // LM Studio's word, under a good status, for a path that it does not know.
  const code = /unexpected endpoint/i.test(said) ? "endpoint_unreachable" : "reply_malformed";
  throw new LoopError(code, `${host} answered without a stream${because}`);
}

function asStream(events: readonly WireRecord[]): Response {
  const frames = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  return new Response(frames, { headers: { "content-type": "text/event-stream" } });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
