import assert from "node:assert/strict";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createMemory } from "../../../src/brain/memory.ts";
import { maxMemoryLength } from "../../../src/protocol/config.ts";
import { inFolder } from "./disk.ts";

const now = (): number => Date.UTC(2026, 1, 3);

describe("MEMORY.md", () => {
  it("BRAIN-CTX-3 is empty when there is none, or when it cannot be read", () =>
    inFolder(async (dir) => {
      const memory = createMemory({ dir });
      assert.equal(await memory.read(), "");
      await mkdir(memory.path);
      assert.equal(await memory.read(), "");
    }));

  it("gets its heading with the first note, and every note its date, on one line", () =>
    inFolder(async (dir) => {
      const memory = createMemory({ dir: join(dir, ".brain"), now });
      const first = await memory.append("  Prices are\r\n in cents\u2028always ");
      assert.deepEqual(first, { status: "succeeded", content: "Noted in MEMORY.md: Prices are in cents always" });
      await memory.append("Second");
      assert.equal(
        await memory.read(),
        "## Notes\n\n- Prices are in cents always (2026-02-03)\n- Second (2026-02-03)\n",
      );
    }));

  it("what a person wrote stays, wherever they wrote it", () =>
    inFolder(async (dir) => {
      const memory = createMemory({ dir, now });
      await writeFile(memory.path, "# House rules\nNo tabs.");
      await memory.append("One");
      await writeFile(memory.path, `${await memory.read()}\n## Mine\nText`);
      await memory.append("Two");
      assert.equal(
        await memory.read(),
        "# House rules\nNo tabs.\n\n## Notes\n\n- One (2026-02-03)\n\n## Mine\nText\n\n## Notes\n\n- Two (2026-02-03)\n",
      );
    }));

  it("loses no note of several writers at once", () =>
    inFolder(async (dir) => {
      const [one, other] = [createMemory({ dir, now }), createMemory({ dir, now })];
      const notes = Array.from({ length: 30 }, (_, n) => `note ${n}`);
      await Promise.all(notes.map((note, n) => (n % 2 === 0 ? one : other).append(note)));
      const lines = (await readFile(join(dir, "MEMORY.md"), "utf8")).split("\n");
      const kept = lines.filter((line) => line.startsWith("- "));
      assert.deepEqual(kept.toSorted(), notes.map((note) => `- ${note} (2026-02-03)`).toSorted());
    }));

  it("refuses an empty note, and one that makes it too long", () =>
    inFolder(async (dir) => {
      const memory = createMemory({ dir, now });
      assert.deepEqual(await memory.append(" \n"), { status: "failed", content: "The note is empty." });
      const text = `## Notes\n\n${"x".repeat(maxMemoryLength - 30)}\n`;
      await writeFile(memory.path, text);
      assert.equal((await memory.append("Short")).status, "failed");
      assert.equal(await memory.read(), text);
    }));

  it("BRAIN-PERS-6 says why it could not be written", () =>
    inFolder(async (dir) => {
      const memory = createMemory({ dir, now });
      await mkdir(memory.path);
      const content = "Could not read MEMORY.md: a folder is in its place.";
      assert.deepEqual(await memory.append("Note"), { status: "failed", content });
      await writeFile(join(dir, "file"), "");
      const nowhere = await createMemory({ dir: join(dir, "file") }).append("Note");
      assert.deepEqual(nowhere, {
        status: "failed",
        content: "Could not write file: a file is in the place of its folder.",
      });
    }));

  it("a link is followed inside the folder only", async function () {
    if (process.platform === "win32") return this.skip();
    await inFolder(async (root) => {
      const dir = join(root, ".brain");
      await mkdir(dir);
      await writeFile(join(root, "secret"), "password");
      await symlink(join(root, "secret"), join(dir, "MEMORY.md"));
      const memory = createMemory({ dir, now });
      assert.equal(await memory.read(), "");
      const content = "MEMORY.md is a link out of .brain, so it is left alone.";
      assert.deepEqual(await memory.append("Note"), { status: "failed", content });
      assert.equal(await readFile(join(root, "secret"), "utf8"), "password");
    });
  });
});
