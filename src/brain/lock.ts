// The session's lock: a lease in a file, so that windows and processes exclude each other and a crash locks nobody out.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { link, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import * as z from "zod";
import type { Clock } from "../engine/ports.ts";
import { LoopError } from "../protocol/errors.ts";
import { codeOf, diskError, readIfThere, severalTries, writeAtomic } from "./files.ts";
import { isGone } from "./process.ts";

const Lease = z.object({
  /** Tells one lease from the next; part of a file name. */
  token: z.string().regex(/^[\w-]{1,64}$/),
  sessionId: z.string(),
  runId: z.string(),
  pid: z.number().int().positive(),
  host: z.string(),
  /** When the process started: tells it from a later one with the same pid. */
  started: z.number(),
  acquiredAt: z.string(),
  expiresAt: z.string(),
});
type Lease = z.infer<typeof Lease>;

/** How long a lock file that cannot be read counts as one that is just being written, in milliseconds. */
const settling = 5_000;
/** How long a lease may be in the middle of being changed, in milliseconds. */
const guardTimeout = 60_000;
/** So often the lock may vanish or change between two looks at it; more is no race, but a link that leads nowhere. */
const longestRace = 1_000;
/** A lease is refreshed so many times before it could expire. */
const beats = 4;

/** Who has a lock, as others may know it. */
export type Owner = Pick<Lease, "token" | "runId" | "host">;

export interface Lock {
  /** Tells this lease from every other. */
  readonly token: string;
  /**
   * True when the file says so at this instant, without a doubt. Never throws. False may also mean that only `check` can
   * tell: that the lease has to be renewed, say.
   */
  holds(): boolean;
  /**
   * To be called before each write that `holds` did not allow.
   * @throws LoopError `session_busy` when somebody else has the lock now
   */
  check(): Promise<void>;
  /** Idempotent. Never throws. Removes only its own lock. */
  release(): Promise<void>;
}

/**
 * Takes the lock at `path`, over a stale one if need be, and keeps it fresh until it is released.
 * @param path file that is the lock
 * @param who goes into the file, for others to read
 * @param time after `timeout` milliseconds without a refresh the lock is anybody's
 * @throws LoopError `session_busy` naming who has it, or `disk_write`
 */
export async function acquireLock(
  path: string,
  who: { sessionId: string; runId: string },
  time: { clock: Clock; timeout: number },
): Promise<Lock> {
  const { clock, timeout } = time;
  const expiry = (): string => new Date(clock.now() + timeout).toISOString();
  const acquiredAt = new Date(clock.now()).toISOString();
  let lease: Lease = { ...who, ...thisProcess(), token: randomUUID(), acquiredAt, expiresAt: expiry() };
  throwIfBusy(await take(path, { lease, clock }));

  const refresh = async (): Promise<void> => {
    const fresh = { ...lease, expiresAt: expiry() };
    const change = await changeLease(path, lease, { lease, clock }, () => writeAtomic(path, JSON.stringify(fresh)));
    if (change !== "done") throw busy(await read(path));
    lease = fresh;
  };
  let renewals = Promise.resolve();
  const renew = (): Promise<void> => {
    const renewed = renewals.then(refresh);
    renewals = renewed.catch(() => undefined);
    return renewed;
  };
  let cancelBeat = clock.after(timeout / beats, beat);
  function beat(): void {
    // A refresh that fails is tried again at the next beat; a lock that was lost shows at the next check.
    renew().catch(() => undefined);
    cancelBeat = clock.after(timeout / beats, beat);
  }

  let released: Promise<void> | undefined;
  return {
    token: lease.token,
    holds() {
      return !released && !isExpired(lease, clock) && textNow(path) === JSON.stringify(lease);
    },
    async check() {
      const owner = await read(path);
      if (owner === null) {
        // The file was deleted by hand: nobody else has the lock.
        throwIfBusy(await take(path, { lease, clock }));
      } else if (owner.token !== lease.token) {
        throw busy(owner);
      } else if (isExpired(owner, clock)) {
        await renew();
      }
    },
    release() {
      cancelBeat();
      const remove = (): Promise<void> => rm(path, { force: true, maxRetries: 5 });
      // A full disk has no room for a guard: then the lock is removed without one (BRAIN-PERS-8).
      const force = async (): Promise<void> => {
        if ((await read(path))?.token === lease.token) await remove();
      };
      released ??= renewals
        .then(() => changeLease(path, lease, { lease, clock }, remove))
        // A guard of its own that could not be removed is in nobody's way.
        .then((other) => (typeof other === "object" && isOwn(other, lease) ? force() : undefined))
        .catch(force)
        // What cannot be removed is stale as soon as this process is gone.
        .then(ignore, ignore);
      return released;
    },
  };
}

/**
 * Who has the lock at `path`; null when nobody who lives does. Only looks.
 * @throws LoopError `disk_write` when it cannot be read
 */
export async function ownerOf(path: string, clock: Clock): Promise<Owner | null> {
  const lease = await read(path);
  return lease && !isStale(lease, clock) ? lease : null;
}

/** Who wants a lock, and the time by which others are judged. */
interface Claim {
  readonly lease: Lease;
  readonly clock: Clock;
}

/** Puts the claim's lease at `path` unless somebody alive is there. Answers with who that is, or null when it is done. */
async function take(path: string, claim: Claim): Promise<Lease | null> {
  for (let attempt = 0; attempt < longestRace; attempt++) {
    if (await create(path, claim.lease)) return null;
    const owner = await read(path);
    if (owner === null) continue;
    if (!isStale(owner, claim.clock)) return owner;
    const change = await changeLease(path, owner, claim, () => writeAtomic(path, JSON.stringify(claim.lease)));
    if (change === "done") return null;
    if (change !== "moved") return change;
  }
  throw diskError(path, new Error("something that is no lock is in its place"));
}

/**
 * Replaces or removes the lease that `path` holds. Whoever wants to do that first holds a guard named after that very
 * lease, so that of two that found it stale only one takes it over, and the other does not take over the new one. A guard
 * is a lock like any other: a crash while holding it makes it stale.
 * @returns "moved" when `path` holds another lease by now; the guard's owner when somebody else is changing it
 */
async function changeLease(
  path: string,
  held: Lease,
  claim: Claim,
  change: () => Promise<void>,
): Promise<"done" | "moved" | Lease> {
  const guard = `${path}-${held.token}`;
  const expiresAt = new Date(claim.clock.now() + guardTimeout).toISOString();
  const lease = { ...claim.lease, token: randomUUID(), expiresAt };
  const other = await take(guard, { ...claim, lease });
  if (other) return other;
  try {
    if ((await read(path))?.token !== held.token) return "moved";
    await change();
    return "done";
  } finally {
    await removeLeftover(guard);
  }
}

/** Never fails: what stays says who left it, and is swept when that process is gone. */
async function removeLeftover(path: string): Promise<void> {
  await severalTries(path, () => rm(path, { force: true })).catch(ignore);
}

/** False when there is a file already. The lock appears with its lease in it: an empty one, left by a crash, would keep others out. */
async function create(path: string, lease: Lease): Promise<boolean> {
  const text = JSON.stringify(lease);
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, text, { flag: "wx" });
    await link(temporary, path).catch(async (error: unknown) => {
      // Some disks know no second name for a file.
      if (codeOf(error) === "EEXIST") throw error;
      await writeFile(path, text, { flag: "wx" });
    });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw diskError(path, error);
  } finally {
    await removeLeftover(temporary);
  }
}

/** Null when there is no lock. One that cannot be read was just made or was lost in a power failure: its age tells. */
async function read(path: string): Promise<Lease | null> {
  try {
    const text = await readIfThere(path);
    if (text === null) return null;
    const parsed = Lease.safeParse(toJson(text));
    if (parsed.success) return parsed.data;
    const { mtimeMs } = await stat(path);
    const at = new Date(mtimeMs).toISOString();
    const expiresAt = new Date(mtimeMs + settling).toISOString();
    const token = `unreadable-${Math.trunc(mtimeMs)}`;
    return { token, sessionId: "", runId: "", pid: 1, host: "", started: 0, acquiredAt: at, expiresAt };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw diskError(path, error, "read");
  }
}

/** Null when it cannot be read, whatever the reason. */
function textNow(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function thisProcess(): Pick<Lease, "pid" | "host" | "started"> {
  return { pid: process.pid, host: hostname(), started: performance.timeOrigin };
}

/** A process that lives may still have lost its lock: pids are used again, and a frozen process must not lock others out for ever. */
function isStale(lease: Lease, clock: Clock): boolean {
  return isExpired(lease, clock) || (lease.host === hostname() && isGone(lease));
}

function isExpired(lease: Lease, clock: Clock): boolean {
  return !(Date.parse(lease.expiresAt) > clock.now());
}

function isOwn(other: Lease, { runId, pid, host, started }: Lease): boolean {
  return other.runId === runId && other.pid === pid && other.host === host && other.started === started;
}

function throwIfBusy(owner: Lease | null): void {
  if (owner) throw busy(owner);
}

function busy(owner: Lease | null): LoopError {
  if (!owner || owner.host === "") return new LoopError("session_busy", "Another process has this session.");
  const here = owner.host === hostname();
  const where =
    here && owner.pid === process.pid ? "this window" : `process ${owner.pid}${here ? "" : ` on ${owner.host}`}`;
  return new LoopError("session_busy", `Another run, in ${where}, has had this session since ${owner.acquiredAt}.`);
}

function ignore(): void {}
