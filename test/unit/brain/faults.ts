// Makes the disk refuse: one operation of Node fails in one folder, for as long as a test says.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

export const operations = [
  "open for writing",
  "write",
  "short write",
  "look at the size",
  "sync",
  "open later",
  "replace",
  "remove",
  "read the lock",
] as const;
export type Operation = (typeof operations)[number];

export interface Faults {
  start(): void;
  stop(): void;
  /** How often it refused. */
  readonly count: () => number;
}

type Change = (fail: () => void, inside: (path: unknown) => boolean) => () => void;

/** Replaces one function; what it gives back puts the old one in its place. */
function put<K extends keyof T, T extends object>(object: T, key: K, replacement: T[K]): () => void {
  const old = object[key];
  object[key] = replacement;
  syncBuiltinESMExports();
  return () => {
    object[key] = old;
    syncBuiltinESMExports();
  };
}

const { openSync, writeSync, fstatSync, readFileSync } = fs;
const { open, rename, rm } = fs.promises;
/** Open files of the folder, so that what happens to them later can fail too. */
const files = new Set<number>();

function watchOpen(inside: (path: unknown) => boolean): () => void {
  return put(fs, "openSync", (path, ...rest) => {
    const file = openSync(path, ...rest);
    if (inside(path)) files.add(file);
    else files.delete(file);
    return file;
  });
}

/** `writeSync` has many forms: of all of them only this one is used on a transcript. */
function onWrite(answer: (file: number, bytes: unknown) => number | null): () => void {
  return put(
    fs,
    "writeSync",
    new Proxy(writeSync, {
      apply: (target, self, [file, bytes, ...rest]) =>
        answer(file, bytes) ?? Reflect.apply(target, self, [file, bytes, ...rest]),
    }),
  );
}

function before<F extends (...values: never[]) => unknown>(call: F, look: (first: unknown) => void): F {
  return new Proxy(call, {
    apply(target, self, values) {
      look(values[0]);
      return Reflect.apply(target, self, values);
    },
  });
}

function later<F extends (...values: never[]) => Promise<unknown>>(call: F, look: (first: unknown) => void): F {
  return new Proxy(call, {
    async apply(target, self, values) {
      look(values[0]);
      return await Reflect.apply(target, self, values);
    },
  });
}

const changes: Readonly<Record<Operation, Change>> = {
  "open for writing": (fail, inside) =>
    put(
      fs,
      "openSync",
      before(openSync, (path) => inside(path) && fail()),
    ),
  write: (fail) =>
    onWrite((file) => {
      if (files.has(file)) fail();
      return null;
    }),
  "short write": (_, inside) => () => void inside(""),
  "look at the size": (fail) =>
    put(
      fs,
      "fstatSync",
      before(fstatSync, (file) => typeof file === "number" && files.has(file) && fail()),
    ),
  sync: (fail, inside) =>
    put(fs.promises, "open", async (path, ...rest) => {
      const file = await open(path, ...rest);
      if (!inside(path)) return file;
      const refuse = async (): Promise<void> => Promise.resolve().then(fail);
      return Object.assign(file, { datasync: refuse, sync: refuse });
    }),
  "open later": (fail, inside) =>
    put(
      fs.promises,
      "open",
      later(open, (path) => inside(path) && fail()),
    ),
  replace: (fail, inside) =>
    put(
      fs.promises,
      "rename",
      later(rename, (path) => inside(path) && fail()),
    ),
  remove: (fail, inside) =>
    put(
      fs.promises,
      "rm",
      later(rm, (path) => inside(path) && fail()),
    ),
  "read the lock": (fail, inside) =>
    put(
      fs,
      "readFileSync",
      before(readFileSync, (path) => inside(path) && fail()),
    ),
};

/** @param code what Node says, such as `ENOSPC` */
export function faultsIn(dir: string, operation: Operation, code: string): Faults {
  let count = 0;
  let undo: (() => void)[] = [];
  const inside = (path: unknown): boolean => typeof path === "string" && path.startsWith(dir);
  const fail = (): void => {
    count++;
    throw Object.assign(new Error(`${code}: injected`), { code });
  };
  const half = (): (() => void) =>
    onWrite((file, bytes) => {
      if (!files.has(file) || !(bytes instanceof Buffer)) return null;
      count++;
      return writeSync(file, bytes, 0, Math.floor(bytes.length / 2));
    });
  return {
    start() {
      const change = operation === "short write" ? half() : changes[operation](fail, inside);
      undo = operation === "open for writing" ? [change] : [change, watchOpen(inside)];
    },
    stop() {
      for (const back of undo.splice(0)) back();
      files.clear();
    },
    count: () => count,
  };
}
