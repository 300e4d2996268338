// The fetch that client libraries are given: sends chosen headers only, tells of arriving bytes, and makes readable errors of odd answers.
import { LoopError } from "../protocol/errors.ts";
import { isRecord, recordOf, textOf } from "./wireValue.ts";

export interface FetchOptions {
  readonly baseUrl: string;
  /** What the answer must be; anything else under a good status is an error. */
  readonly expects: "stream" | "json";
  /** Names in lower case. Libraries add headers of their own, and those of environment variables: they stay here. */
  readonly headers: readonly string[];
  /** Told whenever bytes of the answer arrive, comments and pings included. */
  readonly onBytes?: () => void;
}

/** Makes the fetch. The error of a refusal is always in `error.message` of its JSON, wherever the server put it. */
export function endpointFetch(options: FetchOptions): typeof fetch {
  return async (input, init) => {
    const given = new Headers(init?.headers);
    const headers = options.headers.flatMap((name): [string, string][] => {
      const value = given.get(name);
      return value === null ? [] : [[name, value]];
    });
    const response = await fetch(input, { ...init, headers, redirect: "manual" });
    options.onBytes?.();
    refuseRedirect(response, options.baseUrl);
    if (!response.ok) return withError(response);
    await requireKind(response, options);
    if (!options.onBytes || !response.body) return response;
    return new Response(response.body.pipeThrough(told(options.onBytes)), response);
  };
}

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
    transform(bytes, controller) {
      onBytes();
      controller.enqueue(bytes);
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
  const body = parsed(text);
  if (!isRecord(body)) return { message: text };
  const error = body["error"] ?? body;
  return isRecord(error) ? error : { message: textOf(error) };
}

async function requireKind(response: Response, { baseUrl, expects }: FetchOptions): Promise<void> {
  const type = response.headers.get("content-type") ?? "";
  const { host } = new URL(baseUrl);
  if (type.includes("html"))
    throw new LoopError("reply_malformed", `${host} answered with a web page: is ${baseUrl} the address of its API?`);
  if (expects === "json" || !type.includes("json")) return;
  const said = textOf(recordOf(recordOf(parsed(await response.text()))["error"])["message"]).slice(0, 200);
  const because = said === "" ? "." : `: ${said}`;
  throw new LoopError("reply_malformed", `${host} answered without a stream${because}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
