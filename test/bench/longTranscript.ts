// A session of any length on the disk: runs of ten entries of about a kilobyte, compacted now and then, as a year of work leaves it.
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { once } from "node:events";
import type { Entry } from "../../src/protocol/messages.ts";

export const longSession = "11111111-2222-4333-8444-555555555555";

const entriesOfRun = 10;
/** Runs from one compaction to the next. */
const cycle = 100;
const usage = { input: 5_000, output: 300 };

/** Writes a session of so many entries into a `.brain` folder. @param compacted false: none of it was ever summarised */
export async function writeLongSession(dir: string, entries: number, compacted: boolean): Promise<void> {
  const folder = join(dir, "sessions", longSession);
  await mkdir(folder, { recursive: true });
  const file = createWriteStream(join(folder, "transcript.jsonl"));
  for (let run = 0; run < Math.floor(entries / entriesOfRun); run++) {
    const lines = entriesIn(run, compacted && run % cycle === cycle - 1);
    if (!file.write(lines.map((entry) => `${JSON.stringify(entry)}\n`).join(""))) await once(file, "drain");
  }
  file.end();
  await once(file, "finish");
}

function entriesIn(run: number, compact: boolean): Entry[] {
  const runId = `run-${run}`;
  const timestamp = new Date(Date.UTC(2026, 0, 1) + run * 60_000).toISOString();
  const line = (id: string) => ({ id: `${runId}-${id}`, runId, timestamp });
  const compaction = { summary: "s".repeat(900), carried: [], messages: 900, tokensBefore: 90_000, tokensAfter: 9_000 };
  const steps = [0, 1, 2, 3].flatMap((n): Entry[] => [
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id: `${runId}-c${n}`, name: "read_file", arguments: '{"path":"src/price.js"}' }],
      ...line(`a${n}`),
      iteration: n,
    },
    {
      role: "tool",
      tool_call_id: `${runId}-c${n}`,
      content: "const price = 1;\n".repeat(120),
      ...line(`t${n}`),
      name: "read_file",
      status: "succeeded",
      duration: 3,
    },
  ]);
  const [last] = steps.slice(-1);
  return [
    { role: "user", content: `Task ${run}: ${"please ".repeat(60)}`, ...line("u") },
    ...(compact && last
      ? [
          ...steps.slice(0, -1),
          last,
          { type: "compaction" as const, ...line("c"), ...compaction, firstKeptId: `${runId}-u` },
        ]
      : steps),
    { type: "run_end", ...line("e"), status: "completed", duration: 5_000, usage },
  ];
}
