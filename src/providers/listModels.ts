// The models that an endpoint offers, by name.
import { LoopError } from "../protocol/errors.ts";
import { connect } from "./openaiClient.ts";
import { failureOf } from "./providerFailure.ts";
import { listOf, recordOf, textOf } from "./wireValue.ts";

/** Milliseconds after which a list that a person waits for is given up. */
const patience = 20_000;

/**
 * Asks for the models, in alphabetical order.
 * @throws LoopError as for a request; the signal's reason when it was aborted
 */
export async function listModels(
  { baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { host } = new URL(baseUrl);
  try {
    const client = await connect({ baseUrl, apiKey, expects: "json" });
    const page = await client.models.list({ signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]) });
    const names = listOf(page.data).map((model) => textOf(recordOf(model)["id"]));
    return names.filter((name) => name !== "").toSorted((a, b) => a.localeCompare(b));
  } catch (thrown) {
    signal.throwIfAborted();
    const endpoint = { host, apiKey, model: "its list of models", now: Date.now };
    const { failure } = failureOf(thrown, endpoint, "connecting");
    if (failure.code === "model_not_found")
      throw new LoopError("endpoint_unreachable", `${host} has no list of models at this address.`, { cause: thrown });
    throw new LoopError(failure.code, failure.message, { cause: thrown });
  }
}
