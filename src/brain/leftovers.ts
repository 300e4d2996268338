// What processes that died have left in a session's folder: removed when it is certain that nobody will come back for it.
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import type { SessionLayout } from "./layout.ts";
import { isGone } from "./process.ts";

/** Files on their way into their place, and guards of leases; never the lock itself. */
const leftover = /^(?:lock-.+|(?:lock.*|session\.json|transcript\.jsonl)\.[\da-f-]{36}\.tmp)$/;
/** Milliseconds after which nothing is still on its way, whoever has written it. */
const longest = 24 * 60 * 60 * 1000;
const Writer = z.object({ pid: z.number().int().positive(), host: z.string(), started: z.number() });

/**
 * To be called by who holds the session's lock: a guard of an earlier lease is then good for nothing. What cannot be
 * removed stays. Never throws.
 */
export async function sweepLeftovers({ folder }: SessionLayout): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  await Promise.all(names.filter((name) => leftover.test(name)).map((name) => sweep(join(folder, name))));
}

async function sweep(path: string): Promise<void> {
  try {
    if (await isLeft(path)) await rm(path, { force: true });
  } catch {
    // Another process may have been faster.
  }
}

async function isLeft(path: string): Promise<boolean> {
  // Disks elsewhere have clocks of their own; a day is more than they differ by.
  if (Date.now() - (await stat(path)).mtimeMs > longest) return true;
  const writer = Writer.safeParse(jsonOf(await readFile(path, "utf8"))).data;
  return writer?.host === hostname() && isGone(writer);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
