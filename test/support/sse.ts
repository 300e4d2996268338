// A scripted raw HTTP server on loopback: answers each request with the next script, byte for byte, and keeps what was asked.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";

export interface Script {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent one after the other, each as a write of its own. */
  readonly parts?: readonly (string | Uint8Array)[];
  /** Sent after them, each as it comes. */
  readonly later?: AsyncIterable<string>;
  /** Milliseconds between two parts. */
  readonly pause?: number;
  /** `end` closes properly, `reset` cuts the connection, `hang` sends nothing more. */
  readonly ending?: "end" | "reset" | "hang";
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface SseServer {
  /** Its address with `/v1`. */
  readonly baseUrl: string;
  readonly asked: readonly Asked[];
  /** How many connections of answered requests were closed by the other side before the answer's end. */
  readonly dropped: () => number;
  close(): Promise<void>;
}

/** Starts a server; the last script answers all further requests. */
export async function startSse(...scripts: readonly Script[]): Promise<SseServer> {
  const asked: Asked[] = [];
  let dropped = 0;
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => {
      body += part;
    });
    response.on("close", () => {
      if (!response.writableFinished) dropped += 1;
    });
    request.on("end", () => {
      const script = scripts[Math.min(asked.length, scripts.length - 1)] ?? {};
      asked.push({ method: request.method ?? "", path: request.url ?? "", headers: request.headers, body });
      void play(script, response);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  return {
    baseUrl: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/v1`,
    asked,
    dropped: () => dropped,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function play(
  { status = 200, headers, parts = [], later, ending = "end", pause = 0 }: Script,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(status, { "content-type": "text/event-stream", ...headers });
  response.flushHeaders();
  for (const part of parts) {
    if (response.destroyed) return;
    response.write(part);
    await new Promise((resolve) => {
      if (pause > 0) setTimeout(resolve, pause);
      else setImmediate(resolve);
    });
  }
  for await (const part of later ?? []) response.write(part);
  if (ending === "end") response.end();
  // Long enough for what was written to be on its way.
  if (ending === "reset") setTimeout(() => response.socket?.resetAndDestroy(), 30);
}

/** Frames JSON values as events of a stream, `[DONE]` last. */
export function frames(chunks: readonly unknown[]): string {
  return [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((data) => `data: ${data}\n\n`).join("");
}

/** Cuts bytes at the given places, wherever they fall. */
export function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = [0, ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end));
}
