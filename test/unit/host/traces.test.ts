// The trace of a run as the panel asks for it: found in a long session from its end, and with what the view knows of calls at work.
import assert from "node:assert/strict";
import path from "node:path";
import { createSessions } from "../../../src/brain/sessions.ts";
import { readTrace } from "../../../src/host/traces.ts";
import type { PanelEvent } from "../../../src/protocol/events.ts";
import type { Entry } from "../../../src/protocol/messages.ts";
import { emptyView, reduce } from "../../../src/protocol/view.ts";
import { fakeClock } from "../../support/kit.ts";
import { conversation, inFolder, sessionId } from "../brain/disk.ts";

describe("the trace that the panel asks for", () => {
  const inSession = (
    entries: readonly Entry[],
    test: (read: (events: readonly PanelEvent[], runId: string) => ReturnType<typeof readTrace>) => Promise<void>,
  ): Promise<void> =>
    inFolder(async (folder) => {
      const clock = fakeClock();
      const sessions = createSessions({ dir: path.join(folder, ".brain"), clock });
      const handle = await sessions.open(sessionId, { create: true, runId: "run-1" });
      await handle.append(entries);
      await handle.release();
      const opened: PanelEvent = { type: "session:open", sessionId, title: "" };
      await test((events, runId) =>
        readTrace({ sessions, view: [opened, ...events].reduce(reduce, emptyView), clock }, runId),
      );
    });
  const runs = Array.from({ length: 90 }, (_, n) => conversation(`run-${n}`, n * 60));

  it("is found wherever its run stands in the session, whole", () =>
    inSession(runs.flat(), async (read) => {
      for (const runId of ["run-0", "run-44", "run-89"]) {
        const trace = await read([], runId);
        assert.ok(trace);
        assert.deepEqual([trace.runId, trace.status], [runId, "completed"]);
        const calls = runs[0]?.filter((entry) => entry["role"] === "tool") ?? [];
        assert.equal(trace.spans.filter(({ kind }) => kind === "call").length, calls.length);
      }
      assert.equal(await read([], "never"), null);
    }));

  it("of a run that broke off ends with its last line; of one that goes on it reaches until now", () =>
    inSession([...(runs[0] ?? []), ...(runs[1] ?? []).slice(0, 2)], async (read) => {
      assert.equal((await read([], "run-1"))?.status, "aborted");
      const started: PanelEvent = {
        type: "loop:start",
        runId: "run-1",
        sessionId,
        message: "",
        messageId: "m",
        timestamp: "",
      };
      const trace = await read([started], "run-1");
      assert.equal(trace?.status, null);
      assert.ok(trace.spans.some(({ state }) => state === "running"));
    }));
});
