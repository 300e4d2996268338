// `brain trace` in this process: the waterfall of each run as text, one run alone, JSON, and bad input.
import assert from "node:assert/strict";
import path from "node:path";
import { createSessions } from "../../src/brain/sessions.ts";
import { traceCommand } from "../../src/cliTrace.ts";
import { calls, kit, says, scriptedModel, tool } from "../support/kit.ts";
import { slowly, wait } from "../support/recording.ts";
import { fakeClock } from "../support/kit.ts";
import { inFolder, sessionId } from "./brain/disk.ts";

describe("brain trace", () => {
  /** One run: a request of 400 ms, a call that waits 300 ms for a person and works 200 ms, an answer of 100 ms. */
  async function recorded() {
    const clock = (): ReturnType<typeof fakeClock> => made.clock;
    const made = kit({
      model: scriptedModel(
        slowly(clock, calls(["c", "run_command", { path: "a.js" }]), [400]),
        slowly(clock, says("Done."), [100]),
      ),
      tools: [
        tool("run_command", {
          effect: "run",
          async run({ signal }) {
            await wait(made.clock, 200, signal);
            return { status: "succeeded", content: "ran" };
          },
        }),
      ],
      async approve(_call, signal) {
        await wait(made.clock, 300, signal);
        return { decision: { kind: "approve" }, by: "person" };
      },
    });
    const started = made.start({ message: "Run it.\nNow." });
    await made.clock.advance(5_000);
    await started.result;
    return made.lines;
  }

  const inProject = (test: (trace: (...args: string[]) => Promise<string>) => Promise<void>): Promise<void> =>
    inFolder(async (folder) => {
      const store = createSessions({ dir: path.join(folder, ".brain"), clock: fakeClock() });
      const handle = await store.open(sessionId, { create: true, runId: "run-1" });
      await handle.append(await recorded());
      await handle.release();
      await test(async (...args) => {
        let stdout = "";
        const run = traceCommand({
          read: (parse) => parse(),
          folder: () => folder,
          print: (value) => (stdout += `${JSON.stringify(value)}\n`),
          write: (text) => (stdout += text),
          usage: (message) => new Error(message),
        });
        assert.equal(await run(args), "completed");
        return stdout;
      });
    });

  it("draws each run: when it worked, when a person was asked, and what it took", () =>
    inProject(async (trace) => {
      assert.equal(
        await trace(sessionId),
        [
          "run id-1: Run it.",
          "completed after 1.00 s, waited for you 0.30 s, 20 tokens read, 7 written",
          "   0.00 s    0.90 s │█████████████────────────────   │ request 1 to scripted, 10 tokens read, 5 written, first word after 0.40 s",
          "   0.40 s    0.50 s │             ░░░░░░░░░███████   │   run_command a.js",
          "   0.90 s    0.10 s │                             ███│ request 2 to scripted, 10 tokens read, 2 written, first word after 0.10 s",
          "",
          "",
        ].join("\n"),
      );
    }));

  it("prints one run alone, and JSON; and says what is wrong with what was given", () =>
    inProject(async (trace) => {
      const one: unknown = JSON.parse(await trace(sessionId, "--run", "id-1", "--json"));
      assert.ok(typeof one === "object" && one !== null && "duration" in one);
      assert.equal(one.duration, 1_000);
      await assert.rejects(trace(sessionId, "--run", "none"), /There is no run “none” in it/);
      await assert.rejects(trace(), /Name one session/);
      await assert.rejects(trace("00000000-0000-4000-8000-000000000000"), /There is no session/);
    }));
});
