// A page whose words are German, for what is done in it by English names.
import type { Page } from "playwright-core";
import { germanWords } from "./page.ts";

const { panel: table } = germanWords();

/** The page, in which names are looked up first. */
export function inGerman(page: Page): Page {
  return new Proxy(page, {
    get(target, property) {
      if (property === "getByLabel") return (name: string) => target.getByLabel(table[name] ?? name);
      if (property === "getByRole")
        return (role: Parameters<Page["getByRole"]>[0], { name = "" }: { readonly name?: string } = {}) =>
          target.getByRole(role, { name: table[name] ?? name });
      const value: unknown = Reflect.get(target, property);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
