// What an endpoint itself says that a request has cost, beside the tokens that it counts.
import type { Usage } from "../protocol/usage.ts";
import { countOf, recordOf, type WireRecord } from "./wireValue.ts";

/** The end of a reply as an endpoint counts it. */
export interface Report {
  readonly usage: Usage;
  /** US dollars; absent: the endpoint does not say. */
  readonly cost?: number;
  /** Tokens of thoughts that it does not count as output. */
  readonly beside?: number;
}

/** How xAI counts: so many make a US dollar. */
const ticks = 10_000_000_000;

/** Reads the counts of OpenRouter, LiteLLM and others that name dollars, and of xAI. An odd one reads as none. */
export function reportedCost(counts: WireRecord): Pick<Report, "cost"> {
  const inTicks = countOf(counts["cost_in_usd_ticks"]);
  const charged = inTicks === undefined ? countOf(counts["cost"]) : inTicks / ticks;
  // Whoever has lent a router a key of their own pays the maker beside it: the router's charge is then its fee alone.
  const isLent = counts["is_byok"] === true;
  const beside = isLent ? countOf(recordOf(counts["cost_details"])["upstream_inference_cost"]) : 0;
  return charged === undefined || beside === undefined ? {} : { cost: charged + beside };
}
