import assert from "node:assert/strict";
import { hostname } from "node:os";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isThere } from "../../../src/brain/sessionFolder.ts";
import { createSessions } from "../../../src/brain/sessions.ts";
import { readTranscript } from "../../../src/brain/transcript.ts";
import { LoopError } from "../../../src/protocol/errors.ts";
import type { Entry } from "../../../src/protocol/messages.ts";
import { conversation, inFolder, sessionId, stillClock, toText } from "./disk.ts";
import { failAt } from "./nthFault.ts";

const open = { create: true, runId: "next" };
const summary = { id: sessionId, title: "By hand", created: "", updated: "", messageCount: 0 };
const cache = { ...summary, usage: { input: 0, output: 0 }, agent: null, model: null, status: null };

interface Before {
  readonly text?: string;
  readonly lock?: string;
  readonly isOpenedBefore?: boolean;
}

const compacted: readonly Entry[] = [0, 1, 2, 3]
  .flatMap((n) => conversation(`run-${n}`, n))
  .concat([
    {
      type: "compaction",
      id: "c",
      runId: "run-4",
      timestamp: "2026-01-02T10:00:30.000Z",
      summary: "Short.",
      carried: [],
      firstKeptId: "run-3-user",
      messages: 9,
      tokensBefore: 9,
      tokensAfter: 1,
    },
  ]);
const lease = { token: "t", sessionId, runId: "dead", pid: 2 ** 22 + 1, host: hostname(), started: 0 };
const dead = { ...lease, acquiredAt: "2026-01-01T00:00:00.000Z", expiresAt: "2999-01-01T00:00:00.000Z" };
const sessions: Readonly<Record<string, Before>> = {
  "a new session": {},
  "a session": { text: toText(conversation()) },
  "an interrupted run": { text: toText(conversation().slice(0, 3)) },
  "a torn line": { text: `${toText(conversation())}{"torn` },
  "a compacted session": { text: toText(compacted), isOpenedBefore: true },
  "the lock of a dead process": { text: toText(conversation()), lock: JSON.stringify(dead) },
};

describe("a disk that refuses while a session is opened", () => {
  for (const [name, before] of Object.entries(sessions))
    for (const [code, stays] of [
      ["EIO", false],
      ["EACCES", false],
      ["ENOSPC", true],
    ] as const)
      it(`BRAIN-INTAKE-10, BRAIN-PERS-4 ${name}, ${code} ${stays ? "from" : "at"} each operation: said, and nothing lost`, () =>
        tryEach(before, { code, stays }));
});

/** Until an opening goes through without coming to the operation that would be refused. */
async function tryEach(before: Before, fault: { code: string; stays: boolean }): Promise<void> {
  for (let at = 0; ; at++) {
    assert.ok(at < 200, "it never ends");
    if (await inFolder((dir) => tryOne(dir, before, { ...fault, at }))) return;
  }
}

async function tryOne(
  dir: string,
  before: Before,
  fault: { at: number; code: string; stays: boolean },
): Promise<boolean> {
  const { path, all } = await prepare(dir, before);
  const faults = failAt(dir, fault);
  const opened = await openOnce(dir).finally(() => faults.stop());
  const what = `operation ${fault.at}: ${faults.refused()}`;
  if (opened instanceof Error) {
    assert.ok(opened instanceof LoopError, `${what}: ${String(opened)}`);
    assert.ok(["disk_write", "session_not_found"].includes(opened.code), `${what}: ${opened.code}`);
    assert.match(opened.message, /^Could not (?:read|write) .+: .+\.$/, what);
  } else assertEnd(opened, all, what);
  // What cannot be removed is stale as soon as its process is gone; here it is still there.
  if (fault.stays && (await isThere(join(path, "..", "lock")))) return false;
  const next = await openOnce(dir);
  assert.ok(!(next instanceof Error), what);
  assertEnd(next, all, what);
  assert.deepEqual((await readTranscript(path)).entries, all, what);
  const kept = await readFile(join(path, "..", "session.json"), "utf8").catch(() => "");
  assert.equal(kept.includes("By hand"), before.text !== undefined, what);
  return faults.refused() === "";
}

async function prepare(dir: string, before: Before): Promise<{ path: string; all: readonly Entry[] }> {
  const folder = join(dir, "sessions", sessionId);
  const path = join(folder, "transcript.jsonl");
  if (before.text === undefined) return { path, all: [] };
  await mkdir(folder, { recursive: true });
  await writeFile(path, before.text);
  await writeFile(join(folder, "session.json"), JSON.stringify(cache));
  if (before.isOpenedBefore === true) await createSessions({ dir, clock: stillClock() }).rename(sessionId, "By hand");
  if (before.lock !== undefined) await writeFile(join(folder, "lock"), before.lock);
  return { path, all: (await readTranscript(path)).entries };
}

/** What the one who opens it reads, or why that failed. */
async function openOnce(dir: string): Promise<readonly Entry[] | Error> {
  try {
    const session = await createSessions({ dir, clock: stillClock() }).open(sessionId, open);
    await session.release();
    return session.history;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function assertEnd(read: readonly Entry[], all: readonly Entry[], what: string): void {
  assert.deepEqual(read, all.slice(all.length - read.length), what);
  assert.equal(read.length === 0, all.length === 0, what);
}
