// Servers on this machine or in its network: which they are, and a fetch that waits for them as long as they need.
import { request as plainRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as secureRequest } from "node:https";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import * as tls from "node:tls";

/** A server on this machine or in its network: it may read a prompt for minutes before it writes the first word. */
export function isAtHome(name: string): boolean {
  return (
    !/[.[]/.test(name) ||
    /^\[(::1\]|f[cd]|fe[89ab])/.test(name) ||
    /^(127|10|192\.168|172\.(1[6-9]|2\d|3[01])|169\.254)\./.test(name) ||
    /\.(local|lan|internal|home\.arpa)$/.test(name)
  );
}

/** Statuses of answers that have no body. */
const bare: ReadonlySet<number> = new Set([204, 205, 304]);

/** As `fetch`, which by itself gives up on a server that has sent nothing for five minutes. Follows no redirect. */
export const patientFetch: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const { signal, method } = request;
  const body = new Uint8Array(await request.arrayBuffer());
  const headers = Object.fromEntries(request.headers);
  try {
    const answer = await send(new URL(request.url), { method, headers, signal, agent: false }, body);
    const { statusCode: status = 500, statusMessage: statusText = "", rawHeaders } = answer;
    const pairs = rawHeaders.flatMap((name, at): [string, string][] =>
      at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ""]] : [],
    );
    return new Response(bare.has(status) ? null : streamOf(answer), { status, statusText, headers: pairs });
  } catch (error) {
    signal.throwIfAborted();
    throw new TypeError("fetch failed", { cause: error });
  }
};

function send(url: URL, options: RequestOptions, body: Uint8Array): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request =
      url.protocol === "https:"
        ? secureRequest(url, { ...options, ca: trusted() }, resolve)
        : plainRequest(url, options, resolve);
    request.on("error", reject).end(body);
  });
}

let known: string[] | undefined;

/** A company's own servers have certificates that only its machines know. Undefined: Node 20 cannot tell, and takes its own. */
function trusted(): string[] | undefined {
  if (!("getCACertificates" in tls)) return undefined;
  known ??= [...tls.getCACertificates("default"), ...tls.getCACertificates("system")];
  return known;
}

function streamOf(answer: IncomingMessage): ReadableStream<Uint8Array> {
  return Readable.toWeb(answer);
}
