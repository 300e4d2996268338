// Several files written as one: whatever the disk refuses, all are written or none, and what is said of them is true.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createScope } from "../../../src/scope/scope.ts";
import { nodeFiles } from "../../../src/tools/nodeFiles.ts";
import type { Files, FilesInScope } from "../../../src/tools/workspace.ts";
import { putBack, tornIn, writeTogether, type Journal, type Together } from "../../../src/tools/writeTogether.ts";
import type { Change } from "../../../src/tools/writing.ts";
import { failAt, type NthFault } from "../brain/nthFault.ts";

const names = ["a.txt", "b.txt", "new/c.txt"];
const texts = { before: ["a\n", "b\n", null], after: ["A\n", "B\n", "C\n"] } as const;

interface Place extends FilesInScope {
  readonly root: string;
  readonly changes: readonly Change[];
  readonly now: () => Promise<readonly (string | null)[]>;
}

async function inPlace(work: (place: Place) => Promise<void>): Promise<void> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "brain-together-")));
  try {
    await mkdir(join(root, "new"));
    for (const [index, text] of texts.before.entries())
      if (text !== null) await writeFile(join(root, names[index] ?? ""), text);
    const [scope, files] = [await createScope({ root }), nodeFiles()];
    const changes: Change[] = [];
    for (const [index, name] of names.entries()) {
      const path = await scope.resolve(name, "write");
      assert.ok("real" in path);
      changes.push({ path, before: await files.read(path), after: texts.after[index] ?? null });
    }
    const now = (): Promise<readonly (string | null)[]> =>
      Promise.all(names.map((name) => readFile(join(root, name), "utf8").catch(() => null)));
    await work({ root, scope, files, changes, now });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function inMemory(): Journal & { readonly noted: () => string | null } {
  let noted: string | null = null;
  return {
    noted: () => noted,
    keep: (text) => Promise.resolve(void (noted = text)),
    read: () => Promise.resolve(noted),
    clear: () => Promise.resolve(void (noted = null)),
  };
}

/** What the files must hold, by what was said. */
function promised(together: Together): readonly (string | null)[] {
  if (together.kind === "written") return texts.after;
  const left = together.kind === "failed" ? together.left.map(({ back }) => back.path.relative) : [];
  return names.map((name, index) => (left.includes(name) ? texts.after[index] : texts.before[index]) ?? null);
}

/** Files whose writing of one of them, by its name, is what a test says. */
function withWrite(files: Files, name: string, write: () => ReturnType<Files["write"]>): Files {
  return { ...files, write: (path, ...rest) => (path.relative === name ? write() : files.write(path, ...rest)) };
}

describe("changes of several files", () => {
  it("are all written, and taken back as they were", () =>
    inPlace(async (place) => {
      const journal = inMemory();
      const together = await writeTogether(place, place.changes, { journal });
      assert.ok(together.kind === "written");
      assert.deepEqual([await place.now(), journal.noted()], [texts.after, null]);
      assert.deepEqual(await putBack(place, together.written), []);
      assert.deepEqual(await place.now(), texts.before);
    }));

  for (const stays of [false, true])
    it(`are written or left, and told as they are, wherever the disk refuses ${stays ? "from then on" : "once"}`, async () => {
      const seen = new Set<string>();
      for (let at = 0, refused = [""]; refused.length > 0; at++)
        await inPlace(async (place) => {
          const faults: NthFault = failAt(place.root, { at, stays, code: "ENOSPC" });
          const together = await writeTogether(place, place.changes, { journal: inMemory() }).finally(faults.stop);
          refused = [faults.refused()].filter(Boolean);
          const kind = together.kind === "failed" && together.left.length > 0 ? "torn" : together.kind;
          seen.add(kind);
          assert.deepEqual(await place.now(), promised(together), `${faults.refused()} (${at}): ${kind}`);
          if (together.kind === "failed") assert.match(together.message, /the disk is full|ENOSPC/);
          if (!stays) assert.notEqual(kind, "torn", `${faults.refused()} (${at})`);
        });
      assert.deepEqual([...seen].toSorted(), ["failed", "stale", ...(stays ? ["torn"] : []), "written"]);
    });

  it("are not begun where it cannot be noted that they are", () =>
    inPlace(async (place) => {
      const journal = { ...inMemory(), keep: () => Promise.reject(new Error("No room.")) };
      const together = await writeTogether(place, place.changes, { journal });
      assert.ok(together.kind === "failed");
      assert.deepEqual(await place.now(), texts.before);
    }));

  it("of which one does not fit any more are not begun", () =>
    inPlace(async (place) => {
      await writeFile(join(place.root, "b.txt"), "quite another\n");
      const together = await writeTogether(place, place.changes, { journal: inMemory() });
      assert.equal(together.kind === "stale" && together.change.path.relative, "b.txt");
      assert.deepEqual(await place.now(), ["a\n", "quite another\n", null]);
    }));

  for (const name of ["b.txt", null])
    it(`that ${name ? "the disk refuses" : "a person takes back"} leave what somebody has written beside them since they were shown`, () =>
      inPlace(async (place) => {
        const long = (first: string, last: string): string => [first, 1, 2, 3, 4, 5, 6, 7, 8, last, ""].join("\n");
        const [a, ...others] = place.changes;
        assert.ok(a);
        await writeFile(a.path.real, long("first", "last"));
        const change = { ...a, before: await place.files.read(a.path), after: long("first", "LAST") };
        await writeFile(a.path.real, long("mine", "last"));
        const refused = (): ReturnType<Files["write"]> => Promise.resolve({ kind: "failed", message: "No room." });
        const files = name ? withWrite(place.files, name, refused) : place.files;
        const together = await writeTogether({ ...place, files }, [change, ...others], { journal: inMemory() });
        assert.equal(together.kind, name ? "failed" : "written");
        if (together.kind === "written") assert.deepEqual(await putBack(place, together.written), []);
        assert.deepEqual(await place.now(), [long("mine", "last"), "b\n", null]);
      }));

  it("say which of them only the editor has", () =>
    inPlace(async (place) => {
      const buffers = new Set<string>();
      const files: Files = {
        ...place.files,
        async read(path) {
          const found = await place.files.read(path);
          return found && { ...found, unsaved: buffers.has(path.relative) };
        },
        async write(path, text, hash) {
          const outcome = await place.files.write(path, text, hash);
          buffers.add(path.relative);
          return outcome.kind === "written" ? { ...outcome, saved: false } : outcome;
        },
      };
      const [first] = place.changes;
      assert.ok(first);
      const together = await writeTogether({ ...place, files }, [first], { journal: inMemory() });
      assert.deepEqual(together.kind === "written" && together.written.map(({ unsaved }) => unsaved), [true]);
    }));

  it("that a kill has torn are known at the next start, and can be taken back or finished", () =>
    inPlace(async (place) => {
      const journal = inMemory();
      let reached = (): void => undefined;
      const killed = new Promise<void>((resolve) => (reached = resolve));
      const never = (): ReturnType<Files["write"]> => {
        reached();
        return new Promise(() => undefined);
      };
      void writeTogether({ ...place, files: withWrite(place.files, "b.txt", never) }, place.changes, { journal });
      await killed;
      const torn = await tornIn(place, journal);
      assert.deepEqual(
        torn?.written.map(({ back }) => back.path.relative),
        ["a.txt"],
      );
      assert.deepEqual(
        torn.missing.map(({ path }) => path.relative),
        ["b.txt", "new/c.txt"],
      );
      assert.deepEqual(await putBack(place, torn.written), []);
      assert.deepEqual(await place.now(), texts.before);
      assert.equal(await tornIn(place, journal), null, "nothing of it is there any more");
      await writeFile(join(place.root, "a.txt"), "A\n");
      const again = await tornIn(place, journal);
      await writeTogether(place, again?.missing ?? [], { journal: inMemory() });
      assert.deepEqual(await place.now(), texts.after);
      assert.equal(await tornIn(place, journal), null, "all of it is");
    }));

  it("that a kill has torn are known where a formatter has written one of them, too", () =>
    inPlace(async (place) => {
      const journal = inMemory();
      let reached = (): void => undefined;
      const killed = new Promise<void>((resolve) => (reached = resolve));
      const write: Files["write"] = (path, text, hash) => {
        if (path.relative === "a.txt") return place.files.write(path, `${text}formatted\n`, hash);
        reached();
        return new Promise(() => undefined);
      };
      void writeTogether({ ...place, files: { ...place.files, write } }, place.changes, { journal });
      await killed;
      const torn = await tornIn(place, journal);
      assert.deepEqual(await putBack(place, torn?.written ?? []), []);
      assert.deepEqual(await place.now(), texts.before);
    }));

  it("leave what somebody has made of a torn file meanwhile", () =>
    inPlace(async (place) => {
      const journal = inMemory();
      const note = (index: number) => ({
        file: place.changes[index]?.path.real,
        before: texts.before[index],
        after: texts.after[index],
      });
      await journal.keep(JSON.stringify([note(0), note(1)]));
      await writeFile(join(place.root, "a.txt"), "A and more\n");
      assert.equal(await tornIn(place, journal), null);
      for (const odd of ["", "{", '[{"file":1}]']) {
        await journal.keep(odd);
        assert.equal(await tornIn(place, journal), null);
      }
    }));
});
