// States of plans and of to-dos: drawn, enlarged, being changed, of sixty calls.
import { drawn } from "./page.ts";
import type { PanelPage } from "./page.ts";
import * as plans from "./planStories.ts";
import type { State } from "./states.ts";
import * as story from "./stories.ts";

async function unfold({ page }: PanelPage): Promise<void> {
  await page.locator(".plan .call-head").click();
  await page.locator(".flow-box").first().waitFor();
  await drawn(page);
}

export const planStates: readonly State[] = [
  { name: "60-flow", events: [...story.withPlan("eager"), ...story.planHalfWay(), ...story.planToEdit()], act: unfold },
  { name: "61-flow-sixty", events: plans.sixty(), act: unfold },
  {
    name: "62-flow-large",
    events: plans.sixty(),
    act: async (panel) => {
      await unfold(panel);
      await panel.page.getByRole("button", { name: "Enlarge the drawing" }).click();
      await drawn(panel.page);
    },
  },
  {
    name: "63-plan-changed",
    events: plans.changeable(),
    act: async ({ page }) => {
      await page.locator(".step", { hasText: "docs/prices.md" }).locator("button").last().click();
      await page.locator(".step", { hasText: "node --test" }).locator("button").first().click();
      await page.getByLabel("Command").fill("node --test");
      await drawn(page);
    },
  },
  { name: "64-plan-refused", events: [...plans.changeable(), plans.refused()] },
  {
    name: "65-plan-waiting-drawn",
    events: plans.changeable(),
    act: async ({ page }) => {
      await page.locator(".waiting .plan-ways .toggle").click();
      await page.locator(".flow-box").first().waitFor();
      await drawn(page);
    },
  },
  { name: "66-todos", events: [...story.working(), ...plans.keepsTodos(plans.todos)] },
  {
    name: "67-todos-open",
    events: [...story.working(), ...plans.keepsTodos(plans.todos)],
    act: async ({ page }) => {
      await page.locator(".todos .call-head").click();
      await page.locator(".transcript .call-head", { hasText: "to-dos" }).click();
      await drawn(page);
    },
  },
];
