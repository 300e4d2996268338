// A shopping cart: items, and at most one voucher.
import { afterDiscount, discountOn, inEuros } from "./price.js";

/** What each voucher takes off, in per cent. */
const vouchers = { SPRING: 10, FRIENDS: 25 };

/** What the items cost before the voucher. */
export function subtotal(cart) {
  return cart.items.reduce((sum, item) => sum + item.cents * item.quantity, 0);
}

/** What is to be paid. */
export function total(cart) {
  const percent = vouchers[cart.voucher] ?? 0;
  return afterDiscount(subtotal(cart), percent);
}

/** How many things are in the cart. */
export function count(cart) {
  return cart.items.reduce((sum, item) => sum + item.quantity, 0);
}

/** What the voucher saves. */
export function saved(cart) {
  const percent = vouchers[cart.voucher] ?? 0;
  return discountOn(subtotal(cart), percent);
}

/** The last line of the receipt. */
export function summary(cart) {
  return `${count(cart)} items, ${inEuros(total(cart))}`;
}
