// The example workspace as the script knows it: what its bug looks like, and the edit that takes it away.

/** The files that show the bug. */
export const shopFiles = ["test/cart.test.js", "src/cart.js", "src/price.js"] as const;
export const cartFile = "src/cart.js";

export interface Edit {
  readonly old_text: string;
  readonly new_text: string;
}

const fixes: readonly Edit[] = [
  {
    old_text: "return afterDiscount(subtotal(cart), percent);",
    new_text: "return afterDiscount(subtotal(cart), percent / 100);",
  },
  {
    old_text: "return discountOn(subtotal(cart), percent);",
    new_text: "return discountOn(subtotal(cart), percent / 100);",
  },
];

export type Findings =
  /** None of the example's code is in what was read. */
  | { readonly kind: "elsewhere" }
  /** The example's code, but not as the script knows it. */
  | { readonly kind: "unfamiliar" }
  | { readonly kind: "fixed" }
  | { readonly kind: "broken"; readonly edits: readonly Edit[] };

/** Looks for the bug in the texts that were really read. */
export function examine(texts: readonly string[]): Findings {
  const cart = texts.find((text) => text.includes("export function subtotal(cart)"));
  const price = texts.find((text) => text.includes("export function afterDiscount("));
  if (cart === undefined && price === undefined) return { kind: "elsewhere" };
  if (cart === undefined || price === undefined) return { kind: "unfamiliar" };
  const familiar =
    cart.includes("{ SPRING: 10, FRIENDS: 25 }") && price.includes("return Math.round(cents * fraction);");
  const edits = fixes.filter(({ old_text }) => cart.includes(old_text));
  const rest = fixes.filter((fix) => !edits.includes(fix));
  if (!familiar || rest.some(({ new_text }) => !cart.includes(new_text))) return { kind: "unfamiliar" };
  return edits.length === 0 ? { kind: "fixed" } : { kind: "broken", edits };
}

/** The edits as lines of a diff. */
export function showEdits(edits: readonly Edit[]): string {
  return edits.map(({ old_text, new_text }) => `- ${old_text}\n+ ${new_text}`).join("\n");
}
