// Undo for any tree of files and whatever a command does to it: exactly what was there comes back, and nobody's work is lost.
import assert from "node:assert/strict";
import { chmod, mkdir, readFile, realpath, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { sessionId } from "./disk.ts";
import { inWorkspace, type Rig } from "./undoRig.ts";

const at = (rig: Rig, path: string): string => join(rig.root, path);

const name = fc.constantFrom("a", "b.txt", "ü", "C", "d d", "🌱");
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const content = fc.oneof(
  fc.constantFrom("", "x\n", "eins\r\nzwei\r\n", "\uFEFFmarked"),
  fc.uint8Array({ maxLength: 40 }),
);
const mode = fc.constantFrom(0o644, 0o600, 0o755, 0o444);
const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("put" as const), path, content, mode }) },
  fc.record({ kind: fc.constant("remove" as const), path }),
  fc.record({ kind: fc.constant("move" as const), path, to: path }),
  fc.record({ kind: fc.constant("mode" as const), path, mode }),
  fc.record({ kind: fc.constant("link" as const), path, to: path }),
  fc.record({ kind: fc.constant("folder" as const), path }),
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** As a shell would: what does not work does not happen. */
async function does(rig: Rig, one: Act): Promise<void> {
  const target = at(rig, one.path);
  const work = async (): Promise<void> => {
    switch (one.kind) {
      case "put":
        return rig.put(one.path, one.content, one.mode);
      case "remove":
        return rm(target, { recursive: true });
      case "move":
        return rename(target, at(rig, one.to));
      case "mode":
        return chmod(target, one.mode | 0o700);
      case "link":
        return symlink(one.to, target);
      case "folder":
        return void (await mkdir(target, { recursive: true }));
    }
  };
  await work().catch(() => undefined);
}

describe("undo, for any tree and any changes", () => {
  it("gives back exactly what was there, and redo exactly what the calls had made", async () => {
    const acts = fc.array(act, { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(acts, fc.array(acts, { minLength: 1, maxLength: 3 }), async (start, calls) => {
        await inWorkspace(async (rig) => {
          for (const one of start) await does(rig, one);
          const before = await rig.tree();
          for (const [index, list] of calls.entries())
            await rig.call(`c${index}`, async () => {
              for (const one of list) await does(rig, one);
            });
          const after = await rig.tree();
          if ((await rig.store.recordsOf(sessionId).all()).length === 0) return assert.deepEqual(after, before);
          const { id, left } = await rig.undone();
          assert.deepEqual(await rig.tree(), before);
          assert.deepEqual(left, []);
          await rig.undone({ undoId: id });
          assert.deepEqual(await rig.tree(), after);
        });
      }),
      { numRuns: 25 },
    );
  });

  it("never loses what a person has written since", async () => {
    const acts = fc.array(act, { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(acts, acts, path, async (start, list, mine) => {
        await inWorkspace(async (rig) => {
          for (const one of start) await does(rig, one);
          await rig.call("c1", async () => {
            for (const one of list) await does(rig, one);
          });
          // Through a link the words stand where it leads; undoing the link takes only the link away.
          const wrote = await rig.put(mine, "written by a person").then(
            () => realpath(at(rig, mine)),
            () => null,
          );
          await rig.undone().catch((error: unknown) => assert.match(String(error), /Nothing is kept/));
          if (wrote) assert.equal(await readFile(wrote, "utf8"), "written by a person");
        });
      }),
      { numRuns: 15 },
    );
  });
});
