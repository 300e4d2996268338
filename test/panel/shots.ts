// Takes pictures of every state of the panel in three themes, for people to look at: .dev/shots/panel/.
import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { PanelEvent } from "../../src/protocol/events.ts";
import { emptyView } from "../../src/protocol/view.ts";
import { launchBrowser } from "../support/browser.ts";
import { root } from "../support/run.ts";
import { drawn, openPanel, servePanel } from "./page.ts";
import type { OpenOptions, PanelPage } from "./page.ts";
import * as story from "./stories.ts";
import type { ThemeName } from "./themes.ts";

interface Shot extends OpenOptions {
  readonly name: string;
  readonly events: readonly PanelEvent[];
  readonly act?: (panel: PanelPage) => Promise<void>;
}

const files = ["src/price.js", "src/cart.js", "src/checkout/summary/totals.js", "README.md", "test/cart.test.js"];
const asked = [story.setup(), ...story.start("Rename the module, then fix all that imports it.")];
const failure = {
  code: "key_rejected",
  status: 401,
  message: "The endpoint rejected the key.",
  next: "Set a key that this endpoint accepts.",
  action: "setKey",
  details: ["https://api.openai.com/v1 answered 401: Incorrect API key provided."],
};

async function openForm({ page }: PanelPage): Promise<void> {
  await page.getByRole("button", { name: "Modify" }).first().click();
  await drawn(page);
}

const shots: Shot[] = [
  { name: "01-first-run", events: [story.setup()] },
  { name: "02-first-run-real", events: [story.setup({ ...story.real, keyMissing: true })] },
  { name: "03-no-folder", events: [story.setup({ workspace: "none", workspaceName: "" })] },
  { name: "04-untrusted", events: [story.setup({ workspace: "untrusted" })] },
  { name: "05-working", events: story.working() },
  { name: "06-waiting-for-model", events: asked },
  { name: "07-pending-command", events: [...asked, ...story.pendingCommand("c")] },
  {
    name: "08-pending-5",
    events: [...asked, ...files.flatMap((file, index) => story.pendingEdit(`e${index}`, file))],
  },
  {
    name: "09-pending-40",
    events: [
      ...asked,
      ...Array.from({ length: 40 }, (_, index) =>
        index % 3 === 2
          ? story.pendingCommand(`c${index}`, `node scripts/migrate.js --step ${index} --dry-run`)
          : story.pendingEdit(`e${index}`, `src/modules/module${index}/index.js`),
      ).flat(),
    ],
  },
  {
    name: "10-form",
    events: [...asked, ...story.pendingEdit("e1"), ...story.pendingCommand("c1")],
    act: async (panel) => {
      await openForm(panel);
      await panel.page.getByLabel("New text").fill("  return round(item.cost - discount);");
      await drawn(panel.page);
    },
  },
  {
    name: "10-hunks",
    events: [...asked, ...story.pendingEdit("e1"), story.reviewed("e1")],
  },
  {
    name: "11-form-error",
    events: [...asked, ...story.pendingCommand("c1")],
    act: async (panel) => {
      await openForm(panel);
      await panel.page.getByLabel("Timeout").fill("soon");
      await panel.page.getByLabel("Env").fill("{ CI: 1 }");
      await panel.send({
        type: "events",
        events: [
          story.decided(story.command("c1", ""), { kind: "approve" }, "The folder /etc is outside of the workspace."),
        ],
      });
    },
  },
  {
    name: "12-form-json",
    events: [...asked, ...story.pendingEdit("e1")],
    act: async (panel) => {
      await openForm(panel);
      await panel.page.getByRole("button", { name: "JSON" }).click();
      await drawn(panel.page);
    },
  },
  {
    name: "13-reject",
    events: [...asked, ...story.pendingCommand("c1"), ...story.pendingEdit("e1")],
    act: async ({ page }) => {
      await page.getByRole("button", { name: "Reject" }).first().click();
      await drawn(page);
    },
  },
  { name: "14-error", events: [...asked, { type: "loop:error", runId: "run-1", error: failure }, story.end("error")] },
  { name: "15-finished", events: story.finished(), height: 1_250 },
  {
    name: "16-unfolded",
    events: story.finished(),
    height: 1_600,
    act: async ({ page }) => {
      for (const row of await page.locator(".call-head").all()) await row.click();
      await drawn(page);
    },
  },
  {
    name: "17-limit",
    events: [
      ...asked,
      ...story.done(story.command("c", "npm test")),
      story.says("I am not done yet.", "m"),
      story.said("m", false),
      story.end("max_iterations"),
    ],
  },
  { name: "18-stopped", events: [...asked, story.says("I will first look at", "m"), story.end("aborted")] },
  {
    name: "19-draft-while-running",
    events: story.working(),
    act: async ({ page }) => {
      await page.getByLabel("Message to Brain").fill("And when that is done,\nupdate the changelog.");
      await drawn(page);
    },
  },
  {
    name: "20-scrolled-up",
    events: story.finished(),
    act: async ({ page }) => {
      await page.locator(".transcript").hover();
      await page.mouse.wheel(0, -2_000);
      await page.waitForTimeout(200);
    },
  },
  { name: "21-focus-row", events: story.working(), act: ({ page }) => page.locator(".pending-row").first().focus() },
];

shots.push(
  {
    name: "22-replace-pick",
    events: [...asked, ...story.pendingEdit("e1"), ...story.pendingCommand("c1")],
    act: async ({ page }) => {
      await page.getByRole("button", { name: "Replace" }).first().click();
      await page.keyboard.press("ArrowDown");
      await drawn(page);
    },
  },
  {
    name: "23-replace-form",
    events: [...asked, ...story.pendingEdit("e1")],
    act: async (panel) => {
      await panel.page.getByRole("button", { name: "Replace" }).first().click();
      await panel.page.getByRole("option", { name: "write_file" }).click();
      await panel.page.getByLabel("Content").fill("export const price = 1;\n");
      await panel.send({
        type: "events",
        events: [
          story.decided(story.edit("e1"), { kind: "approve" }, "There is unsaved text in src/price.js: save it first."),
        ],
      });
    },
  },
  { name: "24-replaced", events: story.replaced() },
  { name: "25-plan-pending", events: story.withPlan("lazy") },
  {
    name: "26-plan-reject",
    events: story.withPlan("lazy"),
    act: async ({ page }) => {
      await page.getByRole("button", { name: "Reject…" }).click();
      await drawn(page);
    },
  },
  {
    name: "27-plan-running",
    events: [...story.withPlan("lazy"), story.planDecided({ kind: "approve" }), ...story.planHalfWay()],
  },
  {
    name: "28-plan-shown",
    events: [...story.withPlan("eager"), ...story.planHalfWay()],
  },
  {
    name: "29-plan-invalid",
    events: [...asked, story.plan("eager", "Run node --test waits for Edit src/price.js, which waits for it.")],
  },
  { name: "30-paused", events: [...story.working().slice(0, 6), story.paused()] },
  {
    name: "31-resumed",
    events: [
      ...story.working().slice(0, 6),
      story.paused(),
      story.resumed("continue"),
      story.saidInto("Leave the changelog alone, please."),
    ],
  },
  {
    name: "32-queue",
    events: [...story.working(), story.queue("And when that is done, update the changelog.", "Then commit.")],
    act: async ({ page }) => {
      await page.getByLabel("Message to Brain").fill("Use the round of money.js");
      await page.keyboard.press("Control+Enter");
      await page.getByLabel("Message to Brain").fill("One more thing");
      await drawn(page);
    },
  },
  {
    name: "33-send-menu",
    events: story.working(),
    act: async ({ page }) => {
      await page.getByLabel("Message to Brain").fill("One more thing");
      await page.getByRole("button", { name: "Other ways to send it" }).click();
      await drawn(page);
    },
  },
  {
    name: "34-queue-kept",
    events: [
      ...asked,
      story.queue("Update the changelog.", "Then commit."),
      story.says("I will first look at", "m"),
      story.end("aborted"),
    ],
  },
  { name: "35-delegate", events: story.delegated(), height: 1_000 },
  { name: "39-delegates-deep", events: story.deep(), height: 1_000 },
  {
    name: "36-with-errors",
    events: [
      ...asked,
      ...story.ready(story.edit("e1")),
      story.ended(story.edit("e1"), "src/price.js was changed meanwhile.", "failed"),
      story.says("I have fixed the rounding.", "m1"),
      story.said("m1", false),
      story.end("completed_with_errors"),
    ],
  },
  {
    name: "40-compacted",
    events: [
      ...asked,
      story.noted("It is CHF, not EUR."),
      story.compacting("k0"),
      story.compacted("k0"),
      story.compacting(),
      story.compacted(),
      story.windowHolds(96_000),
      story.end(),
    ],
    act: async ({ page }) => {
      await page.locator(".compaction .call-head").last().click();
      await drawn(page);
    },
  },
  {
    name: "41-compaction-edited",
    events: [...asked, story.compacting(), story.compacted(), story.end()],
    act: async ({ page }) => {
      await page.locator(".compaction .call-head").click();
      await page.getByRole("button", { name: "Edit summary" }).click();
      await drawn(page);
    },
  },
  { name: "42-compacting", events: [...asked, story.compacting()] },
  { name: "37-timeout", events: [...asked, story.says("I will first look at", "m"), story.end("timeout")] },
  { name: "38-stalled", events: [...asked, story.end("stalled")] },
);

interface Variant extends OpenOptions {
  readonly file: string;
  readonly shot: Shot;
}

function variants(shot: Shot): readonly Variant[] {
  const looks: readonly (OpenOptions & { readonly suffix: string; readonly theme: ThemeName })[] = [
    { theme: "dark", suffix: "" },
    { theme: "light", suffix: "" },
    { theme: "contrast", suffix: "" },
    { theme: "dark", suffix: "-narrow", width: 260 },
    { theme: "dark", suffix: "-wide", width: 900 },
  ];
  return looks.map(({ suffix, ...look }) => ({
    ...shot,
    ...look,
    shot,
    file: `${shot.name}-${look.theme}${suffix}.png`,
  }));
}

/** @param wanted parts of file names; none: all */
async function main(wanted: readonly string[]): Promise<void> {
  const folder = path.join(root, ".dev/shots/panel");
  await mkdir(folder, { recursive: true });
  const server = await servePanel();
  const browser = await launchBrowser();
  console.log(`main.js: ${server.mainSize} bytes`);
  for (const { file, shot, ...look } of shots.flatMap(variants)) {
    if (wanted.length > 0 && !wanted.some((part) => file.includes(part))) continue;
    const panel = await openPanel(browser, server, look);
    await panel.send({ type: "snapshot", view: emptyView }, { type: "events", events: shot.events });
    await panel.page.waitForTimeout(150);
    await shot.act?.(panel);
    await panel.page.screenshot({ path: path.join(folder, file) });
    for (const line of panel.complaints) console.log(`${file}: ${line}`);
    await panel.close();
  }
  await browser.close();
  server.close();
}

await main(process.argv.slice(2));
