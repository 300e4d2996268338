// What an endpoint itself says of one of its models: its real window, its price, what it can do. Each kind of server has its own place for that.
import type { Price } from "../engine/ports.ts";
import { endpointFetch } from "./endpointFetch.ts";
import type { ModelFacts } from "./knownModels.ts";
import { isRecord, listOf, numberOf, recordOf, textOf, type WireRecord } from "./wireValue.ts";

export interface Discovered {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
}

/** Milliseconds after which a place that does not answer is given up. */
const patience = 4_000;

/**
 * Asks a server that speaks OpenAI's forms in all the places where its kind may keep what it knows of a model.
 * Never throws: what nobody says stays unknown.
 */
export async function discoverModel(endpoint: Discovered, signal: AbortSignal): Promise<ModelFacts> {
  const { baseUrl, model } = endpoint;
  const base = baseUrl.replace(/\/+$/, "");
  const root = base.replace(/\/v1$/, "");
  const ask = asker(endpoint, AbortSignal.any([signal, AbortSignal.timeout(patience)]));
  const [listed, show, running, studio, props] = await Promise.all([
    ask(`${base}/models`),
    ask(`${root}/api/show`, { model }),
    ask(`${root}/api/ps`),
    ask(`${root}/api/v0/models`),
    ask(`${root}/props`),
  ]);
  return merged([
    ofList(named(listed["data"], model)),
    ofOllama(show, named(running["models"], model)),
    ofStudio(named(studio["data"], model)),
    ofLlama(props),
  ]);
}

type Ask = (address: string, body?: WireRecord) => Promise<WireRecord>;

function asker({ baseUrl, apiKey }: Discovered, signal: AbortSignal): Ask {
  const headers = {
    accept: "application/json",
    "content-type": "application/json",
    ...(apiKey !== "" && { authorization: `Bearer ${apiKey}` }),
  };
  const ask = endpointFetch({ baseUrl, expects: "json", headers: Object.keys(headers) });
  return async (address, body) => {
    try {
      const sent = body && { method: "POST", body: JSON.stringify(body) };
      const response = await ask(address, { headers, signal, ...sent });
      return response.ok ? recordOf(await response.json()) : {};
    } catch {
      return {};
    }
  };
}

function named(list: unknown, model: string): WireRecord {
  const isIt = (one: WireRecord): boolean => [one["id"], one["name"], one["model"]].some((name) => name === model);
  return listOf(list).map(recordOf).find(isIt) ?? {};
}

/** Of vLLM, OpenRouter, Groq and Mistral, whose lists say more than names. */
function ofList(entry: WireRecord): ModelFacts {
  const inputs = listOf(recordOf(entry["architecture"])["input_modalities"]);
  const takes = listOf(entry["supported_parameters"]);
  const can = recordOf(entry["capabilities"]);
  return {
    ...windowOf(
      entry["max_model_len"] ?? entry["context_length"] ?? entry["context_window"] ?? entry["max_context_length"],
    ),
    ...priceOf(recordOf(entry["pricing"])),
    ...(typeof can["function_calling"] === "boolean" && { tools: can["function_calling"] }),
    ...(typeof can["vision"] === "boolean" && { images: can["vision"] }),
    ...(inputs.length > 0 && { images: inputs.includes("image") }),
    ...(takes.length > 0 && { tools: takes.includes("tools"), thinking: takes.includes("reasoning") }),
  };
}

/** A model that runs has the window that it was given; what it could have at most says nothing of that. */
function ofOllama(show: WireRecord, running: WireRecord): ModelFacts {
  const given = /^\s*num_ctx\s+(\d+)/m.exec(textOf(show["parameters"]))?.[1];
  const can = listOf(show["capabilities"]);
  return {
    ...windowOf(running["context_length"] ?? (given === undefined ? undefined : Number(given))),
    ...(can.length > 0 && {
      tools: can.includes("tools"),
      images: can.includes("vision"),
      thinking: can.includes("thinking"),
    }),
  };
}

/** Of LM Studio. */
function ofStudio(entry: WireRecord): ModelFacts {
  const can = entry["capabilities"];
  return {
    ...windowOf(entry["loaded_context_length"]),
    ...(textOf(entry["type"]) !== "" && { images: entry["type"] === "vlm" }),
    ...(Array.isArray(can) && { tools: can.includes("tool_use") }),
  };
}

/** Of llama.cpp, which has one model. */
function ofLlama(props: WireRecord): ModelFacts {
  const sees = recordOf(props["modalities"])["vision"];
  return {
    ...windowOf(recordOf(props["default_generation_settings"])["n_ctx"]),
    ...(typeof sees === "boolean" && { images: sees }),
  };
}

function windowOf(value: unknown): Pick<ModelFacts, "window"> {
  const window = numberOf(value) ?? 0;
  return window > 0 ? { window } : {};
}

/** Dollars for one token, as text. Prices that depend on anything are below zero there. */
function priceOf({ prompt, completion, input_cache_read: kept, input_cache_write: write }: WireRecord): {
  price?: Price;
} {
  const [input, output] = [perMillion(prompt), perMillion(completion)];
  if (input === undefined || output === undefined) return {};
  const [cached, cacheWrite] = [perMillion(kept), perMillion(write)];
  return {
    price: { input, output, ...(cached !== undefined && { cached }), ...(cacheWrite !== undefined && { cacheWrite }) },
  };
}

function perMillion(value: unknown): number | undefined {
  const dollars = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
  return dollars >= 0 ? Math.round(dollars * 1e12) / 1e6 : undefined;
}

function merged(all: readonly ModelFacts[]): ModelFacts {
  return all.reduce((before, facts) => ({ ...before, ...facts }), {});
}

/** Reads facts that were kept; what is not of their form is left out. */
export function storedFacts(value: unknown): ModelFacts {
  if (!isRecord(value)) return {};
  const { window, price, images, thinking, tools } = value;
  const { input, output, cached, cacheWrite } = recordOf(price);
  return {
    ...windowOf(window),
    ...(typeof input === "number" &&
      typeof output === "number" && {
        price: {
          input,
          output,
          ...(typeof cached === "number" && { cached }),
          ...(typeof cacheWrite === "number" && { cacheWrite }),
        },
      }),
    ...(typeof images === "boolean" && { images }),
    ...(typeof thinking === "boolean" && { thinking }),
    ...(typeof tools === "boolean" && { tools }),
  };
}
