// The demo model behind a real Chat Completions endpoint on loopback, so that nothing in the product knows that it is scripted.
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { DemoRequest } from "./conversation.ts";
import { demoReply } from "./script.ts";
import { chunksOf } from "./wire.ts";

export interface Demo {
  /** Where the endpoint is, with its `/v1`. */
  readonly baseUrl: string;
  /** Ends the server and what it is still sending. */
  close(): Promise<void>;
}

/** Longest request taken, in bytes. */
const longest = 64 * 1024 * 1024;

const Body = DemoRequest.extend({
  stream: z.literal(true, "the demo only streams"),
  stream_options: z.object({ include_usage: z.boolean().optional() }).nullish(),
});

/**
 * Starts the demo on a free port of 127.0.0.1.
 * @param options `pace`: milliseconds between two pieces of a reply
 */
export async function startDemo({ pace = 15 }: { readonly pace?: number } = {}): Promise<Demo> {
  const server = createServer((request, response) => {
    respond(request, response, pace).catch(() => response.destroy());
  });
  // It must not keep a program alive that has nothing else to do.
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(request: IncomingMessage, response: ServerResponse, pace: number): Promise<void> {
  const route = `${request.method} ${new URL(request.url ?? "/", "http://127.0.0.1").pathname}`;
  if (route === "GET /v1/models")
    return sendJson(response, 200, {
      object: "list",
      data: [{ id: "demo", object: "model", created: 0, owned_by: "brain" }],
    });
  if (route !== "POST /v1/chat/completions") return refuse(response, 404, `There is no ${route} here.`);
  const text = await readText(request);
  if (text === null) return refuse(response, 413, "The request is too long.");
  const body = Body.safeParse(parsed(text));
  if (!body.success) return refuse(response, 400, z.prettifyError(body.error));
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  const chunks = chunksOf(demoReply(body.data), {
    id: `chatcmpl-${randomUUID()}`,
    newId: () => `call_${randomUUID().replaceAll("-", "")}`,
    created: Math.floor(Date.now() / 1000),
    asked: text.length,
    includeUsage: body.data.stream_options?.include_usage === true,
  });
  for (const chunk of chunks) {
    if (response.destroyed) return;
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    if (pace > 0) await pause(pace);
  }
  response.end("data: [DONE]\n\n");
}

/** Null when it is too long. */
async function readText(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    const bytes = Buffer.from(part);
    size += bytes.length;
    if (size > longest) return null;
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString("utf8");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refuse(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, { error: { message, type: "invalid_request_error" } });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
