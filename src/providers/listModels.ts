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

/** For a person, in the place of a list that is empty. */
export const noDeployments =
  "Azure does not say which deployments this resource has: enter the name of one, as the Azure portal shows it.";

export interface ListedEndpoint {
  /** Absent: one that speaks OpenAI's forms. */
  readonly provider?: ProviderName;
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Sends requests; absent: the global one. */
  readonly fetch?: typeof fetch;
}

/**
 * Asks for the models, in alphabetical order; none where Azure does not tell its deployments.
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
  const isAzure = azureHost.test(new URL(endpoint.baseUrl).hostname);
  const deployed = isAzure ? await deployments(endpoint, signal).catch(() => []) : [];
  if (deployed.length > 0) return deployed;
  const client = await connect({ ...endpoint, expects: "json" });
  const { data } = await client.models.list({ signal });
  // Azure names all that could be deployed, which nobody can ask: it only shows that address and key are right.
  return isAzure ? [] : data;
}

/** Azure has this list for its own administration, and since 2023 in no description of this API. Empty where it does not say. */
async function deployments(endpoint: ListedEndpoint, signal: AbortSignal): Promise<readonly unknown[]> {
  const headers = { accept: "application/json", "api-key": endpoint.apiKey };
  const ask = endpointFetch({ ...endpoint, expects: "json", headers: Object.keys(headers) });
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
