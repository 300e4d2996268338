// The loop beside a bare client reading the same stream: what Brain adds per turn, with its transcript on a real disk.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import OpenAI from "openai";
import { createBrain } from "../../src/headless.ts";
import { chatReply } from "../support/chatWire.ts";
import { startSse, type SseServer } from "../support/sse.ts";

export interface LoopReport {
  readonly turns: number;
  /** Milliseconds per turn of a bare client that reads the stream and answers each call with a constant. */
  readonly bare: number;
  /** The same through `createBrain`, each call reading a real file and being written to the transcript. */
  readonly brain: number;
  readonly ratio: number;
}

const serve = (turns: number): Promise<SseServer> =>
  startSse(
    ...Array.from({ length: turns }, (_, turn) => chatReply(turn, { calls: [["read_file", { path: "a.txt" }]] })),
    chatReply(turns, { text: "Done." }),
  );

interface BareCall {
  id: string;
  name: string;
  arguments: string;
}

async function readCall(stream: AsyncIterable<OpenAI.ChatCompletionChunk>): Promise<BareCall> {
  const call: BareCall = { id: "", name: "", arguments: "" };
  for await (const chunk of stream) {
    const part = chunk.choices[0]?.delta.tool_calls?.[0];
    if (part?.id) call.id = part.id;
    if (part?.function?.name) call.name = part.function.name;
    call.arguments += part?.function?.arguments ?? "";
  }
  return call;
}

async function bareRun(baseURL: string): Promise<void> {
  const client = new OpenAI({ apiKey: "none", baseURL, maxRetries: 0 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Read." }];
  for (;;) {
    const call = await readCall(await client.chat.completions.create({ model: "test", messages, stream: true }));
    if (call.id === "") return;
    const { id, name, arguments: json } = call;
    messages.push({ role: "assistant", tool_calls: [{ id, type: "function", function: { name, arguments: json } }] });
    messages.push({ role: "tool", tool_call_id: id, content: "a" });
  }
}

async function brainRun(baseUrl: string, workspace: string, turns: number): Promise<void> {
  const brain = createBrain({
    workspace,
    provider: "openai-chat",
    baseUrl,
    model: "test",
    config: { maxToolIterations: turns + 1 },
  });
  const { status } = await brain.run({ message: "Read." }).result;
  await brain.dispose();
  if (status !== "completed") throw new Error(`the run ended as ${status}`);
}

async function timed(turns: number, work: (baseUrl: string) => Promise<void>): Promise<number> {
  const server = await serve(turns);
  const started = performance.now();
  try {
    await work(server.baseUrl);
    return (performance.now() - started) / turns;
  } finally {
    await server.close();
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Medians over several rounds; in each round both run once, so that the ratio is of one moment. */
export async function measureLoop(turns: number, rounds: number): Promise<LoopReport> {
  const workspace = await mkdtemp(path.join(tmpdir(), "brain-bench-"));
  await writeFile(path.join(workspace, "a.txt"), "a\n");
  const bare: number[] = [];
  const brain: number[] = [];
  try {
    for (let round = 0; round <= rounds; round++) {
      const one = await timed(turns, bareRun);
      const other = await timed(turns, (baseUrl) => brainRun(baseUrl, workspace, turns));
      // The first round warms up what both have to load.
      if (round > 0) {
        bare.push(one);
        brain.push(other);
      }
    }
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
  const ratio = median(brain.map((value, index) => value / (bare[index] ?? 1)));
  return { turns, bare: median(bare), brain: median(brain), ratio };
}
