// The `openai` library, loaded when first needed and cut off from this machine's environment.
import type { OpenAI } from "openai";
import { LoopError } from "../protocol/errors.ts";
import { isRecord, recordOf, textOf } from "./wireValue.ts";

export interface ClientOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** What the answer must be; anything else under a good status is an error. */
  readonly expects: "stream" | "json";
  /** Told whenever bytes of the answer arrive, comments and pings included. */
  readonly onBytes?: () => void;
}

/** The longest a timer can be: the library's own timeout ends before the first token of a slow model, ours does not. */
const never = 2 ** 31 - 1;

/**
 * Makes a client for one endpoint. Nothing is taken from `OPENAI_*` variables, and nothing is tried again in secret.
 * Requests throw what `failureOf` reads.
 */
export async function connect(options: ClientOptions): Promise<OpenAI> {
  const { default: Client } = await import("openai");
  return new Client({
    apiKey: options.apiKey === "" ? "none" : options.apiKey,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: options.baseUrl,
    maxRetries: 0,
    timeout: never,
    logLevel: "off",
    fetch: (input, init) => send(input, init, options),
  });
}

// The library adds headers of its own and those of OPENAI_CUSTOM_HEADERS.
const sent = ["accept", "authorization", "content-type", "user-agent"];

async function send(
  input: string | URL | Request,
  init: RequestInit | undefined,
  options: ClientOptions,
): Promise<Response> {
  const given = new Headers(init?.headers);
  const headers = sent.flatMap((name): [string, string][] => {
    const value = given.get(name);
    return value === null ? [] : [[name, value]];
  });
  const response = await fetch(input, { ...init, headers });
  options.onBytes?.();
  if (!response.ok) return withError(response);
  await requireKind(response, options);
  if (!options.onBytes || !response.body) return response;
  return new Response(response.body.pipeThrough(told(options.onBytes)), response);
}

function told(onBytes: () => void): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  return new TransformStream({
    transform(bytes, controller) {
      onBytes();
      controller.enqueue(bytes);
    },
  });
}

/** The library keeps only `error` of a refusal; servers also put their reason elsewhere. */
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

async function requireKind(response: Response, { baseUrl, expects }: ClientOptions): Promise<void> {
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
