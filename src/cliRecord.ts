// `brain run --record FILE` and `--answers FILE`: what the endpoint said is written down, or said again in its place.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import type { BrainOptions } from "./headless.ts";
import { providerNames } from "./protocol/config.ts";
import { readRecord, recordingFetch } from "./providers/recorded.ts";
import { maskSecrets } from "./scope/secrets.ts";

export const recordHelp = `      --record FILE           write down what is sent to the endpoint and what it answers, without keys
      --answers FILE          take the answers from such a record instead of asking an endpoint
`;

type Endpoint = Pick<BrainOptions, "provider" | "baseUrl" | "model" | "apiKey" | "fetch">;

/** The endpoint with its exchanges written down. A file that is there already is replaced. Throws where it cannot be written. */
export function recorded(file: string, endpoint: Endpoint): Endpoint {
  const { provider, baseUrl, model, apiKey = "", fetch: send = fetch } = endpoint;
  const scrub = (text: string): string => maskSecrets(apiKey === "" ? text : text.replaceAll(apiKey, "[key]"));
  writeFileSync(file, `${JSON.stringify({ type: "setup", provider, baseUrl, model })}\n`, { mode: 0o600 });
  const write = (line: string): void => appendFileSync(file, `${line}\n`);
  return { ...endpoint, fetch: recordingFetch(send, { write, scrub, now: Date.now }) };
}

/** An endpoint made of a record. Throws an Error with a sentence for a file that is none. */
export function answersIn(file: string, endpoint: Endpoint): Endpoint {
  const { setup, fetch: answer } = readRecord(readFileSync(file, "utf8"));
  const provider = providerNames.find((name) => name === setup?.provider) ?? endpoint.provider;
  const known = setup ? { baseUrl: setup.baseUrl, model: setup.model } : {};
  // Nobody checks the key.
  return { ...endpoint, ...known, ...(provider && { provider }), apiKey: "recorded", fetch: answer };
}
