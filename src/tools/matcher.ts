// Finds the lines of texts that an expression fits, in a thread of its own that can be ended: some expressions never finish.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import * as z from "zod";

const Found = z.array(z.object({ line: z.number(), text: z.string() }));
/** A line, counted from 1, and its text, cut around the match when it is long. */
type Found = z.infer<typeof Found>;

export interface Matcher {
  /**
   * The first `most` lines that fit; `"slow"` when the text took too long, after which the matcher is of no more use.
   * @throws the signal's reason when it is aborted
   */
  find(text: string, most: number, signal: AbortSignal): Promise<Found | "slow">;
  close(): Promise<void>;
}

const longestLine = 300;
const leadingText = 100;

// Given as text because a bundle has no file of its own for it.
const program = `
const { parentPort, workerData } = require("node:worker_threads");
const expression = new RegExp(workerData.source, workerData.flags);
parentPort.on("message", ({ text, most }) => {
  const found = [];
  let line = 0;
  for (const full of text.split(/\\r?\\n/)) {
    line++;
    const match = expression.exec(full);
    if (match === null) continue;
    const from = full.length > ${longestLine} ? Math.max(0, match.index - ${leadingText}) : 0;
    const part = full.slice(from, from + ${longestLine});
    found.push({ line, text: (from > 0 ? "…" : "") + part + (from + ${longestLine} < full.length ? "…" : "") });
    if (found.length === most) break;
  }
  parentPort.postMessage(found);
});
`;

/** @param patience milliseconds that one text may take */
export async function openMatcher(expression: RegExp, patience: number): Promise<Matcher> {
  const { source, flags } = expression;
  const worker = new Worker(program, { eval: true, execArgv: [], workerData: { source, flags } });
  // `once` below reports a failure; without a listener of its own one between two texts would end the process.
  worker.on("error", () => undefined);
  await once(worker, "online");
  return {
    find: async (text, most, signal) => {
      const tooLong = AbortSignal.timeout(patience);
      worker.postMessage({ text, most }, []);
      try {
        const [answer] = await once(worker, "message", { signal: AbortSignal.any([signal, tooLong]) });
        return Found.parse(answer);
      } catch (error) {
        signal.throwIfAborted();
        if (tooLong.aborted) return "slow";
        throw error;
      }
    },
    close: async () => {
      await worker.terminate();
    },
  };
}
