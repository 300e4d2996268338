// What a run may use up: rounds, time, tokens and money; its own, and what is left of the run that it is part of.
import type { PauseReason } from "../protocol/messages.ts";
import type { RequestRecord, Usage } from "../protocol/usage.ts";
import { addUsage, noUsage } from "../protocol/usage.ts";
import type { Price } from "./ports.ts";
import type { Reply, Try } from "./request.ts";
import type { Running } from "./running.ts";

/** 0: no limit. */
export interface Limits {
  readonly rounds: number;
  readonly tokens: number;
  /** US dollars. */
  readonly cost: number;
  /** Milliseconds: only for the sentence; a deadline calls `late`. */
  readonly time: number;
}

/** A limit that has been reached. */
export interface Reached {
  readonly reason: PauseReason;
  /** What was reached, in one sentence. */
  readonly message: string;
  /** Allows as much again. */
  readonly extend: () => void;
  /** Nothing more is to be begun: a person has chosen to end with a summary. */
  readonly close: () => void;
}

export interface Spent {
  readonly usage: Usage;
  /** US dollars; absent: the price of some of it is not known, or nobody said what was used. */
  readonly cost?: number;
}

export interface Budget {
  /** Everything used, by delegates too. */
  readonly spent: () => Spent;
  readonly round: () => void;
  /** @param dollars what it cost; null: not known */
  readonly spend: (usage: Usage, dollars: number | null) => void;
  /** The time is up. */
  readonly late: () => void;
  /** Its own limits first, then those of the run that it is part of. */
  readonly reached: () => Reached | null;
  readonly closing: () => boolean;
}

interface BudgetOptions {
  readonly limits: Limits;
  /** Of the run's own model. */
  readonly price: Price | undefined;
  /** Told when a person has allowed as much time again. */
  readonly moreTime: () => void;
  readonly parent?: Budget;
}

/** @param options `parent`: the budget of the run that this one works for; what is spent here is spent there too */
export function createBudget({ limits, price, moreTime, parent }: BudgetOptions): Budget {
  const allowed = { ...limits };
  let usage = noUsage;
  let cost = 0;
  let isKnown = true;
  let rounds = 0;
  let isLate = false;
  let isClosing = false;
  const tokens = (): number => usage.input + usage.output;
  const close = (): void => void (isClosing = true);
  const moreOf = (what: "rounds" | "tokens" | "cost", used: number) => (): void =>
    void (allowed[what] = used + limits[what]);
  const own = (): Omit<Reached, "close"> | null => {
    if (isLate) {
      const extend = (): void => {
        isLate = false;
        moreTime();
      };
      return { reason: "time", message: `Brain has worked for ${minutes(limits.time)}.`, extend };
    }
    if (isOver(allowed.rounds, rounds))
      return {
        reason: "rounds",
        message: `Brain has made ${rounds} rounds of calls.`,
        extend: moreOf("rounds", rounds),
      };
    if (isOver(allowed.tokens, tokens())) {
      const message = `This run has used ${tokens().toLocaleString("en")} tokens.`;
      return { reason: "tokens", message, extend: moreOf("tokens", tokens()) };
    }
    if (isOver(allowed.cost, cost))
      return { reason: "cost", message: `This run has cost about $${cost.toFixed(2)}.`, extend: moreOf("cost", cost) };
    return null;
  };
  return {
    spent: () => ({ usage, ...(isKnown && tokens() > 0 && { cost }) }),
    round: () => void (rounds += 1),
    spend(used, dollars) {
      usage = addUsage(usage, used);
      isKnown &&= dollars !== null || isNothing(used);
      // For the limit, what has no known price is taken to cost as much as the rest.
      cost += dollars ?? priced(used, price) ?? 0;
      parent?.spend(used, dollars);
    },
    late: () => void (isLate = true),
    reached() {
      const mine = own();
      return mine ? { ...mine, close } : withoutRounds(parent?.reached() ?? null);
    },
    closing: () => isClosing || (parent?.closing() ?? false),
  };
}

/** Counts what a reply took in the budget of its run. @returns the same for the transcript */
export function spendReply(reply: Omit<Reply, "messageId" | "text" | "calls">, run: Running): RequestRecord {
  const { usage, model = run.model, sent, first, duration, end } = reply;
  const tries = reply.tries.length > 0 ? reply.tries : [{ usage, cost: undefined, price: model.price }];
  const costs = tries.map(costOf);
  for (const [index, one] of tries.entries()) run.budget.spend(one.usage, costs[index] ?? null);
  const cost = costs.reduce((sum, one) => (sum === null || one === null ? null : sum + one));
  return {
    at: new Date(sent).toISOString(),
    duration,
    ...(first !== null && { first }),
    usage,
    ...(cost !== null && { cost }),
    model: model.id,
    ...(end.kind !== "finished" && { ended: end.kind }),
  };
}

/** US dollars; null: not known. What the endpoint says counts before any price. */
function costOf({ usage, cost, price }: Try): number | null {
  return cost ?? priced(usage, price);
}

function isNothing({ input, output }: Usage): boolean {
  return input + output === 0;
}

/** US dollars for one request; null: not known. */
function priced(usage: Usage, price: Price | null | undefined): number | null {
  if (!price) return null;
  const { input, output, cached = 0, written = 0 } = usage;
  if (price.long && input > price.long.over) return priced(usage, price.long.price);
  const saved = Math.min(cached, input) * (price.input - (price.cached ?? price.input));
  const added = Math.min(written, input) * ((price.cacheWrite ?? price.input) - price.input);
  return (input * price.input - saved + added + output * price.output) / 1_000_000;
}

function isOver(allowed: number, used: number): boolean {
  return allowed > 0 && used >= allowed;
}

/** A parent's rounds are counted by the parent: its delegates have their own. */
function withoutRounds(reached: Reached | null): Reached | null {
  return reached?.reason === "rounds" ? null : reached;
}

function minutes(milliseconds: number): string {
  const count = Math.round(milliseconds / 6_000) / 10;
  return count === 1 ? "1 minute" : `${count.toLocaleString("en")} minutes`;
}
