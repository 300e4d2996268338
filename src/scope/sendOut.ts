// One request of a tool to a server: by the way that was allowed, never on to another place, and with an answer of a limited size.
import { request as requestPlain, type IncomingMessage, type RequestOptions } from "node:http";
import { request as requestSecure } from "node:https";
import { bare, findWay, lookUpInSystem, type AskHost, type LookUp } from "./hostWay.ts";

export interface OutRequest {
  readonly method: string;
  /** http or https, without user and password. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export type OutAnswer =
  | {
      readonly kind: "answered";
      readonly status: number;
      /** As the server names it; may be empty. */
      readonly type: string;
      /** Where the server sends the request on to. */
      readonly location: string | null;
      readonly body: Buffer;
      /** The answer was longer than the limit: this is its beginning. */
      readonly cut: boolean;
    }
  /** `why`: the end of a sentence. Nothing was sent. */
  | { readonly kind: "refused"; readonly why: string }
  /** `why`: the end of a sentence. */
  | { readonly kind: "failed"; readonly why: string };

interface Sending {
  readonly ask: AskHost;
  /** Bytes of the answer. */
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly lookUp?: LookUp;
}

/** Sends it, once its host may be reached. Follows nothing. Never rejects. */
export async function sendOut(sent: OutRequest, { ask, limit, signal, lookUp }: Sending): Promise<OutAnswer> {
  const { url } = sent;
  const host = url.hostname.replace(/\.+$/, "");
  const isSecure = url.protocol === "https:";
  const port = Number(url.port === "" ? (isSecure ? 443 : 80) : url.port);
  const way = await findWay({ host, port }, ask, lookUp ?? lookUpInSystem);
  if (way.kind === "closed") return { kind: "refused", why: way.why };
  if (signal.aborted) return { kind: "refused", why: "it was stopped" };
  const { method, headers, body } = sent;
  const options: RequestOptions = {
    method,
    // The address is fixed by what was allowed, and no connection outlives the request.
    lookup: way.lookup,
    agent: false,
    host: bare(host),
    port,
    path: `${url.pathname}${url.search}`,
    headers: {
      host: url.host,
      "accept-encoding": "identity",
      ...headers,
      ...(body !== null && { "content-length": String(Buffer.byteLength(body)) }),
    },
    signal,
  };
  return exchange(options, { isSecure, body, limit });
}

function exchange(
  options: RequestOptions,
  { isSecure, body, limit }: { readonly isSecure: boolean; readonly body: string | null; readonly limit: number },
): Promise<OutAnswer> {
  return new Promise((resolve) => {
    const failed = (error: Error & { code?: string }): void => resolve({ kind: "failed", why: reasonOf(error) });
    try {
      const asked = (isSecure ? requestSecure : requestPlain)(options, (reply) => {
        void collect(reply, limit).then(resolve, failed);
      });
      asked.on("error", failed);
      asked.end(body ?? undefined);
    } catch (error) {
      // A header that cannot be sent is told before anything goes out.
      failed(error instanceof Error ? error : new Error(String(error)));
    }
  });
}

async function collect(reply: IncomingMessage, limit: number): Promise<OutAnswer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of reply) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    size += bytes.length;
    // Leaving the loop ends the connection.
    if (size > limit) break;
  }
  const { statusCode: status = 0, headers } = reply;
  const { "content-type": type = "", location = null } = headers;
  const body = Buffer.concat(chunks).subarray(0, limit);
  return { kind: "answered", status, type, location, body, cut: size > limit };
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing answers there",
  ECONNRESET: "the connection was broken off",
  ETIMEDOUT: "it does not answer",
  ABORT_ERR: "it was stopped",
};

function reasonOf({ code = "", message }: Error & { code?: string }): string {
  return Object.hasOwn(reasons, code) ? (reasons[code] ?? message) : message;
}
