// Arithmetic with prices. Every price is a whole number of cents.

/**
 * What a discount takes off a price.
 * @param {number} cents
 * @param {number} fraction from 0 to 1: 0.25 takes off a quarter
 */
export function discountOn(cents, fraction) {
  return Math.round(cents * fraction);
}

/** What is left of a price after a discount. */
export function afterDiscount(cents, fraction) {
  return cents - discountOn(cents, fraction);
}

/** A price as people read it: 1230 is "€12.30". */
export function inEuros(cents) {
  return `€${(cents / 100).toFixed(2)}`;
}
