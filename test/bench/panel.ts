// The panel in a real browser with a session of 10,000 turns and 30,000 calls, and with an answer of 200,000 tokens as it streams.
import type { Browser, CDPSession } from "playwright-core";
import * as z from "zod";
import type { View } from "../../src/protocol/view.ts";
import type { Turn } from "../../src/protocol/viewTurn.ts";
import { drawn, newPage, openPanel, servePanel } from "../panel/page.ts";
import type { PanelPage, PanelServer } from "../panel/page.ts";
import * as story from "../panel/stories.ts";
import { launchBrowser } from "../support/browser.ts";
import { longAnswers } from "./answers.ts";

export interface PanelFigures {
  /** Milliseconds from the host's answer to its first paint, and how many of them the page worked. */
  readonly open: number;
  readonly openWork: number;
  /** The longest work in one go while 200 screens are scrolled through, and the usual work for one: milliseconds of processor time. */
  readonly scrollTask: number;
  readonly scrollWork: number;
  /** Elements on the page, at the most. */
  readonly nodes: number;
  /** Megabytes of script memory after that. */
  readonly heap: number;
  /** While answers of several forms stream. */
  readonly streams: readonly Streamed[];
  /** Milliseconds from the beginning of a killed page to the frame that shows all as it was, and how many of them it worked. */
  readonly restore: number;
  readonly restoreWork: number;
  /** Milliseconds from the first of 10,000 sessions to the paint with the last, and how many of them it worked; elements then. */
  readonly sessions: number;
  readonly sessionsWork: number;
  readonly sessionsNodes: number;
}

interface Streamed {
  readonly form: string;
  /** Frames a second; the longest work in one go and the usual work for one frame; megabytes of script memory at the end. */
  readonly fps: number;
  readonly task: number;
  readonly work: number;
  readonly heap: number;
}
/** How a panel that was killed comes back: where the reader was, with the draft and what was unfolded. */
type Restored = Pick<PanelFigures, "restore" | "restoreWork">;
/** How the page of sessions opens on 10,000 of them. */
type Listed = Pick<PanelFigures, "sessions" | "sessionsWork" | "sessionsNodes">;
type Scrolled = Omit<PanelFigures, "streams" | keyof Restored | keyof Listed>;

/** @returns medians; null where there is no browser */
export async function measurePanel(turns: number, times: number): Promise<PanelFigures | null> {
  const browser = await launchBrowser().catch(() => null);
  if (!browser) return null;
  const server = await servePanel();
  try {
    const found: PanelFigures[] = [];
    for (let n = 0; n < times; n++)
      found.push({
        ...(await scrolled(browser, server, turns)),
        ...(await restored(browser, server)),
        ...(await listed(browser, server)),
        streams: await streamedAll(browser, server),
      });
    return medians(found);
  } finally {
    server.close();
    await browser.close();
  }
}

function medians(found: readonly PanelFigures[]): PanelFigures {
  const median = (pick: (figures: PanelFigures) => number): number =>
    found.map(pick).toSorted((a, b) => a - b)[Math.floor(found.length / 2)] ?? 0;
  return {
    open: median(({ open }) => open),
    openWork: median(({ openWork }) => openWork),
    scrollTask: median(({ scrollTask }) => scrollTask),
    scrollWork: median(({ scrollWork }) => scrollWork),
    nodes: median(({ nodes }) => nodes),
    heap: median(({ heap }) => heap),
    restore: median(({ restore }) => restore),
    restoreWork: median(({ restoreWork }) => restoreWork),
    sessions: median(({ sessions }) => sessions),
    sessionsWork: median(({ sessionsWork }) => sessionsWork),
    sessionsNodes: median(({ sessionsNodes }) => sessionsNodes),
    streams: (found[0]?.streams ?? []).map(({ form }, index) => {
      const of = (pick: (one: Streamed) => number): number =>
        median(({ streams }) => (streams[index] ? pick(streams[index]) : 0));
      return {
        form,
        fps: of(({ fps }) => fps),
        task: of(({ task }) => task),
        work: of(({ work }) => work),
        heap: of(({ heap }) => heap),
      };
    }),
  };
}

const screens = 200;

async function scrolled(browser: Browser, server: PanelServer, turns: number): Promise<Scrolled> {
  const panel = await openPanel(await newPage(browser), server);
  try {
    await panel.page.evaluate(`window.view = ${JSON.stringify(longView(100))}`);
    await panel.page.evaluate(longer(turns));
    const opened = await traced(browser, panel, () =>
      panel.page.evaluate<number>(`new Promise((resolve) => {
      const began = performance.now();
      window.postMessage({ type: "snapshot", view: { ...window.view, turns: window.view.turns.slice(-60), more: true } });
      const look = () => document.querySelector(".turn") ? requestAnimationFrame(() => resolve(performance.now() - began)) : requestAnimationFrame(look);
      look();
    })`),
    );
    await drawn(panel.page);
    // As after all of it was scrolled through: whatever a person does, it is no more than this.
    await panel.page.evaluate(`window.postMessage({ type: "snapshot", view: window.view })`);
    await drawn(panel.page);
    const { result: nodes, longest, all } = await traced(browser, panel, () => panel.page.evaluate<number>(scrollUp));
    await panel.page.evaluate("window.view = null");
    return {
      open: opened.result,
      openWork: opened.all,
      scrollTask: longest,
      scrollWork: all / screens,
      nodes,
      heap: await heapOf(panel),
    };
  } finally {
    await panel.page.context().close();
  }
}

const Trace = z.object({
  traceEvents: z.array(
    z.looseObject({ name: z.string(), pid: z.number(), tid: z.number(), tdur: z.number().optional() }),
  ),
});

interface Traced<T> {
  readonly result: T;
  /** Milliseconds of processor time of the page's own thread: the longest task, and all of them. */
  readonly longest: number;
  readonly all: number;
}

/** Does something with the page, and tells how long that has kept it busy, however busy the machine is. */
async function traced<T>(browser: Browser, { page }: PanelPage, work: () => Promise<T>): Promise<Traced<T>> {
  await browser.startTracing(page, { categories: ["devtools.timeline", "toplevel"] });
  const result = await work();
  const { traceEvents } = Trace.parse(JSON.parse((await browser.stopTracing()).toString()));
  const tasks = new Map<string, number[]>();
  for (const { name, pid, tid, tdur = 0 } of traceEvents.filter(({ name: task }) => task.endsWith("RunTask")))
    tasks.set(`${pid} ${tid} ${name}`, [...(tasks.get(`${pid} ${tid} ${name}`) ?? []), tdur / 1_000]);
  const sum = (times: readonly number[]): number => times.reduce((total, time) => total + time, 0);
  const busiest = [...tasks.values()].toSorted((a, b) => sum(b) - sum(a))[0] ?? [];
  return { result, longest: busiest.reduce((most, time) => Math.max(most, time), 0), all: sum(busiest) };
}

/** The same turns again and again, each with an id of its own. */
const longer = (turns: number): string => `(() => {
  const { turns } = window.view;
  const many = Array.from({ length: ${turns} }, (_, n) => {
    const turn = structuredClone(turns[n % turns.length]);
    return { ...turn, runId: "run-" + n, messageId: "u-" + n, user: "Question " + n + ": " + turn.user };
  });
  window.view = { ...window.view, turns: many };
})()`;

const scrollUp = `new Promise((resolve) => {
  const box = document.querySelector(".transcript");
  let [nodes, count] = [0, 0];
  const step = () => {
    nodes = Math.max(nodes, document.querySelectorAll("*").length);
    count += 1;
    box.scrollTop -= 700;
    if (count < ${screens}) requestAnimationFrame(step); else requestAnimationFrame(() => resolve(nodes));
  };
  step();
})`;

async function heapOf({ page }: PanelPage): Promise<number> {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize / 1024 / 1024;
}

const pieces = 400;

async function streamedAll(browser: Browser, server: PanelServer): Promise<readonly Streamed[]> {
  const all: Streamed[] = [];
  for (const [form, text] of Object.entries(longAnswers)) all.push(await streamed(browser, server, form, text));
  return all;
}

async function streamed(browser: Browser, server: PanelServer, form: string, text: string): Promise<Streamed> {
  const panel = await openPanel(await newPage(browser), server);
  try {
    await panel.send({ type: "snapshot", view: story.fold([story.setup(), ...story.start("Write a book.")]) });
    await panel.page.evaluate(`window.text = ${JSON.stringify(text)}`);
    const { result, longest, all } = await traced(browser, panel, () => panel.page.evaluate<number>(streamIn));
    return { form, fps: result, task: longest, work: all / pieces, heap: await heapOf(panel) };
  } finally {
    await panel.page.context().close();
  }
}

const streamIn = `new Promise((resolve) => {
  const size = Math.ceil(window.text.length / ${pieces});
  const began = performance.now();
  let n = 0;
  const step = (now) => {
    if (n === ${pieces}) return resolve(${pieces} / ((now - began) / 1000));
    const content = window.text.slice(n * size, (n + 1) * size);
    n += 1;
    const event = { type: "stream:delta", runId: "run-1", messageId: "m1", iteration: 1, content };
    window.postMessage({ type: "events", events: [event] });
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;

/** The host's stand-in of the next page: it answers at once, as the host does, and notes when all is there. */
const answerAndWatch = (view: View): string => `
  window.view = ${JSON.stringify(view)};
  (() => {
    const look = () => {
      const there = document.querySelector("textarea")?.value === "half a sentence" && document.querySelector(".turn");
      if (there && window.answered) requestAnimationFrame(() => (window.restoredAt ??= performance.now()));
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    const timer = setInterval(() => {
      if (!window.posted?.some(({ type }) => type === "panel:ready")) return;
      clearInterval(timer);
      window.postMessage({ type: "snapshot", view: window.view });
      window.answered = true;
    });
  })();`;

async function restored(browser: Browser, server: PanelServer): Promise<Restored> {
  const panel = await openPanel(await newPage(browser), server);
  try {
    const view = longView(60);
    await panel.send({ type: "snapshot", view });
    await panel.page.getByLabel("Message to Brain").fill("half a sentence");
    await panel.page.evaluate("document.querySelector('.transcript').scrollTop /= 2");
    await drawn(panel.page);
    await panel.page.addInitScript(answerAndWatch(view));
    const { result, all } = await traced(browser, panel, async () => {
      await panel.page.reload();
      let at: number | undefined;
      while (at === undefined) {
        await drawn(panel.page);
        at = await panel.page.evaluate<number | undefined>("window.restoredAt");
      }
      return at;
    });
    return { restore: result, restoreWork: all };
  } finally {
    await panel.page.context().close();
  }
}

const manySessions = `(() => {
  const row = (n) => ({ id: "s" + n, title: "Session " + n, at: new Date(1.7e12 - n * 6e6).toISOString(), agent: "coder",
    model: "model", messages: n, cost: 0.1, pinned: n % 500 === 0, state: null, open: false });
  window.rows = Array.from({ length: 10_000 }, (_, n) => row(n));
})()`;

/** As the host sends them: the first ones soon, then in large parts. */
const showSessions = `new Promise((resolve) => {
  const began = performance.now();
  const send = (from, to, done) => window.postMessage({ type: "sessions:rows", number: 1, rows: window.rows.slice(from, to), gone: [], done });
  send(0, 100, false);
  for (let at = 100; at < 10_000; at += 2_000) send(at, at + 2_000, at + 2_000 >= 10_000);
  const look = () => document.querySelector("[aria-busy=false] .session-row") ? requestAnimationFrame(() => resolve(performance.now() - began)) : requestAnimationFrame(look);
  look();
})`;

async function listed(browser: Browser, server: PanelServer): Promise<Listed> {
  const panel = await openPanel(await newPage(browser), server);
  try {
    await panel.send({ type: "snapshot", view: longView(10) }, { type: "sessions:show", deleted: false });
    await panel.page.getByRole("searchbox").waitFor();
    await panel.page.evaluate(manySessions);
    const { result, all } = await traced(browser, panel, () => panel.page.evaluate<number>(showSessions));
    return { sessions: result, sessionsWork: all, sessionsNodes: await panel.page.locator("*").count() };
  } finally {
    await panel.page.context().close();
  }
}

/** Turns as they are in a day's work: a question, some calls, an answer with code. */
function longView(length: number): View {
  const turns = Array.from({ length }, (_, n): Turn => {
    const runId = `run-${n}`;
    const events = [
      ...story.start(`Please look at module ${n}.`, runId),
      ...[story.read(`r${n}`, `src/module${n}.js`), story.edit(`e${n}`), story.command(`c${n}`, "npm test")].flatMap(
        (call) => story.done({ ...call, run: runId }, `Line of what it gave back.\n`.repeat(20)),
      ),
      story.says(
        n % 5 === 0 ? story.answer : `Module ${n} is fine: see \`src/module${n}.js\`.\n\n- one\n- two\n`,
        "m",
        runId,
      ),
      story.said("m", false, runId),
      story.end("completed", runId),
    ];
    const [turn] = story.fold(events).turns;
    if (!turn) throw new Error("No turn was begun.");
    return turn;
  });
  return { ...story.fold([story.setup()]), session: { id: "session-1", title: "Long" }, turns };
}
