// How long it takes to open a long session, to show it and to go on with it, and what that takes of memory: each in a process of its own.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as z from "zod";
import { writeLongSession } from "./longTranscript.ts";

const Probed = z.object({ ms: z.number(), rss: z.number() });
/** `ms`: milliseconds; `rss`: megabytes above those of the bare process, at the most. Medians. */
export type Opening = z.infer<typeof Probed> & { readonly name: string };

const probe = fileURLToPath(new URL("openingProbe.ts", import.meta.url));

/** @param entries lines of the long session, of about a kilobyte each */
export async function measureOpening(
  entries: number,
  times: number,
  each: (opening: Opening) => void,
): Promise<readonly Opening[]> {
  const dir = await mkdtemp(path.join(tmpdir(), "brain-opening-"));
  const [long, plain, short] = [path.join(dir, "long"), path.join(dir, "plain"), path.join(dir, "short")];
  try {
    await writeLongSession(long, entries, true);
    await writeLongSession(plain, entries, false);
    await writeLongSession(short, 10, false);
    const openings: Opening[] = [];
    const measure = async (name: string, folder: string, what: string): Promise<void> => {
      const found: z.infer<typeof Probed>[] = [];
      for (let n = 0; n < times; n++) found.push(await run(folder, what));
      const opening = { name, ms: median(found.map(({ ms }) => ms)), rss: median(found.map(({ rss }) => rss)) };
      openings.push(opening);
      each(opening);
    };
    await measure("to show it", long, "display");
    await measure("for the model, read through", long, "model");
    // What was appended by then is the end of a run: from here on it is known where to read on.
    await measure("a message at the end of it", long, "append");
    await measure("for the model, read on", long, "model");
    await measure("for the model, never compacted", plain, "model");
    await measure("a message at the beginning of one", short, "append");
    return openings;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function run(folder: string, what: string): Promise<z.infer<typeof Probed>> {
  const { stdout } = await promisify(execFile)(process.execPath, [probe, folder, what]);
  return Probed.parse(JSON.parse(stdout));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
