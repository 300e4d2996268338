// Compaction as the panel and the palette ask for it, over the real engine: refused in words, shown at once, the same after a reload.
import assert from "node:assert/strict";
import { createChat, type Chat } from "../../../src/host/chat.ts";
import { createFold } from "../../../src/host/fold.ts";
import { createQueues } from "../../../src/host/queues.ts";
import type { View } from "../../../src/protocol/view.ts";
import type { CompactionItem } from "../../../src/protocol/viewContext.ts";
import type { ModelEvent } from "../../../src/engine/ports.ts";
import { countedIds, kit, says, type Kit } from "../../support/kit.ts";
import { storedLines } from "./storedLines.ts";
import { longModel, textOf, type LongModel } from "../../support/longSession.ts";

const goal = "Goal: make the price rounding exact.";

interface Room {
  readonly made: Kit;
  readonly model: LongModel;
  readonly chat: Chat;
  readonly view: () => View;
  readonly card: () => CompactionItem | undefined;
}

function room(options: { summary?: () => readonly ModelEvent[]; append?: () => Promise<void> } = {}): Room {
  const model = longModel({
    window: 20_000,
    task: (count) => says(`Answer ${count} ${"x".repeat(3_000)}`),
    ...(options.summary && { summary: options.summary }),
  });
  const made = kit({ model, ...(options.append && { append: options.append }) });
  const remembered = new Map<string, string | undefined>();
  return { made, model, ...chatIn(made, remembered) };
}

function chatIn(made: Kit, remembered: Map<string, string | undefined>): Pick<Room, "chat" | "view" | "card"> {
  const log = (): void => undefined;
  const fold = createFold(log, log);
  const chat = createChat({
    fold,
    workspace: {
      open: () => ({ composition: { ports: made.ports, sessions: storedLines(made.lines) } }),
      describe: () => Promise.reject(new Error("nobody asks")),
    },
    remembered: { get: (key) => remembered.get(key), set: (key, value) => void remembered.set(key, value) },
    queues: createQueues({ get: () => undefined, set: () => Promise.resolve() }, log),
    limits: () => ({}),
    ids: countedIds("message"),
    clock: made.ports.clock,
    log,
  });
  const card = (): CompactionItem | undefined =>
    fold
      .view()
      .turns.flatMap(({ items }) => items)
      .findLast((item): item is CompactionItem => item.kind === "compaction");
  return { chat, view: fold.view, card };
}

async function talk({ chat }: Room): Promise<void> {
  for (const message of [goal, "It is CHF.", "Go on.", "And on."]) await chat.submit(message);
}

describe("a person has the conversation compacted", () => {
  it("in a run of its own that follows the instructions and ends as any other", async () => {
    const here = room();
    await talk(here);
    const outcome = await here.chat.compact(" Keep the numbers. ");
    assert.equal(outcome?.status, "completed");
    assert.match(here.model.summaries[0]?.system ?? "", /Keep the numbers\./);
    const card = here.card();
    assert.deepEqual([card?.state, card?.summary, card?.instructions], ["done", "Summary 0.", "Keep the numbers."]);
    assert.equal(here.view().compaction, card?.id);
    assert.equal(here.view().context?.tokens, card?.tokensAfter);
    assert.equal(here.chat.running(), false);
    assert.equal(here.made.locked(), false);
    await here.chat.submit("Next");
    assert.ok(textOf(here.model.tasks.at(-1)).includes(goal));
  });

  it("and is told when there is no conversation, or nothing in it to sum up", async () => {
    const here = room();
    assert.equal(await here.chat.compact(""), null);
    assert.equal(here.view().failure?.message, "There is no conversation yet.");
    await here.chat.submit(goal);
    assert.equal((await here.chat.compact(""))?.status, "completed");
    const notice = here.view().turns.at(-1)?.items.at(-1);
    assert.ok(notice?.kind === "notice" && notice.message.includes("nothing yet"));
  });

  it("is refused in words while a run is going on, which goes on", async () => {
    const here = room();
    const run = here.chat.submit(goal);
    assert.equal(await here.chat.compact(""), null);
    assert.deepEqual(
      [here.view().failure?.code, here.view().failure?.message],
      ["session_busy", "A run is going on here."],
    );
    assert.equal((await run)?.status, "completed");
    assert.equal(here.model.summaries.length, 0);
  });

  it("may write meanwhile: the message waits and is sent after it", async () => {
    const here = room();
    await talk(here);
    const compacted = here.chat.compact("");
    assert.equal(await here.chat.submit("Waits", "steer"), null);
    assert.equal((await compacted)?.status, "completed");
    for (let n = 0; n < 1_000 && here.chat.running(); n++) await new Promise((resolve) => setImmediate(resolve));
    const last = textOf(here.model.tasks.at(-1));
    assert.ok(last.includes("Summary 0.") && last.includes("Waits"));
    assert.deepEqual(here.view().queue, []);
  });

  it("can stop it, and nothing has changed", async () => {
    const here = room();
    await talk(here);
    const before = here.made.lines.length;
    const compacted = here.chat.compact("");
    await here.chat.stop();
    assert.equal((await compacted)?.status, "aborted");
    assert.equal(here.card(), undefined);
    assert.ok(here.made.lines.slice(before).every((line) => "type" in line && line["type"] === "run_end"));
  });

  it("and sees why it failed, with nothing changed", async () => {
    const here = room({ summary: () => says("") });
    await talk(here);
    assert.equal((await here.chat.compact(""))?.status, "error");
    assert.ok(here.view().turns.at(-1)?.failure);
    assert.equal(here.card(), undefined);
  });
});

describe("a person changes a compaction", () => {
  async function compacted(append?: () => Promise<void>): Promise<Room & { readonly id: string }> {
    const here = room(append && { append });
    await talk(here);
    await here.chat.compact("");
    return { ...here, id: here.card()?.id ?? "" };
  }

  it("rewrites it: shown at once, read by the model, the same in the next window", async () => {
    const here = await compacted();
    const lines = here.made.lines.length;
    await here.chat.reviseCompaction(here.id, " My own words. ");
    assert.deepEqual([here.card()?.summary, here.card()?.edited, here.view().failure], ["My own words.", true, null]);
    assert.equal(here.made.lines.length, lines + 1);
    assert.equal(here.made.locked(), false);
    await here.chat.submit("Next");
    const last = textOf(here.model.tasks.at(-1));
    assert.ok(last.includes("My own words.") && !last.includes("Summary 0."));
    const next = chatIn(here.made, new Map([["session", here.view().session.id ?? ""]]));
    await next.chat.restore();
    assert.deepEqual(next.card(), here.card());
    assert.equal(next.view().compaction, here.id);
  });

  it("undoes it: the model reads everything again, and the meter says so", async () => {
    const here = await compacted();
    const card = here.card();
    await here.chat.reviseCompaction(here.id, null);
    assert.equal(here.card()?.state, "undone");
    assert.equal(here.view().compaction, null);
    assert.equal(here.view().context?.tokens, card?.tokensBefore);
    await here.chat.submit("Next");
    assert.ok(!textOf(here.model.tasks.at(-1)).includes("Summary 0."));
    const next = chatIn(here.made, new Map([["session", here.view().session.id ?? ""]]));
    await next.chat.restore();
    assert.equal(next.card()?.state, "undone");
  });

  it("is told in words when it is not in use any more, and when a run is going on", async () => {
    const here = await compacted();
    await here.chat.reviseCompaction(here.id, null);
    const lines = here.made.lines.length;
    await here.chat.reviseCompaction(here.id, "Too late.");
    assert.equal(here.view().failure?.message, "This summary is not in use any more.");
    const run = here.chat.submit("Next");
    await here.chat.reviseCompaction(here.id, "While it runs.");
    assert.equal(here.view().failure?.code, "session_busy");
    await run;
    assert.ok(here.made.lines.slice(lines).every((line) => line["type"] !== "compaction"));
  });

  it("is told when another window has the session, and when it cannot be written", async () => {
    let broken = false;
    const here = await compacted(() => (broken ? Promise.reject(new Error("disk")) : Promise.resolve()));
    const other = await here.made.ports.sessions.open("s", { create: false, runId: "other" });
    await here.chat.reviseCompaction(here.id, "Mine.");
    assert.equal(here.view().failure?.code, "session_busy");
    await other.release();
    broken = true;
    await here.chat.reviseCompaction(here.id, "Mine.");
    assert.match(here.view().failure?.message ?? "", /disk/);
    assert.equal(here.card()?.summary, "Summary 0.");
    assert.equal(here.made.locked(), false, "and the session is free again");
  });
});
