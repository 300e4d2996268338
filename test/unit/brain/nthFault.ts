// Makes the disk refuse at one operation of all that are done in a folder, whatever it is: so that each can be tried in turn.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

export interface NthFault {
  stop(): void;
  /** Operations so far, as far as the one that was refused with the name of that. */
  readonly count: () => number;
  readonly refused: () => string;
}

const later = [
  "open",
  "stat",
  "link",
  "rename",
  "rm",
  "writeFile",
  "readFile",
  "readdir",
  "mkdir",
  "copyFile",
  "unlink",
  "lstat",
  "realpath",
  "access",
] as const;
const ofHandle = ["writeFile", "readFile", "sync", "datasync", "stat", "read", "chmod", "close"] as const;
const atOnce = ["openSync", "readFileSync"] as const;
const ofNumber = ["fstatSync", "writeSync"] as const;

/** @param options `at`: which operation refuses, from 0; `stays`: so do all after it; `code`: what Node says */
export function failAt(dir: string, options: { at: number; stays: boolean; code: string }): NthFault {
  const { at, stays, code } = options;
  const old = new Map<string, unknown>();
  const files = new Set<unknown>();
  let count = 0;
  let refused = "";
  const failure = (name: string): Error | null => {
    const number = count++;
    if (number !== at && !(stays && number > at)) return null;
    if (number === at) refused = name;
    return Object.assign(new Error(`${code}: injected`), { code });
  };
  const look = (name: string): void => {
    const error = failure(name);
    if (error) throw error;
  };
  const inside = (path: unknown): boolean => typeof path === "string" && placeOf(path).startsWith(dir);
  const put = (object: object, name: string, make: (call: Call) => Call): void => {
    const call: unknown = Reflect.get(object, name);
    if (typeof call !== "function") return;
    old.set(name, call);
    Reflect.set(
      object,
      name,
      make((...values) => Reflect.apply(call, object, values) as unknown),
    );
  };
  for (const name of later)
    put(fs.promises, name, (call) => async (...values) => {
      if (!inside(values[0])) return call(...values);
      await Promise.resolve().then(() => look(name));
      const made = await call(...values);
      if (name === "open" && typeof made === "object" && made !== null)
        for (const inner of ofHandle) watch(made, inner, look);
      return made;
    });
  for (const name of atOnce)
    put(fs, name, (call) => (...values) => {
      if (inside(values[0])) look(name);
      const made = call(...values);
      if (name === "openSync") files[inside(values[0]) ? "add" : "delete"](made);
      return made;
    });
  for (const name of ofNumber)
    put(fs, name, (call) => (...values) => {
      if (files.has(values[0])) look(name);
      return call(...values);
    });
  put(fs, "createReadStream", (call) => (...values) => {
    const stream = call(...values);
    const error = inside(values[0]) ? failure("createReadStream") : null;
    if (error && stream instanceof fs.ReadStream) stream.destroy(error);
    return stream;
  });
  syncBuiltinESMExports();
  return {
    stop() {
      for (const [name, call] of old) Reflect.set(later.some((one) => one === name) ? fs.promises : fs, name, call);
      syncBuiltinESMExports();
    },
    count: () => count,
    refused: () => refused,
  };
}

/** Where a path that begins at an opened folder leads. */
function placeOf(path: string): string {
  const [from, rest = ""] = /^\/proc\/self\/fd\/\d+(.*)$/s.exec(path) ?? [];
  if (from === undefined) return path;
  try {
    return `${fs.readlinkSync(from.slice(0, from.length - rest.length))}${rest}`;
  } catch {
    return path;
  }
}

type Call = (...values: readonly unknown[]) => unknown;

function watch(handle: object, name: (typeof ofHandle)[number], look: (name: string) => void): void {
  const call: unknown = Reflect.get(handle, name);
  if (typeof call !== "function") return;
  const made = (values: readonly unknown[]): unknown => Reflect.apply(call, handle, values);
  Reflect.set(handle, name, async (...values: unknown[]) => {
    // What could not be closed in order is closed all the same.
    if (name === "close") await made(values);
    await Promise.resolve().then(() => look(`handle.${name}`));
    return name === "close" ? undefined : made(values);
  });
}
