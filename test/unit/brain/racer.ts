// A process that opens one session again and again, and says so when somebody else was inside at the same time.
import { closeSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createSessions } from "../../../src/brain/sessions.ts";
import type { Clock } from "../../../src/engine/ports.ts";
import { LoopError } from "../../../src/protocol/errors.ts";
import { sessionId } from "./disk.ts";

const [dir = "", name = "", rounds = "0"] = process.argv.slice(2);
const clock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};
const sessions = createSessions({ dir, clock });

for (let round = 0; round < Number(rounds);) {
  try {
    const runId = `${name}-${round}`;
    const session = await sessions.open(sessionId, { create: true, runId });
    closeSync(openSync(join(dir, "inside"), "wx"));
    const line = { id: runId, runId, timestamp: new Date().toISOString() };
    await session.append([{ role: "user", content: name, ...line }]);
    if (name === "crash") process.kill(process.pid, "SIGKILL");
    const usage = { input: 1, output: 1 };
    await session.append([{ type: "run_end", ...line, id: `${runId}-end`, status: "completed", duration: 1, usage }]);
    rmSync(join(dir, "inside"));
    await session.release();
    round++;
  } catch (error) {
    if (!(error instanceof LoopError) || error.code !== "session_busy") throw error;
    await wait(Math.random() * 4);
  }
}
