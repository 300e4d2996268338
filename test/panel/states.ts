// Every state of the panel, as the host tells it and as a person gets there: walked by a test, and drawn for people to look at.
import type { PanelEvent } from "../../src/protocol/events.ts";
import { emptyView } from "../../src/protocol/view.ts";
import { drawn } from "./page.ts";
import { sessionStates } from "./sessionStates.ts";
import type { OpenOptions, PanelPage } from "./page.ts";
import { planStates } from "./planStates.ts";
import { opened } from "./statesOpened.ts";
import * as story from "./stories.ts";

export interface State extends OpenOptions {
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

const before: readonly State[] = [
  { name: "01-first-run", events: [story.setup()] },
  { name: "02-first-run-real", events: [story.setup({ ...story.real, keyMissing: true })] },
  { name: "03-no-folder", events: [story.setup({ workspace: "none", workspaceName: "" })] },
  { name: "04-untrusted", events: [story.setup({ workspace: "untrusted" })] },
  { name: "05-working", events: story.working() },
  { name: "05-arriving", events: [...asked, ...story.arriving("e1")] },
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

const after: readonly State[] = [
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
];

const failed = (message: string, next: string, action: string): PanelEvent => ({
  type: "loop:error",
  runId: "run-1",
  error: { code: "provider_unavailable", status: 503, message, next, action },
});
const rtl = "اقرأ الملف `src/price.js` ثم أصلح الخطأ.\n\n- أولاً\n- ثانياً";

const further: readonly State[] = [
  {
    name: "43-rate-limited",
    events: [
      ...asked,
      {
        type: "model:retry",
        runId: "run-1",
        attempt: 2,
        delay: 12_000,
        until: "2026-01-02T03:04:05.000Z",
        reason: "The endpoint has had too many requests.",
      },
    ],
  },
  {
    name: "44-offline",
    events: [
      ...asked,
      failed("The endpoint cannot be reached.", "Check the connection, then try again.", "retry"),
      story.end("error"),
    ],
  },
  { name: "45-noted", events: [...asked, story.noted("Prices are CHF."), story.noted("Tests run with node --test.")] },
  {
    name: "46-read-only",
    events: [...story.working(), { type: "session:reading", reading: { state: "working", host: null } }],
  },
  {
    name: "47-taken-over",
    events: [...asked, story.end("aborted"), { type: "session:reading", reading: { state: "given", host: "laptop" } }],
  },
  {
    name: "48-long",
    events: [
      story.setup(),
      ...Array.from({ length: 60 }, (_, n) => [
        ...story.start(`Task ${n + 1}: look at module ${n + 1}.`, `run-${n}`),
        ...story.done({ ...story.read(`r${n}`, `src/module${n}.js`), run: `run-${n}` }),
        story.says(`Module ${n + 1} is fine.`, `m${n}`, `run-${n}`),
        story.said(`m${n}`, false, `run-${n}`),
        story.end("completed", `run-${n}`),
      ]).flat(),
      { type: "session:earlier", events: [], more: true },
    ],
    act: async ({ page }) => {
      await page.locator(".transcript").hover();
      await page.mouse.wheel(0, -3_000);
      await page.getByRole("button", { name: "Jump to latest" }).waitFor();
    },
  },
  {
    name: "49-right-to-left",
    events: [story.setup(), ...story.start(rtl), story.says(rtl, "m"), story.said("m", false), story.end()],
  },
];

export const states: readonly State[] = [...before, ...after, ...further, ...opened, ...planStates, ...sessionStates];

/** Brings an open panel into a state. */
export async function enter(panel: PanelPage, { events, act }: State): Promise<void> {
  await panel.send({ type: "snapshot", view: emptyView }, { type: "events", events });
  await panel.page.waitForSelector(".markdown.plain", { state: "detached" });
  // What comes after the first paint is here, too.
  await panel.page.waitForSelector("[role=status]", { state: "attached" });
  await drawn(panel.page);
  await act?.(panel);
  await drawn(panel.page);
}
