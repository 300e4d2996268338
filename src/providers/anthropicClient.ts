// The `@anthropic-ai/sdk` library, loaded when first needed and cut off from this machine's environment and profile files.
import { endpointFetch } from "./endpointFetch.ts";
import type { MessagesBody } from "./anthropicRequest.ts";
import { unfoldMessage } from "./wholeReply.ts";
import { isRecord } from "./wireValue.ts";

export interface ClientOptions {
  /** With or without `/v1` at its end. */
  readonly baseUrl: string;
  /** `""` for servers without keys. */
  readonly apiKey: string;
  /** Told whenever bytes of the answer arrive, comments and pings included. */
  readonly onBytes: () => void;
}

/** Sends one request; gives the events of its stream, each as the server wrote it. Throws what `failureOf` reads. */
export type SendMessages = (body: MessagesBody, signal: AbortSignal) => Promise<AsyncIterable<unknown>>;

/** The longest a timer can be: the library's own timeout ends before the first token of a slow model, ours does not. */
const never = 2 ** 31 - 1;

/** The version that compatible servers know as well; later ones only take things away that are not sent here. */
const version = "2023-06-01";

const sent = ["accept", "anthropic-version", "content-type", "user-agent", "x-api-key"];

/** Makes a sender for one endpoint. Nothing is tried again in secret. */
export async function connect({ baseUrl, apiKey, onBytes }: ClientOptions): Promise<SendMessages> {
  const [{ default: Client }, { Stream }] = await Promise.all([
    import("@anthropic-ai/sdk"),
    import("@anthropic-ai/sdk/core/streaming"),
  ]);
  const client = new Client({
    // A credential given in code keeps the library from looking for others; it would travel in a header that is not sent.
    apiKey: "none",
    defaultHeaders: { "anthropic-version": version, "x-api-key": apiKey === "" ? null : apiKey },
    baseURL: baseUrl.replace(/\/+$/, "").replace(/\/v1$/, ""),
    maxRetries: 0,
    timeout: never,
    logLevel: "off",
    openTelemetry: false,
    fetch: endpointFetch({ baseUrl, expects: unfoldMessage, headers: sent, onBytes }),
  });
  return async (body, signal) => {
    const response = await client.post("/v1/messages", { body, signal, stream: true }).asResponse();
    return eventsOf(Stream.rawEvents(response));
  };
}

/** Not the library's own reading, which drops every event that a server sends without a name. */
async function* eventsOf(stream: AsyncIterable<{ event: string | null; data: string }>): AsyncGenerator {
  for await (const { event, data } of stream) {
    if (data === "" || data === "[DONE]") continue;
    if (event === "error") yield { type: "error", error: errorIn(data) };
    else yield JSON.parse(data);
  }
}

function errorIn(data: string): unknown {
  try {
    const body: unknown = JSON.parse(data);
    return isRecord(body) ? (body["error"] ?? body) : data;
  } catch {
    return data;
  }
}
