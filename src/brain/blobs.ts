// Bytes kept by their hash: written once, compressed, and never given back as anything but what they were.
import { createHash, randomUUID } from "node:crypto";
import fs from "node:fs";
import { access, link, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { deflateRaw, deflateRawSync, inflateRaw } from "node:zlib";
import { small } from "./fileState.ts";
import { codeOf } from "./files.ts";

export interface Blobs {
  /** Keeps bytes, once. @returns their hash. Throws what Node throws. */
  readonly put: (bytes: Buffer) => Promise<string>;
  /** Null when there are none of this hash any more, or they are not what they were. */
  get(hash: string): Promise<Buffer | null>;
  /** Takes over what another store has, without a copy where the disk can. False when that has nothing of this hash. */
  adopt(hash: string, from: Blobs): Promise<boolean>;
  /** Bytes on the disk, by hash. Never throws. */
  sizes(): Promise<ReadonlyMap<string, number>>;
  /** Never throws. */
  remove(hashes: Iterable<string>): Promise<void>;
  /** Removes what is not used and has lain there for an hour: newer ones may be another window's. Never throws. */
  sweep(used: ReadonlySet<string>, now: number): Promise<void>;
  /** Where it is, if it is there. */
  readonly pathOf: (hash: string) => string;
}

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);
/** The cheapest that still halves a text. */
const level = 1;
const hour = 3_600_000;
/** Larger than any file that is kept: what unfolds to more is damaged. */
const largest = 256 * 1024 * 1024;

/** @param dir made on first use */
export function createBlobs(dir: string): Blobs {
  let made: Promise<unknown> | null = null;
  const pathOf = (hash: string): string => join(dir, hash);
  const write = async (hash: string, bring: (temporary: string) => Promise<void> | void): Promise<void> => {
    await (made ??= mkdir(dir, { recursive: true }).catch((error: unknown) => {
      made = null;
      throw error;
    }));
    const temporary = join(dir, `${randomUUID()}.tmp`);
    try {
      await bring(temporary);
      fs.renameSync(temporary, pathOf(hash));
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
  };
  return {
    pathOf,
    async put(bytes) {
      const hash = hashOf(bytes);
      if (fs.existsSync(pathOf(hash))) return hash;
      await write(hash, (temporary) => pack(bytes, temporary));
      return hash;
    },
    async get(hash) {
      try {
        const bytes = await inflate(await readFile(pathOf(hash)), { maxOutputLength: largest });
        return hashOf(bytes) === hash ? bytes : null;
      } catch {
        return null;
      }
    },
    async adopt(hash, from) {
      if (await exists(pathOf(hash))) return true;
      try {
        await write(hash, (temporary) => linkOrCopy(from.pathOf(hash), temporary));
        return true;
      } catch (error) {
        if (codeOf(error) === "ENOENT") return false;
        throw error;
      }
    },
    sizes: () => sizesIn(dir),
    async remove(hashes) {
      for (const hash of hashes) await rm(pathOf(hash), { force: true }).catch(() => undefined);
    },
    sweep: (used, now) => sweepIn(dir, used, now),
  };
}

/** The name that bytes have here. */
export function hashOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function pack(bytes: Buffer, path: string): Promise<void> | void {
  const options = { flag: "wx", mode: 0o600 } as const;
  if (bytes.length <= small) return fs.writeFileSync(path, deflateRawSync(bytes, { level }), options);
  return deflate(bytes, { level }).then((packed) => writeFile(path, packed, options));
}

async function sweepIn(dir: string, used: ReadonlySet<string>, now: number): Promise<void> {
  for (const name of await readdir(dir).catch(() => [])) {
    if (used.has(name)) continue;
    const stats = await stat(join(dir, name)).catch(() => null);
    if (stats && now - stats.mtimeMs > hour) await rm(join(dir, name), { force: true }).catch(() => undefined);
  }
}

async function sizesIn(dir: string): Promise<ReadonlyMap<string, number>> {
  const names = (await readdir(dir).catch(() => [])).filter((name) => !name.endsWith(".tmp"));
  const sizeOf = async (name: string): Promise<number> => (await stat(join(dir, name)).catch(() => null))?.size ?? 0;
  return new Map(await Promise.all(names.map(async (name) => [name, await sizeOf(name)] as const)));
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Some disks know no second name for a file. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (codeOf(error) === "ENOENT") throw error;
    await writeFile(to, await readFile(from), { flag: "wx", mode: 0o600 });
  }
}
