// What is known of models whose makers publish it: windows, prices, abilities. Data, read off the makers' own pages on the date below.
import type { Price } from "../engine/ports.ts";

/** What is known of a model. What is absent is not known. */
export interface ModelFacts {
  /** Tokens that it reads at once. */
  readonly window?: number;
  readonly price?: Price;
  readonly images?: boolean;
  readonly thinking?: boolean;
  readonly tools?: boolean;
}

/** When the facts below were last compared with their sources. */
export const knownSince = "2026-11-21";

/** In US dollars for a million tokens. */
type Dollars = readonly [input: number, cached: number, output: number, cacheWrite?: number];

const all = { images: true, thinking: true, tools: true } as const;
const million = { ...all, window: 1_000_000 } as const;
const gpt = { ...all, window: 1_050_000 } as const;

/** @param long what a request that is larger costs as a whole; null: it costs more, and how much is not known */
function price([input, cached, output, write]: Dollars, over?: number, long: Dollars | null = null): { price: Price } {
  const more = over === undefined ? {} : { long: { over, price: long && price(long).price } };
  return { price: { input, cached, output, ...(write !== undefined && { cacheWrite: write }), ...more } };
}

/** A quarter more for what is written to the cache: what Anthropic asks for keeping it for five minutes. */
function claude([input, cached, output]: Dollars): Dollars {
  return [input, cached, output, input * 1.25];
}

/** Twice for what is read, half as much again for what is written: what OpenAI asks for more than 272,000 tokens. */
function openai([input, cached, output]: Dollars): { price: Price } {
  return price([input, cached, output], 272_000, [input * 2, cached * 2, output * 1.5]);
}

const known: Readonly<Record<string, Readonly<Record<string, ModelFacts>>>> = {
  "api.anthropic.com": {
    "claude-fable-5-1": { ...million, ...price(claude([10, 0.25, 50])) },
    "claude-opus-5-5": { ...million, ...price(claude([4, 0.2, 20])) },
    "claude-opus-5": { ...million, ...price(claude([5, 0.5, 25])) },
    "claude-opus-4-8": { ...million, ...price(claude([5, 0.5, 25])) },
    "claude-opus-4-7": { ...all, ...price(claude([5, 0.5, 25])) },
    "claude-opus-4-6": { ...million, ...price(claude([5, 0.5, 25])) },
    "claude-opus-4-5": { ...all, window: 200_000, ...price(claude([5, 0.5, 25])) },
    "claude-sonnet-5-5": { ...million, ...price(claude([2, 0.1, 10])) },
    "claude-sonnet-5": { ...million, ...price(claude([2, 0.2, 10])) },
    "claude-sonnet-4-6": { ...all, ...price(claude([3, 0.3, 15])) },
    "claude-sonnet-4-5": { ...all, window: 200_000, ...price(claude([3, 0.3, 15])) },
    "claude-haiku-5-5": { ...million, ...price(claude([0.1, 0.01, 0.5]), 100_000, claude([0.5, 0.05, 2.5])) },
    "claude-haiku-4-5": { ...all, window: 200_000, ...price(claude([1, 0.1, 5])) },
  },
  "api.openai.com": {
    "gpt-6-astra": { ...gpt, ...price([10, 1, 50], 272_000) },
    "gpt-6.2-sol": { ...gpt, ...openai([2, 0.1, 10]) },
    "gpt-6.1-sol": { ...gpt, ...openai([2, 0.1, 10]) },
    "gpt-6-sol": { ...gpt, ...price([2, 0.2, 10], 272_000) },
    "gpt-6-luna": { ...gpt, ...price([0.1, 0.01, 0.5], 272_000) },
    "gpt-5.6-terra": { ...gpt, ...price([2, 0.2, 12], 272_000) },
    "gpt-5.6-luna": { ...gpt, ...openai([0.2, 0.02, 1.2]) },
    "gpt-5.4": { ...gpt, ...openai([2.5, 0.25, 15]) },
    "gpt-5.4-mini": { ...all, window: 400_000, ...price([0.75, 0.075, 4.5]) },
  },
};

/**
 * What is known of a model at its maker's own endpoint; names with a date at their end mean the same model.
 * @param host of the endpoint: the same name elsewhere may be another model, at another price
 */
export function knownModel(host: string, model: string): ModelFacts {
  const models = new Map(Object.entries(known[host.toLowerCase()] ?? {}));
  const name = model.trim().toLowerCase();
  return models.get(name) ?? models.get(name.replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, "")) ?? {};
}
