// What undo costs a command: the look at a workspace before and after it, the first time and every time after that.
import { appendFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { compose } from "../../src/compose.ts";

export interface SnapshotReport {
  readonly files: number;
  /** Milliseconds before the first command: every file is read and copied. */
  readonly cold: number;
  /** Before one of the commands after that, and behind it; medians. */
  readonly before: number;
  readonly after: number;
  /** Milliseconds of processor time for both, median. */
  readonly cpu: number;
  /** The longest that nothing else could happen in one of them, in milliseconds. */
  readonly block: number;
}

const inFolder = 20;
const sessionId = "11111111-2222-4333-8444-555555555555";
const never = (): Promise<never> => Promise.reject(new Error("nobody asks"));

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function fill(root: string, files: number): Promise<void> {
  for (let folder = 0; folder < files / inFolder; folder++) {
    const dir = path.join(root, `package${folder % 20}`, `part${folder}`);
    await mkdir(dir, { recursive: true });
    for (let file = 0; file < inFolder; file++)
      await writeFile(
        path.join(dir, `file${file}.ts`),
        `// ${folder} ${file}\n${"export const value = 1;\n".repeat(150)}`,
      );
  }
  await writeFile(path.join(root, ".gitignore"), "dist/\n*.log\n/coverage\n");
  await mkdir(path.join(root, ".brain/sessions", sessionId), { recursive: true });
}

interface Timed {
  readonly before: number;
  readonly after: number;
  readonly cpu: number;
}

export async function measureSnapshots(files: number, rounds: number): Promise<SnapshotReport> {
  const root = await mkdtemp(path.join(tmpdir(), "brain-bench-"));
  const delay = monitorEventLoopDelay({ resolution: 5 });
  try {
    await fill(root, files);
    const { ports } = compose({
      root,
      brainDir: path.join(root, ".brain"),
      trusted: true,
      choice: never,
      approve: never,
      commandTimeout: () => 1_000,
      undoMaxSize: () => 1_000,
      log: () => undefined,
    });
    const one = async (round: number): Promise<Timed> => {
      const call = { sessionId, runId: "run", toolCallId: `call-${round}`, effect: "run", writes: [] } as const;
      const cpu = process.cpuUsage();
      const started = performance.now();
      const taken = await ports.snapshots?.before(call, new AbortController().signal);
      const ready = performance.now();
      await appendFile(path.join(root, "package1/part1/file1.ts"), "x");
      const ran = performance.now();
      const found = await taken?.after();
      const { user, system } = process.cpuUsage(cpu);
      if (found?.changes?.files.length !== 1) throw new Error("a change was not found");
      return { before: ready - started, after: performance.now() - ran, cpu: (user + system) / 1_000 };
    };
    const first = await one(0);
    delay.enable();
    const warm: Timed[] = [];
    for (let round = 1; round <= rounds; round++) warm.push(await one(round));
    const of = (part: keyof Timed): number => median(warm.map((timed) => timed[part]));
    const costs = { cold: first.before, before: of("before"), after: of("after"), cpu: of("cpu") };
    return { files, ...costs, block: delay.max / 1e6 };
  } finally {
    delay.disable();
    await rm(root, { recursive: true, force: true });
  }
}
