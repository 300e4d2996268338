// Whether a host may be reached, and at which of its addresses: what may not be named by a rule cannot be reached by a name that leads there.
import { lookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import type { HostTarget, Reached } from "../engine/ports.ts";
import { reachOf } from "./addresses.ts";
import { isAddress } from "./ruleFits.ts";

/** Asked at every connection. Never rejects. */
export type AskHost = (target: HostTarget) => Promise<Reached>;

/** The addresses of a name; none when it is not known. Never rejects. */
export type LookUp = (name: string) => Promise<Found>;

type Found = readonly { readonly address: string; readonly family: number }[];

export interface Target {
  /** As rules name it. */
  readonly host: string;
  readonly port: number;
}

export type Way =
  | { readonly kind: "open"; readonly lookup: LookupFunction }
  /** `why`: the end of a sentence. */
  | { readonly kind: "closed"; readonly why: string };

/** Names are looked up only when they may be reached: they themselves could carry something out. */
export const lookUpInSystem: LookUp = (name) => lookup(name, { all: true }).catch(() => []);

/** The way to a host, by what is asked of it and by where its name leads. Never rejects. */
export async function findWay({ host, port }: Target, ask: AskHost, lookUp: LookUp): Promise<Way> {
  const here = /(?:^|\.)localhost$/.test(host);
  const literal = isAddress(host) && !here;
  // A port of this machine is offered to nobody: whoever wants one reached writes a rule that names it.
  const ruled = here || (literal && reachOf(bare(host)) === "machine");
  const reached = await ask({ host, port, ruled });
  if (reached.kind === "refused") return closed(reached.why);
  const found = await lookUp(bare(host));
  if (found.length === 0) return closed("its name is not known");
  const named = literal || (here && found.every(({ address }) => reachOf(address) === "machine"));
  if (named) return { kind: "open", lookup: fixed(found) };
  const free = await openOf(found, port, ask);
  const [first] = found;
  if (free.length > 0) return { kind: "open", lookup: fixed(free) };
  return closed(
    `it leads to ${first?.address ?? "nowhere"}, which is not in the world: a rule has to name that address`,
  );
}

/** Of the addresses that a name leads to, those of the world and those that a rule names: its owner could name any. */
async function openOf(found: Found, port: number, ask: AskHost): Promise<Found> {
  const allowed = await Promise.all(
    found.map(async ({ address, family }) => {
      if (reachOf(address) === "world") return true;
      const host = family === 6 ? `[${address}]` : address;
      return (await ask({ host, port, ruled: true })).kind === "allowed";
    }),
  );
  return found.filter((_, index) => allowed[index]);
}

function closed(why: string): Way {
  return { kind: "closed", why };
}

/** What was looked up is what is connected to: a second look could find something else. */
function fixed(found: Found): LookupFunction {
  return (_name, { all }, callback) => {
    const [first] = found;
    if (all === true) callback(null, [...found]);
    else callback(null, first?.address ?? "", first?.family ?? 4);
  };
}

/** An address of IPv6 as sockets name it. */
export function bare(host: string): string {
  return host.replaceAll(/^\[|\]$/g, "");
}
