// States in which a person has asked for more: a trace, what fills the window, code applied to a file.
import { drawn, type PanelPage } from "./page.ts";
import type { State } from "./states.ts";
import * as story from "./stories.ts";
import { delegatedTrace, finishedTrace, longTrace } from "./traceStory.ts";

async function openTimeline({ page }: PanelPage): Promise<void> {
  await page.getByRole("button", { name: "Timeline" }).click();
  await page.locator(".trace").waitFor();
}

const asked = [story.setup(), ...story.start("Rename the module, then fix all that imports it.")];

export const opened: readonly State[] = [
  {
    name: "54-context",
    events: [...asked, story.windowParts(), story.saidWith({ input: 60_000, output: 20, cached: 41_000 }), story.end()],
    act: async ({ page }) => {
      await page.locator(".meter").click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "50-timeline",
    events: story.finished(),
    act: async (panel) => {
      await openTimeline(panel);
      await panel.send({ type: "trace", runId: "run-1", trace: finishedTrace() });
      await panel.page.getByRole("row").nth(1).focus();
      for (let n = 0; n < 5; n += 1) await panel.page.keyboard.press("ArrowDown");
    },
  },
  {
    name: "51-timeline-goes-on",
    events: story.delegated(),
    height: 1_000,
    act: async (panel) => {
      await panel.send({ type: "trace:show", runId: "run-1" });
      await panel.page.locator(".trace").waitFor();
      await panel.send({ type: "trace", runId: "run-1", trace: delegatedTrace() });
      await drawn(panel.page);
    },
  },
  {
    name: "52-timeline-500-calls",
    events: story.finished(),
    act: async (panel) => {
      await openTimeline(panel);
      await panel.send({ type: "trace", runId: "run-1", trace: longTrace(500) });
      await panel.page.keyboard.press("End");
      await drawn(panel.page);
    },
  },
  {
    name: "53-timeline-not-there",
    events: story.finished(),
    act: async (panel) => {
      await openTimeline(panel);
      await panel.send({ type: "trace", runId: "run-1", trace: null });
    },
  },
  {
    name: "70-code-applied",
    events: story.finished(),
    height: 1_250,
    act: async ({ page, posted, send }) => {
      await page.locator(".code-head button").first().click();
      const used = (await posted()).find((message) => message.type === "code:use");
      if (used?.type === "code:use") await send({ type: "code:used", use: used.use, state: "applied" });
    },
  },
];
