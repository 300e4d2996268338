// Measures Brain in a real VS Code beside the least possible extension: activation, memory of the extension host, first paint of the panel.
import { cp, mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Frame, Page } from "playwright-core";
import * as z from "zod";
import { launchBrowser } from "../support/browser.ts";
import { copyExample, tempDir } from "../support/example.ts";
import { root, run, sleep } from "../support/run.ts";
import { vscodeUnavailable } from "../support/vscodeInstall.ts";
import { installVsix, startServer } from "../support/vscodeServer.ts";
import { ensureVsix } from "../support/vsix.ts";

const subjects = {
  brain: { id: "brain-agent.brain-agent", tab: "Brain" },
  trivial: { id: "brain-bench.trivial", tab: "Trivial" },
} as const;
type Subject = keyof typeof subjects;

/** What is measured of one extension; times in milliseconds, memory in megabytes. */
export interface HostFigures {
  /** Load code + call activate + finish activate, as VS Code reports them. */
  readonly activation: number;
  readonly loadCode: number;
  readonly callActivate: number;
  readonly finishActivate: number;
  /** From the click on the tab to the first contentful paint in the webview; activation is in it. */
  readonly firstPaint: number;
  /** Added to the extension host by activation and an open, idle view, after garbage collection. */
  readonly heap: number;
  readonly rss: number;
}
type Figure = keyof HostFigures;

export interface HostReport {
  readonly runs: number;
  readonly brain: HostFigures;
  readonly trivial: HostFigures;
  /** Brain's median over the trivial extension's; `null` where that is zero or less. */
  readonly ratio: Readonly<Record<Figure, number | null>>;
  readonly all: readonly Readonly<Record<Subject, HostFigures>>[];
}

const Memory = z.object({ heapUsed: z.number(), external: z.number(), rss: z.number() });
type Memory = z.infer<typeof Memory>;

const figures: readonly Figure[] = [
  "activation",
  "loadCode",
  "callActivate",
  "finishActivate",
  "firstPaint",
  "heap",
  "rss",
];
const megabytes = (bytes: number): number => bytes / 1024 / 1024;

/** A profile with Brain, the trivial extension and the probe installed; every run starts from a copy. */
async function prepareProfile(dir: string): Promise<void> {
  const vsce = path.join(root, "node_modules/@vscode/vsce/vsce");
  const flags = ["--no-dependencies", "--allow-missing-repository", "--skip-license"];
  await installVsix(dir, await ensureVsix());
  for (const main of [import.meta.resolve("./trivial/extension.js"), import.meta.resolve("./probe/extension.js")]) {
    const cwd = path.dirname(fileURLToPath(main));
    const out = path.join(dir, `${path.basename(cwd)}.vsix`);
    await run(process.execPath, [vsce, "package", ...flags, "--out", out], { cwd });
    await installVsix(dir, out);
  }
}

async function ask(port: string, question: "/memory" | "/performance"): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${port}${question}`);
  if (!answer.ok) throw new Error(`The probe could not answer ${question}: ${await answer.text()}`);
  return answer.json();
}

async function probePort(file: string): Promise<string> {
  for (let tries = 0; tries < 600; tries++) {
    const port = await readFile(file, "utf8").catch(() => "");
    if (port !== "") return port;
    await sleep(100);
  }
  throw new Error("The probe extension did not start.");
}

/** The document inside the webview of an extension; VS Code writes it into a frame within the webview's own frame. */
async function innerFrame(page: Page, id: string): Promise<Frame> {
  const outer = await page.waitForSelector(`iframe.webview.ready[src*="extensionId=${id}"]`, { state: "attached" });
  const frame = await outer.contentFrame();
  const inner = await (await frame?.waitForSelector("#active-frame", { state: "attached" }))?.contentFrame();
  if (!inner) throw new Error(`${id} shows no webview.`);
  return inner;
}

// In the page, where there is a document: text, as these sources know no browser.
const firstPaint = `performance.timeOrigin + performance.getEntriesByName("first-contentful-paint")[0]?.startTime`;
const nextPress = `new Promise((resolve) => {
  const press = () => resolve(performance.timeOrigin + performance.now());
  document.addEventListener("mousedown", press, { capture: true, once: true });
})`;

/** The wall-clock moment of the first contentful paint in an extension's webview, waited for. */
async function paintedAt(page: Page, id: string): Promise<number> {
  // Asked again and again of the frame as it is then: VS Code writes its document anew, and a waiting promise in it is lost.
  for (let tries = 0; tries < 1500; tries++) {
    const moment = await (await innerFrame(page, id)).evaluate<number>(firstPaint);
    if (!Number.isNaN(moment)) return moment;
    await sleep(20);
  }
  throw new Error(`${id} painted nothing.`);
}

/** Clicks on the tab of an extension; gives the time from there to the first contentful paint in its webview. */
async function openAndTime(page: Page, subject: { id: string; tab: string }): Promise<number> {
  const pressed = page.evaluate<number>(nextPress);
  await page.locator(".activitybar").getByRole("tab", { name: subject.tab }).click();
  return (await paintedAt(page, subject.id)) - (await pressed);
}

type Activation = Pick<HostFigures, "activation" | "loadCode" | "callActivate" | "finishActivate">;

/** A row of the table: | extension | eager | load | call | finish | … */
function activationOf(text: string, id: string): Activation {
  const row = text.split("\n").find((line) => line.startsWith("|") && line.includes(` ${id} `));
  const cells = row?.split("|").map((cell) => cell.trim()) ?? [];
  const [loadCode = Number.NaN, callActivate = Number.NaN, finishActivate = Number.NaN] = cells.slice(3, 6).map(Number);
  const activation = loadCode + callActivate + finishActivate;
  if (Number.isNaN(activation)) throw new Error(`VS Code reports no activation of ${id}:\n${text}`);
  return { activation, loadCode, callActivate, finishActivate };
}

interface Opened {
  readonly firstPaint: number;
  readonly heap: number;
  readonly rss: number;
}

/** The host's memory when it has come to rest: two readings in a row that agree. */
async function readMemory(port: string): Promise<Memory> {
  const read = async (): Promise<Memory> => {
    await sleep(1000);
    return Memory.parse(await ask(port, "/memory"));
  };
  let last = await read();
  for (let tries = 0; tries < 15; tries++) {
    const next = await read();
    if (Math.abs(megabytes(next.heapUsed - last.heapUsed)) < 0.05) return next;
    last = next;
  }
  return last;
}

/** Opens one after the other in the same window, reading the memory between. */
async function openAll(page: Page, port: string, order: readonly Subject[]): Promise<Map<Subject, Opened>> {
  const opened = new Map<Subject, Opened>();
  let before = await readMemory(port);
  for (const name of order) {
    const firstPaint = await openAndTime(page, subjects[name]);
    const after = await readMemory(port);
    const heap = megabytes(after.heapUsed + after.external - before.heapUsed - before.external);
    opened.set(name, { firstPaint, heap, rss: megabytes(after.rss - before.rss) });
    before = after;
  }
  return opened;
}

async function measureIn(page: Page, port: string, order: readonly Subject[]): Promise<Record<Subject, HostFigures>> {
  for (const { tab } of Object.values(subjects))
    await page.locator(".activitybar").getByRole("tab", { name: tab }).waitFor();
  // The window's first webview pays for what all of them share.
  await openAndTime(page, { id: "brain-bench.probe", tab: "Probe" });
  const opened = await openAll(page, port, order);
  const text = z.string().parse(await ask(port, "/performance"));
  const figuresOf = (name: Subject): HostFigures => {
    const found = opened.get(name);
    if (found === undefined) throw new Error(`${name} was not opened.`);
    return { ...activationOf(text, subjects[name].id), ...found };
  };
  return { brain: figuresOf("brain"), trivial: figuresOf("trivial") };
}

/** One cold start: a new profile, server, browser and window. */
async function measureOnce(extensions: string, order: readonly Subject[]): Promise<Record<Subject, HostFigures>> {
  const temp = await tempDir("bench");
  const portFile = path.join(temp.dir, "probe-port");
  const workspace = path.join(temp.dir, "example");
  await mkdir(workspace);
  await copyExample(workspace);
  await cp(extensions, path.join(temp.dir, "extensions"), { recursive: true });
  const server = await startServer({ dir: temp.dir, trust: true, env: { BENCH_PROBE_PORT: portFile } });
  try {
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      await page.goto(server.folderUrl(workspace));
      return await measureIn(page, await probePort(portFile), order);
    } finally {
      await browser.close();
    }
  } finally {
    await server.stop();
    await temp.remove();
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

const perFigure = <T>(value: (figure: Figure) => T): Record<Figure, T> => ({
  activation: value("activation"),
  loadCode: value("loadCode"),
  callActivate: value("callActivate"),
  finishActivate: value("finishActivate"),
  firstPaint: value("firstPaint"),
  heap: value("heap"),
  rss: value("rss"),
});

function summarize(all: readonly Record<Subject, HostFigures>[]): HostReport {
  const of = (name: Subject): HostFigures => perFigure((figure) => median(all.map((one) => one[name][figure])));
  const brain = of("brain");
  const trivial = of("trivial");
  const ratio = perFigure((figure) => (trivial[figure] > 0 ? brain[figure] / trivial[figure] : null));
  return { runs: all.length, brain, trivial, ratio, all };
}

/** Medians over so many cold starts; which extension opens first alternates. */
export async function measureHost(runs = 5, say: (line: string) => void = () => undefined): Promise<HostReport> {
  const temp = await tempDir("bench-profile");
  try {
    await prepareProfile(temp.dir);
    const all: Record<Subject, HostFigures>[] = [];
    for (let index = 0; index < runs; index++) {
      const order = index % 2 === 0 ? (["trivial", "brain"] as const) : (["brain", "trivial"] as const);
      const one = await measureOnce(path.join(temp.dir, "extensions"), order);
      all.push(one);
      say(`run ${index + 1} of ${runs}: Brain ${brief(one.brain)}; trivial ${brief(one.trivial)}`);
    }
    return summarize(all);
  } finally {
    await temp.remove();
  }
}

const brief = (one: HostFigures): string =>
  `activated in ${one.activation} ms, painted after ${Math.round(one.firstPaint)} ms, heap ${one.heap >= 0 ? "+" : ""}${one.heap.toFixed(2)} MB`;

function table(report: HostReport): string {
  const cell = (value: number | null): string => (value === null ? "-" : value.toFixed(2)).padStart(10);
  const unit = (figure: Figure): string => `${figure} (${figure === "heap" || figure === "rss" ? "MB" : "ms"})`;
  const head = `${"".padEnd(20)}${["Brain", "trivial", "ratio"].map((name) => name.padStart(10)).join("")}`;
  const rows = figures.map(
    (figure) =>
      `${unit(figure).padEnd(20)}${cell(report.brain[figure])}${cell(report.trivial[figure])}${cell(report.ratio[figure])}`,
  );
  return [head, ...rows].join("\n");
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { runs: { type: "string", default: "5" }, json: { type: "boolean" } } });
  const reason = vscodeUnavailable();
  if (reason !== undefined) return console.log(`Skipped: ${reason}`);
  const report = await measureHost(Number(values.runs), (line) => console.error(line));
  console.log(
    values.json ? JSON.stringify(report, undefined, 2) : `Medians of ${report.runs} cold starts\n${table(report)}`,
  );
}

if (import.meta.main) await main();
