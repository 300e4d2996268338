// Where a long text may be cut, so that no half of a secret is left, which nobody could tell from other letters. Pure.

/** How far such a place is looked for, in characters. */
const reach = 4_000;

/** The last place, at or before this one, where a line begins; without one near, where a word does. */
export function cutBefore(text: string, at: number): number {
  const from = Math.max(0, at - reach);
  const near = text.slice(from, at);
  const place = near.includes("\n") ? near.lastIndexOf("\n") : near.search(/\s\S*$/);
  return place === -1 ? at : from + place + 1;
}

/** The first such place at or after this one; outside of a private key. */
export function cutAfter(text: string, at: number): number {
  const [key] = /^(?:(?!-----BEGIN )[^])*?-----END [A-Z ]{0,40}-----/.exec(text.slice(at, at + reach)) ?? [];
  const from = key === undefined ? Math.max(0, at - 1) : at + key.length;
  const near = text.slice(from, from + reach);
  const place = near.includes("\n") ? near.indexOf("\n") : near.search(/\s/);
  return place === -1 ? Math.max(at, from) : from + place + 1;
}
