// The models that an endpoint offers, by name.
import type { ProviderName } from "../protocol/config.ts";
import { LoopError } from "../protocol/errors.ts";
import { endpointFetch } from "./endpointFetch.ts";
import { connect } from "./openaiClient.ts";
import { azureHost } from "./presets.ts";
import { failureOf } from "./providerFailure.ts";
import { listOf, recordOf, textOf } from "./wireValue.ts";

/** Milliseconds after which a list that a person waits for is given up. */
const patience = 20_000;

export interface ListedEndpoint {
  /** Absent: one that speaks OpenAI's forms. */
  readonly provider?: ProviderName;
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Sends requests; absent: the global one. */
  readonly fetch?: typeof fetch;
}

/**
 * Asks for the models, in alphabetical order.
 * @throws LoopError as for a request; the signal's reason when it was aborted
 */
export async function listModels(endpoint: ListedEndpoint, signal: AbortSignal): Promise<readonly string[]> {
  const { baseUrl, apiKey, provider } = endpoint;
  const { host } = new URL(baseUrl);
  const limited = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
  try {
    const listed = await (provider === "anthropic"
      ? listOfAnthropic(endpoint, limited)
      : listOfOpenai(endpoint, limited));
    const names = listOf(listed).map((model) => textOf(recordOf(model)["id"]));
    return names.filter((name) => name !== "").toSorted((a, b) => a.localeCompare(b));
  } catch (thrown) {
    signal.throwIfAborted();
    const { failure } = failureOf(thrown, { host, apiKey, model: "its list of models", now: Date.now }, "connecting");
    if (failure.code === "model_not_found")
      throw new LoopError("endpoint_unreachable", `${host} has no list of models at this address.`, { cause: thrown });
    throw new LoopError(failure.code, failure.message, { cause: thrown });
  }
}

async function listOfOpenai(endpoint: ListedEndpoint, signal: AbortSignal): Promise<unknown> {
  const deployed = azureHost.test(new URL(endpoint.baseUrl).hostname) ? await deployments(endpoint, signal) : [];
  if (deployed.length > 0) return deployed;
  const client = await connect({ ...endpoint, expects: "json" });
  return (await client.models.list({ signal })).data;
}

/** What can be asked at Azure: its list of models names all that could be deployed. Empty where it does not say. */
async function deployments(endpoint: ListedEndpoint, signal: AbortSignal): Promise<readonly unknown[]> {
  const headers = { accept: "application/json", "api-key": endpoint.apiKey };
  const ask = endpointFetch({ ...endpoint, expects: "json", headers: Object.keys(headers) });
  // Later versions of that API have no such list.
  const place = new URL("/openai/deployments?api-version=2023-03-15-preview", endpoint.baseUrl);
  const response = await ask(place, { headers, signal });
  return response.ok ? listOf(recordOf(await response.json())["data"]) : [];
}

async function listOfAnthropic(endpoint: ListedEndpoint, signal: AbortSignal): Promise<unknown> {
  const { baseUrl, apiKey } = endpoint;
  const headers = { accept: "application/json", "anthropic-version": "2023-06-01", "x-api-key": apiKey };
  const ask = endpointFetch({ ...endpoint, expects: "json", headers: Object.keys(headers) });
  const response = await ask(`${baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1/models?limit=1000`, {
    headers,
    signal,
  });
  const body = recordOf(await response.json());
  if (!response.ok) throw Object.assign(new Error("refused"), { status: response.status, error: body["error"] });
  return body["data"];
}
