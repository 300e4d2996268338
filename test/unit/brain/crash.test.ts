import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { readEntries, readTranscript } from "../../../src/brain/transcript.ts";
import { isMessage, type Entry } from "../../../src/protocol/messages.ts";
import { says } from "../../support/kit.ts";
import { inFolder, sessionId } from "./disk.ts";
import { assertValid, runOn, type Shown } from "./working.ts";

const crasher = fileURLToPath(new URL("crasher.ts", import.meta.url));
const slow = process.env["BRAIN_SLOW"] === "1";
const lanes = 4;
const crashesPerLane = slow ? 50 : 15;

describe("a process that is killed", () => {
  it(`C-10 at any of ${lanes * crashesPerLane} instants leaves all that was shown, and a session that goes on`, () =>
    Promise.all(Array.from({ length: lanes }, (_, lane) => inFolder((dir) => crashAgainAndAgain(dir, lane))))).timeout(
    slow ? 600_000 : 180_000,
  );
});

/** One session, killed and continued many times. */
async function crashAgainAndAgain(dir: string, lane: number): Promise<void> {
  const path = join(dir, "sessions", sessionId, "transcript.jsonl");
  const shown: Shown[] = [];
  for (let crash = 0; crash < crashesPerLane; crash++) {
    const seed = lane * 1_000 + crash;
    shown.push(...(await crashOnce(dir, seed)));
    const { repairs } = await readTranscript(path);
    assert.deepEqual(
      repairs.filter((repair) => !repair.startsWith("The last run was interrupted")),
      [],
      `seed ${seed}`,
    );
    const run = runOn({ dir, request: { sessionId, create: true, message: "Go on." }, scripts: [says("Yes.")] });
    const { status, output, failure } = await run.result;
    assert.deepEqual([failure, status, output], [undefined, "completed", "Yes."], `seed ${seed}`);
    assertValid(run.model.requests[0]?.messages ?? []);
    assertHeld(await readEntries(path), shown);
  }
}

/** @returns what it had shown when it was killed, at an instant that depends on the seed and on the machine */
async function crashOnce(dir: string, seed: number): Promise<Shown[]> {
  const child = spawn(process.execPath, [crasher, dir, String(seed)], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const closed = once(child, "close");
  await once(child.stdout, "data");
  await wait((seed * 7_919) % 97);
  child.kill("SIGKILL");
  const [, signal] = await closed;
  assert.equal(signal, "SIGKILL", `seed ${seed}: it ended by itself`);
  const lines = text.split("\n").slice(0, -1);
  return lines.map((line): Shown => JSON.parse(line));
}

function assertHeld(entries: readonly Entry[], shown: readonly Shown[]): void {
  const messages = entries.filter(isMessage);
  const users = new Set(messages.flatMap((entry) => (entry.role === "user" ? [entry.id] : [])));
  const results = new Map(
    messages.flatMap((entry) => (entry.role === "tool" ? [[entry.tool_call_id, entry.content]] : [])),
  );
  const ends = new Set(entries.flatMap((entry) => (isMessage(entry) ? [] : [entry.runId])));
  for (const one of shown) {
    if (one.kind === "message") assert.ok(users.has(one.id), `message ${one.id} is lost`);
    if (one.kind === "result") assert.ok(results.get(one.id) === one.text, `the result of ${one.id} is lost`);
    if (one.kind === "end") assert.ok(ends.has(one.id), `the end of run ${one.id} is lost`);
  }
}
