// One process that opens one session in one way, and says what it took: `node openingProbe.ts DIR display|model|append`.
import { createSessions } from "../../src/brain/sessions.ts";
import type { Clock } from "../../src/engine/ports.ts";
import { longSession } from "./longTranscript.ts";

const [dir = "", what = ""] = process.argv.slice(2);
const clock: Clock = { now: () => Date.now(), after: () => () => undefined };
const sessions = createSessions({ dir, clock });
const at = new Date().toISOString();
const appends = 200;

const before = process.memoryUsage().rss;
const start = performance.now();
const spent = what === "append" ? await append() : await opened();
const { maxRSS } = process.resourceUsage();
console.log(JSON.stringify({ ms: spent, rss: maxRSS / 1024 - before / 1024 / 1024 }));

async function opened(): Promise<number> {
  if (what === "display") {
    await sessions.readTail(longSession, 200);
    return performance.now() - start;
  }
  const session = await sessions.open(longSession, { create: false, runId: `probe-${process.pid}` });
  const took = performance.now() - start;
  await session.release();
  return took;
}

/** Milliseconds for one message, as an average. */
async function append(): Promise<number> {
  const runId = `probe-${process.pid}`;
  const session = await sessions.open(longSession, { create: true, runId });
  const begun = performance.now();
  for (let n = 0; n < appends; n++)
    await session.append([{ role: "user", content: "x".repeat(900), id: `${runId}-${n}`, runId, timestamp: at }]);
  const each = (performance.now() - begun) / appends;
  const usage = { input: 1, output: 1 };
  const end = { id: `${runId}-end`, runId, timestamp: at, status: "completed", duration: 1, usage } as const;
  await session.append([{ type: "run_end", ...end }]);
  await session.release();
  return each;
}
