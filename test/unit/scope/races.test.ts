// BRAIN-EXEC-4 paths that change between their check and their use: before every single operation on the file system, once.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import operations from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Params } from "../../../src/protocol/messages.ts";
import { openPlace, type Place } from "../tools/place.ts";
import { canary, makePipes, stateOf } from "./trap.ts";

const patched = [
  "access",
  "lstat",
  "mkdir",
  "open",
  "readdir",
  "readlink",
  "realpath",
  "rename",
  "rm",
  "stat",
] as const;

/** Calls `before` with the number of each operation that starts, until it is disposed. */
function watched(before: (count: number) => void): Disposable {
  const originals = patched.map((name) => [name, operations[name]] as const);
  let count = 0;
  for (const [name, original] of originals)
    Reflect.set(operations, name, (...given: readonly unknown[]): unknown => {
      before(count++);
      return Reflect.apply(original, operations, given);
    });
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]: () => {
      for (const [name, original] of originals) Reflect.set(operations, name, original);
      syncBuiltinESMExports();
    },
  };
}

function asPlatform(platform: string): Disposable {
  const own = process.platform;
  Object.defineProperty(process, "platform", { value: platform });
  return { [Symbol.dispose]: () => Object.defineProperty(process, "platform", { value: own }) };
}

interface Swap {
  readonly what: string;
  does(trap: Twins): void;
}

function replaceBy(path: string, put: (trap: Twins, at: string) => void): Swap["does"] {
  return (trap) => {
    const at = join(trap.root, path);
    renameSync(at, `${at}-away`);
    put(trap, at);
  };
}

/** Pipes made ahead: a process for each of them would take longer than all the rest. */
const pipes: string[] = [];
let pipeFolder = "";

function pipe(): string {
  if (pipes.length === 0) {
    pipes.push(...Array.from({ length: 100 }, () => join(pipeFolder, randomUUID())));
    makePipes(pipes);
  }
  return pipes.pop() ?? "";
}

const file = "src/deep/b.ts";
const swaps: readonly Swap[] = [
  {
    what: "the file becomes a link to outside",
    does: replaceBy(file, (trap, at) => symlinkSync(join(trap.outside, "secret.txt"), at)),
  },
  {
    what: "the file becomes a link to a denied one",
    does: replaceBy(file, (trap, at) => symlinkSync(join(trap.root, ".env"), at)),
  },
  {
    what: "the file becomes another name of a denied one",
    does: replaceBy(file, (trap, at) => linkSync(join(trap.root, ".env"), at)),
  },
  { what: "the file becomes a pipe", does: replaceBy(file, (_, at) => renameSync(pipe(), at)) },
  {
    what: "its folder becomes a link to outside",
    does: replaceBy("src/deep", (trap, at) => symlinkSync(join(trap.outside, "deep"), at)),
  },
  {
    what: "the folder above becomes a link to outside",
    does: replaceBy("src", (trap, at) => symlinkSync(trap.outside, at)),
  },
  {
    what: "its folder becomes a link to a denied one",
    does: replaceBy("src/deep", (trap, at) => symlinkSync(join(trap.root, ".ssh"), at)),
  },
  { what: "the file is gone", does: (trap) => rmSync(join(trap.root, file)) },
];

const calls: readonly (readonly [string, Params])[] = [
  ["read_file", { path: file }],
  ["list_files", { path: "src/deep" }],
  ["search_text", { path: "src", pattern: "[a-zA-Z]", regex: true }],
  ["write_file", { path: file, content: "written\n" }],
  ["write_file", { path: "src/deep/new/one.ts", content: "written\n" }],
  ["edit_file", { path: file, edits: [{ old_text: "2", new_text: "3" }] }],
];

interface Twins extends AsyncDisposable {
  readonly place: Place;
  readonly root: string;
  readonly outside: string;
}

/** A small workspace, and outside of it the same names with other contents. */
async function openTwins(): Promise<Twins> {
  const place = await openPlace();
  const outside = mkdtempSync(join(tmpdir(), "brain-twin-"));
  const secret = `export const b = 2; // ${canary}\n`;
  await place.put(file, "export const b = 2;\n");
  await place.put(".env", secret);
  await place.put(".ssh/b.ts", secret);
  mkdirSync(join(outside, "deep"));
  for (const path of ["secret.txt", "deep/b.ts", "b.ts", `deep/${canary}.ts`])
    writeFileSync(join(outside, path), secret);
  return {
    place,
    root: place.root,
    outside,
    [Symbol.asyncDispose]: async () => {
      rmSync(outside, { recursive: true });
      await place[Symbol.asyncDispose]();
    },
  };
}

const folderMode = String(0o40755);

interface Race {
  readonly tool: string;
  readonly params: Params;
  readonly swap: Swap;
}

/** How many operations there were; the swap happened before the `at`th. */
async function race({ tool, params, swap }: Race, at: number, platform: string): Promise<number> {
  await using twins = await openTwins();
  const secrets = async (): Promise<string[]> => [
    ...(await stateOf(twins.outside)),
    ...(await stateOf(twins.root)).filter((line) => /^\/\.(?:env|ssh)/u.test(line.slice(twins.root.length))),
  ];
  // Elsewhere a path cannot begin at a handle, and the new text may be outside for a moment, in a file that is then removed.
  const seen = async (): Promise<string[]> => (await secrets()).filter((line) => onLinux || !line.endsWith(folderMode));
  const onLinux = platform === "linux";
  const before = await seen();
  let total = 0;
  const call = async (): Promise<string> => {
    using _as = asPlatform(platform);
    using _watch = watched((count) => {
      total = count + 1;
      if (count === at) swap.does(twins);
    });
    const { content, value } = await twins.place.call(tool, params);
    return JSON.stringify([content, value]);
  };
  const said = await call();
  assert.ok(!said.includes(canary), `before operation ${at}: ${said}`);
  assert.deepEqual(await seen(), before, `before operation ${at}`);
  return total;
}

describe("BRAIN-EXEC-4 a path that changes after its check", function () {
  this.timeout(60_000);
  before(() => {
    pipeFolder = mkdtempSync(join(tmpdir(), "brain-pipes-"));
  });
  after(() => rmSync(pipeFolder, { recursive: true }));
  const everywhere = (platform: string, [tool, params]: (typeof calls)[number]): void => {
    for (const swap of swaps)
      it(`${platform}: ${tool} ${JSON.stringify(params).slice(0, 50)}: ${swap.what}`, async () => {
        const total = await race({ tool, params, swap }, -1, platform);
        assert.ok(total > 3);
        for (let at = 0; at < total; at++) await race({ tool, params, swap }, at, platform);
      });
  };
  for (const call of calls) everywhere("linux", call);
  for (const call of calls) if (call[0] !== "search_text") everywhere("darwin", call);
});
