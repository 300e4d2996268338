// Where the editor has a file whose folder was opened through a link.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathAsOpened, realOf } from "../../../src/host/openedPaths.ts";

describe("a file's path in the editor", () => {
  it("leads through the link by which its folder was opened, and back", async () => {
    const root = await realpath(await mkdtemp(join(tmpdir(), "brain-opened-")));
    try {
      for (const folder of ["code", "codes"]) await mkdir(join(root, folder));
      await writeFile(join(root, "code", "a.txt"), "");
      await symlink(join(root, "code"), join(root, "link"));
      const [real, opened] = [join(root, "code", "a.txt"), join(root, "link", "a.txt")];
      const folders = [join(root, "gone"), join(root, "link")];
      assert.equal(pathAsOpened(real, folders), opened);
      assert.equal(pathAsOpened(real, [join(root, "code")]), real);
      assert.equal(pathAsOpened(join(root, "codes", "b.txt"), folders), join(root, "codes", "b.txt"));
      assert.equal(realOf(opened), real);
      assert.equal(realOf(join(root, "gone")), join(root, "gone"));
    } finally {
      await rm(root, { recursive: true });
    }
  });
});
