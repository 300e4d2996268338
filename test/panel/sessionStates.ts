// The states of the page of sessions, and rows for it.
import type { SessionRow } from "../../src/protocol/sessions.ts";
import type { ToWebview } from "../../src/protocol/wire.ts";
import { drawn } from "./page.ts";
import type { PanelPage } from "./page.ts";
import type { State } from "./states.ts";
import * as story from "./stories.ts";

/** Days before this morning, and hours before that. */
export function ago(days: number, hours = 0): string {
  const at = new Date();
  at.setHours(9, 41, 0, 0);
  at.setDate(at.getDate() - days);
  return new Date(at.getTime() - hours * 3_600_000).toISOString();
}

export function listedSession(id: string, title: string, change: Partial<SessionRow> = {}): SessionRow {
  return {
    id,
    title,
    at: ago(0),
    agent: "coder",
    model: "gpt-6-codex-large",
    messages: 12,
    cost: 0.42,
    pinned: false,
    state: null,
    open: false,
    ...change,
  };
}

export const someSessions: readonly SessionRow[] = [
  listedSession("s1", "Rename the module, then fix all that imports it", { state: "running", open: true }),
  listedSession("s2", "Why is the total of the cart off by one cent?", { state: "waiting", at: ago(0, 1) }),
  listedSession("s3", "House rules of this repository", { pinned: true, at: ago(40), messages: 87, cost: 3.1 }),
  listedSession("s4", "Add an export as CSV", { state: "elsewhere", at: ago(1) }),
  listedSession("s5", "", { state: "unfinished", at: ago(1, 2), messages: 1, cost: 0 }),
  listedSession("s6", "Look for slow queries in the checkout", { at: ago(3), model: "demo", cost: 0.004 }),
  listedSession("s7", "أصلح الخطأ في السعر", { at: ago(4) }),
  listedSession("s8", "Write tests for prices", { at: ago(90), messages: 3 }),
];

/** Opens the page as its command does; what it asks for is answered with these rows. */
export async function openSessions(
  panel: PanelPage,
  rows: readonly SessionRow[],
  { deleted = false, text = "" } = {},
): Promise<void> {
  await panel.send({ type: "sessions:show", deleted });
  await panel.page.getByRole("searchbox").waitFor();
  if (text !== "") await panel.page.getByRole("searchbox").fill(text);
  await drawn(panel.page);
  await panel.send(await answered(panel, rows));
}

/** The answer to what the page has asked last. */
export async function answered(
  panel: PanelPage,
  rows: readonly SessionRow[],
): Promise<Extract<ToWebview, { type: "sessions:rows" }>> {
  const asked = (await panel.posted()).findLast(({ type }) => type === "sessions:find");
  const number = asked?.type === "sessions:find" ? asked.number : 0;
  return { type: "sessions:rows", number, rows, gone: [], done: true };
}

const found = someSessions.slice(0, 4).map((row, n) => ({
  ...row,
  ...(n > 0 && {
    found: {
      by: "user",
      excerpt: "…and then round the price to cents, as the cart does…",
      at: { runId: "run-1", item: "m-1" },
    } as const,
  }),
}));

/** A waiting message that is written anew, and one that was taken before it was. */
const queueStates: readonly State[] = [
  {
    name: "68-queue-edit",
    events: [...story.working(), story.queue("Update the changelog, too.", "Then commit.", "And push.")],
    act: async ({ page }) => {
      await page.getByRole("button", { name: "Edit this message (E)" }).nth(1).click();
      await drawn(page);
    },
  },
  {
    name: "69-queue-too-late",
    events: [...story.working(), story.queue("Update the changelog, too.", "Then commit.")],
    act: async (panel) => {
      await panel.page.getByRole("button", { name: "Edit this message (E)" }).first().click();
      await panel.page.getByLabel("Change the waiting message").fill("Leave the changelog alone.");
      await panel.send({
        type: "events",
        events: [{ type: "queue:changed", queue: [{ id: "q2", text: "Then commit." }] }],
      });
    },
  },
];

/** Opens the find box, types, and answers as the host does; `at` of so many is shown. */
export async function findWords(panel: PanelPage, words: string, { at = 0, count = 0, more = false }): Promise<void> {
  await panel.page.keyboard.press("Control+f");
  const field = panel.page.getByRole("search").getByRole("textbox");
  await field.fill(words);
  await drawn(panel.page);
  await panel.send({ type: "session:found", number: await lastFind(panel), at, count, more });
}

/** The number of what the find box has asked last. */
export async function lastFind(panel: PanelPage): Promise<number> {
  const asked = (await panel.posted()).findLast(({ type }) => type === "session:find");
  return asked?.type === "session:find" ? asked.number : 0;
}

/** The find box over a conversation. */
const findStates: readonly State[] = [
  {
    name: "70-find",
    events: story.finished(),
    act: async (panel) => {
      await findWords(panel, "discount", { at: 2, count: 1_000, more: true });
      const turn = story.fold(story.finished()).turns[0];
      const item = turn?.items.findLast(({ kind }) => kind === "text")?.id ?? "";
      await panel.send({ type: "sought:show", runId: turn?.runId ?? "", item, words: "discount", stay: true });
      await panel.page.locator("[data-sought]").waitFor();
    },
  },
  { name: "71-find-nothing", events: story.finished(), act: (panel) => findWords(panel, "xyzzy", {}) },
  {
    name: "72-find-empty",
    events: [story.setup()],
    act: async ({ page }) => {
      await page.keyboard.press("Control+f");
      await page.getByRole("search").waitFor();
    },
  },
];

export const sessionStates: readonly State[] = [
  ...queueStates,
  ...findStates,
  { name: "60-sessions", events: story.working(), act: (panel) => openSessions(panel, someSessions) },
  {
    name: "61-sessions-found",
    events: [story.setup()],
    act: (panel) => openSessions(panel, found, { text: "price" }),
  },
  {
    name: "61-sought",
    events: story.finished(),
    act: async (panel) => {
      const turn = story.fold(story.finished()).turns[0];
      const item = turn?.items.findLast(({ kind }) => kind === "text")?.id ?? "";
      await panel.send({ type: "sought:show", runId: turn?.runId ?? "", item, words: "discount" });
      await panel.page.locator("[data-sought]").waitFor();
      await drawn(panel.page);
    },
  },
  { name: "62-sessions-none", events: [story.setup()], act: (panel) => openSessions(panel, []) },
  {
    name: "63-sessions-nothing-found",
    events: [story.setup()],
    act: (panel) => openSessions(panel, [], { text: "xyzzy" }),
  },
  {
    name: "64-sessions-deleted",
    events: [story.setup()],
    act: (panel) =>
      openSessions(
        panel,
        someSessions.slice(1, 4).map((row) => ({ ...row, state: null, pinned: false })),
        { deleted: true },
      ),
  },
  {
    name: "65-sessions-menu",
    events: [story.setup()],
    act: async (panel) => {
      await openSessions(panel, someSessions);
      await panel.page.keyboard.press("ArrowDown");
      await panel.page.keyboard.press("ArrowDown");
      await panel.page.keyboard.press("Shift+F10");
      await drawn(panel.page);
    },
  },
  {
    name: "66-sessions-rename",
    events: [story.setup()],
    act: async (panel) => {
      await openSessions(panel, someSessions);
      await panel.page.keyboard.press("ArrowDown");
      await panel.page.keyboard.press("F2");
      await drawn(panel.page);
    },
  },
  {
    name: "67-sessions-undo",
    events: [story.setup()],
    act: async (panel) => {
      await openSessions(panel, someSessions);
      await panel.page.keyboard.press("ArrowDown");
      await panel.page.keyboard.press("Delete");
      await panel.send({ ...(await answered(panel, [])), gone: ["s3"] });
    },
  },
];
