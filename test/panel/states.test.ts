// A walk through every state of the panel: nothing complains, and nobody is shut out, in any theme.
import assert from "node:assert/strict";
import { bringAxe, faults, ofColours } from "./axe.ts";
import { usePanel } from "./harness.ts";
import { enter, states } from "./states.ts";

describe("the panel, in every state,", function () {
  this.timeout(120_000);
  const { panel, open } = usePanel(bringAxe);

  for (const state of states) {
    it(`${state.name}: has no fault that axe finds, in three themes and when narrow`, async () => {
      await open({ height: 1_000, ...state });
      await enter(panel(), state);
      for (const { rules, ...look } of [
        { theme: "dark" },
        { theme: "light", rules: ofColours },
        { theme: "contrast", rules: ofColours },
        { theme: "dark", width: 200 },
      ] as const) {
        await panel().look(look);
        assert.deepEqual(await faults(panel().page, rules), [], JSON.stringify(look));
      }
    });
  }
});
