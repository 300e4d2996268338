import assert from "node:assert/strict";
import { test } from "node:test";
import { saved, subtotal, summary, total } from "../src/cart.js";

const items = [
  { name: "Teapot", cents: 1400, quantity: 1 },
  { name: "Cup", cents: 300, quantity: 2 },
];

test("adds up every item", () => {
  assert.equal(subtotal({ items }), 2000);
  assert.equal(subtotal({ items: [] }), 0);
});

test("costs the subtotal without a voucher", () => {
  assert.equal(total({ items }), 2000);
  assert.equal(saved({ items, voucher: "UNKNOWN" }), 0);
});

test("takes the voucher off the price", () => {
  assert.equal(total({ items, voucher: "SPRING" }), 1800);
  assert.equal(saved({ items, voucher: "FRIENDS" }), 500);
});

test("sums up the cart in one line", () => {
  assert.equal(summary({ items }), "3 items, €20.00");
});
