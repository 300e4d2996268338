// What axe finds in a page of the panel.
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

/** Puts axe into every load of a page: handing it over anew takes longer than a run of it. */
export const bringAxe = (page: Page): Promise<unknown> =>
  page.addInitScript({ path: createRequire(import.meta.url).resolve("axe-core/axe.min.js") });

/** The rules that a theme can break: it changes nothing but colours. */
export const ofColours: readonly string[] = ["color-contrast", "link-in-text-block"];

/** Each fault with the element that has it and what is wrong there. @param rules absent: all that axe runs by itself */
export function faults(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  const options = JSON.stringify({ resultTypes: ["violations"], runOnly: rules });
  return page.evaluate(
    `axe.run(document, ${options}).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, any, all, none }) => id + ": " + html + " " + [...any, ...all, ...none].map(({ message }) => message).join(" "))))`,
  );
}
