// A walk through every state of the panel: nothing complains, and nobody is shut out, in any theme.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { usePanel } from "./harness.ts";
import { enter, states } from "./states.ts";

describe("the panel, in every state,", function () {
  this.timeout(120_000);
  const { panel, open } = usePanel();
  const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

  for (const state of states) {
    it(`${state.name}: has no fault that axe finds, in three themes and when narrow`, async () => {
      const source = await readFile(axe, "utf8");
      await open({ height: 1_000, ...state });
      await enter(panel(), state);
      await panel().page.evaluate(source);
      for (const look of [
        { theme: "dark" },
        { theme: "light" },
        { theme: "contrast" },
        { theme: "dark", width: 200 },
      ] as const) {
        await panel().look(look);
        const found = await panel().page.evaluate<readonly string[]>(
          `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
            nodes.map(({ html, any, all, none }) => id + ": " + html + " " + [...any, ...all, ...none].map(({ message }) => message).join(" "))))`,
        );
        assert.deepEqual(found, [], JSON.stringify(look));
      }
    });
  }
});
