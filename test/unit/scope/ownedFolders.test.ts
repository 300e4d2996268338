// Temporary folders of processes: those of dead ones go, and nothing that may be anybody else's.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { ownedFolder, sweepOwnedFolders } from "../../../src/scope/ownedFolders.ts";

/** No process has this number: it is more than a system gives out. */
const dead = { pid: 2 ** 22 + 1, host: hostname(), started: 0 };
const alive = { ...dead, pid: process.ppid };

async function inFolder(work: (parent: string) => Promise<void>): Promise<void> {
  const parent = await mkdtemp(path.join(tmpdir(), "brain-owned-"));
  try {
    await work(parent);
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}

/** @param owner what its file says; null: it has none */
async function leave(folder: string, owner: unknown): Promise<void> {
  await mkdir(path.join(folder, "temp/deep"), { recursive: true });
  await writeFile(path.join(folder, "temp/deep/file"), "x");
  if (owner !== null) await writeFile(path.join(folder, "owner.json"), JSON.stringify(owner));
}

describe("Temporary folders that belong to a process", () => {
  it("are removed once it is gone, whole, and stay while it is there", () =>
    inFolder(async (parent) => {
      const own = await ownedFolder("x-", parent);
      await leave(path.join(parent, "x-dead"), dead);
      await leave(path.join(parent, "x-same-number"), { ...dead, pid: process.pid });
      await leave(path.join(parent, "x-alive"), alive);
      assert.equal(await sweepOwnedFolders("x-", parent), 2);
      assert.deepEqual((await readdir(parent)).toSorted(), [path.basename(own), "x-alive"].toSorted());
      assert.equal(await sweepOwnedFolders("x-", path.join(parent, "nowhere")), 0);
    }));

  it("stay where nobody can tell whose they are", () =>
    inFolder(async (parent) => {
      await leave(path.join(parent, "x-elsewhere"), { ...dead, host: "another" });
      await leave(path.join(parent, "x-none"), null);
      await leave(path.join(parent, "x-odd"), { pid: "1" });
      await leave(path.join(parent, "y-dead"), dead);
      await writeFile(path.join(parent, "x-file"), JSON.stringify(dead));
      await mkdir(path.join(parent, "x-broken"));
      await writeFile(path.join(parent, "x-broken/owner.json"), "{");
      const before = await readdir(parent);
      assert.equal(await sweepOwnedFolders("x-", parent), 0);
      assert.deepEqual(await readdir(parent), before);
    }));

  it("are no links, neither themselves, nor their owner’s file; what is in them leads nowhere", () =>
    inFolder(async (parent) => {
      await leave(path.join(parent, "kept"), dead);
      await symlink(path.join(parent, "kept"), path.join(parent, "x-link"));
      await leave(path.join(parent, "x-planted"), null);
      await symlink(path.join(parent, "kept/owner.json"), path.join(parent, "x-planted/owner.json"));
      await leave(path.join(parent, "x-dead"), dead);
      await symlink(path.join(parent, "kept"), path.join(parent, "x-dead/temp/out"));
      assert.equal(await sweepOwnedFolders("x-", parent), 1);
      assert.deepEqual((await readdir(parent)).toSorted(), ["kept", "x-link", "x-planted"]);
      assert.equal(await readFile(path.join(parent, "kept/temp/deep/file"), "utf8"), "x");
    }));

  it("are not another user’s", async function () {
    if (process.getuid?.() !== 0) this.skip();
    const { chown } = await import("node:fs/promises");
    await inFolder(async (parent) => {
      await leave(path.join(parent, "x-dead"), dead);
      await chown(path.join(parent, "x-dead"), 65_534, 65_534);
      assert.equal(await sweepOwnedFolders("x-", parent), 0);
    });
  });
});
