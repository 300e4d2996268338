// An answer of 200,000 tokens through the loop and the host's fold: how long anything is blocked, and what stays in memory.
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Worker } from "node:worker_threads";
import * as z from "zod";
import { compose } from "../../src/compose.ts";
import { startRun } from "../../src/engine/run.ts";
import { join } from "../../src/host/outflow.ts";
import { createFold } from "../../src/host/fold.ts";
import type { PanelEvent } from "../../src/protocol/events.ts";
import { loopDefaults, type ProviderName } from "../../src/protocol/config.ts";

interface LongAnswerReport {
  readonly wire: string;
  readonly tokens: number;
  /** Milliseconds for the whole answer. */
  readonly total: number;
  /** Milliseconds of processor time for which nothing else could be done, at most. */
  readonly block: number;
  /** Megabytes that are held beside the answer itself: when it is complete, and when the run is over. */
  readonly held: number;
  readonly after: number;
}

const Address = z.object({ port: z.number() });

/** What is held is told exactly only where node runs with `--expose-gc`. */
export async function measureLongAnswer(
  tokens: number,
  say: (report: LongAnswerReport) => void,
): Promise<readonly LongAnswerReport[]> {
  const reports: LongAnswerReport[] = [];
  for (const wire of ["openai-chat", "openai-responses", "anthropic"] as const) {
    // The first loads and warms what all of them need.
    await measureOne(wire, Math.min(tokens, 20_000));
    const report = await measureOne(wire, tokens);
    reports.push(report);
    say(report);
  }
  return reports;
}

async function measureOne(wire: ProviderName, tokens: number): Promise<LongAnswerReport> {
  const root = await mkdtemp(path.join(tmpdir(), "brain-bench-"));
  const worker = new Worker(new URL("longAnswerServer.ts", import.meta.url), { workerData: { wire, tokens } });
  try {
    const [address]: unknown[] = await once(worker, "message");
    const { port } = Address.parse(address);
    const before = heap();
    const started = performance.now();
    const { length, held, block, ended } = await answer(root, wire, `http://127.0.0.1:${port}/v1`);
    const total = ended - started;
    if (length < tokens * 4) throw new Error(`the answer had ${length} characters`);
    return { wire, tokens, total, block, held: held - before, after: heap() - before };
  } finally {
    await worker.terminate();
    await rm(root, { recursive: true, force: true });
  }
}

interface Answered extends Pick<LongAnswerReport, "block" | "held"> {
  readonly length: number;
  readonly ended: number;
}

/** One run as the host does it: folded, joined and posted to a panel that takes a frame to draw. */
async function answer(root: string, wire: ProviderName, baseUrl: string): Promise<Answered> {
  const { ports, dispose } = compose({
    root,
    brainDir: path.join(root, ".brain"),
    trusted: true,
    choice: () => Promise.resolve({ provider: wire, baseUrl, apiKey: "none", model: "m", contextWindow: 1_000_000 }),
    approve: () => Promise.reject(new Error("nothing is asked")),
    commandTimeout: () => 1_000,
    undoMaxSize: () => 0,
    log: () => undefined,
  });
  const panel = postingTo();
  const fold = createFold(panel.event, () => undefined);
  const turns = watchTurns();
  const run = startRun({ message: "Write." }, ports, loopDefaults, fold.event);
  const { output, status } = await run.result;
  if (status !== "completed") throw new Error(`the run ended as ${status}`);
  const block = turns.stop();
  const ended = performance.now();
  const told = panel.close();
  const held = heap();
  // Until here the host has the run.
  if (run.steer("late")) throw new Error("the run goes on");
  await dispose();
  if (told < output.length) throw new Error("the panel was told too little");
  return { length: output.length, held, block, ended };
}

/** As the bridge does it: neighbours joined, and sent about every second frame. */
function postingTo(): { readonly event: (event: PanelEvent) => void; readonly close: () => number } {
  let queue: PanelEvent[] = [];
  let characters = 0;
  const post = (): void => {
    characters += JSON.stringify(join(queue)).length;
    queue = [];
  };
  const timer = setInterval(post, 32);
  return {
    event: (event) => void queue.push(event),
    close() {
      clearInterval(timer);
      post();
      return characters;
    },
  };
}

/** The most processor time that one turn of the event loop took: what else the machine does is not in it. */
function watchTurns(): { readonly stop: () => number } {
  let most = 0;
  let before = cpu();
  let watching = true;
  const look = (): void => {
    const now = cpu();
    most = Math.max(most, now - before);
    before = now;
    if (watching) setImmediate(look);
  };
  setImmediate(look);
  return {
    stop() {
      watching = false;
      return most;
    },
  };
}

/** Milliseconds of this thread. */
function cpu(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Megabytes; after a collection where that can be asked for. */
function heap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1e6;
}
