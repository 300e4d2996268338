// A server on loopback that answers by path, for what is asked beside replies: lists of models, what a server knows of them, redirects.
import { createServer, type IncomingHttpHeaders } from "node:http";

export interface JsonAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Never answers. */
  readonly hangs?: true;
}

/** By method and path, such as `GET /v1/models`; of a list each request gets the next, and the last answers all further ones. */
export type JsonAnswers = Readonly<Record<string, JsonAnswer | readonly JsonAnswer[]>>;

export interface JsonServer {
  /** Without a path. */
  readonly root: string;
  readonly asked: readonly { readonly what: string; readonly headers: IncomingHttpHeaders; readonly body: string }[];
  close(): Promise<void>;
}

const none: JsonAnswer = { status: 404, body: { error: "none" } };

/** A text body is sent as it is, everything else as JSON; 404 for what has no answer. */
export async function startJson(answers: JsonAnswers): Promise<JsonServer> {
  const asked: { what: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => (body += part));
    request.on("end", () => {
      const what = `${request.method} ${request.url?.split("?")[0]}`;
      const before = asked.filter((one) => one.what === what).length;
      asked.push({ what, headers: request.headers, body });
      const list = [answers[what] ?? none].flat();
      const { status = 200, headers, body: answer, hangs } = list[Math.min(before, list.length - 1)] ?? none;
      if (hangs) return;
      const isText = typeof answer === "string";
      const type = isText && answer.startsWith("data:") ? "text/event-stream" : "application/json";
      response.writeHead(status, { "content-type": type, ...headers });
      response.end(isText ? answer : JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  return {
    root: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
