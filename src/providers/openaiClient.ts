// The `openai` library, loaded when first needed and cut off from this machine's environment.
import type { OpenAI } from "openai";
import { endpointFetch } from "./endpointFetch.ts";
import type { Unfold } from "./wholeReply.ts";

export interface ClientOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** What the answer must be; anything else under a good status is an error. A function reads one that comes whole instead of streamed. */
  readonly expects: Unfold | "json";
  /** Told whenever bytes of the answer arrive, comments and pings included. */
  readonly onBytes?: () => void;
}

/** The longest a timer can be: the library's own timeout ends before the first token of a slow model, ours does not. */
const never = 2 ** 31 - 1;

const sent = ["accept", "authorization", "content-type", "user-agent"];

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
    fetch: endpointFetch({ ...options, headers: sent }),
  });
}
