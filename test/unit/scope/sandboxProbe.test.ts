// The trial of the walls: it must notice every hole in them, or commands would run as if they were confined.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import type { Launch } from "../../../src/scope/launch.ts";
import { scopePolicy } from "../../../src/scope/policy.ts";
import { nameRoots } from "../../../src/scope/roots.ts";
import { createSandbox } from "../../../src/scope/sandbox.ts";
import { probeWalls, type Confiner, type SandboxState } from "../../../src/scope/sandboxProbe.ts";

const confiner: Confiner = { name: "the test", isThere: () => true, install: "Install it." };

/** Tries walls out that a test has changed. */
async function probed(change: (args: readonly string[]) => readonly string[]): Promise<SandboxState> {
  const trial = await realpath(await mkdtemp(path.join(tmpdir(), "brain-trial-")));
  const sandbox = createSandbox({ mode: () => "auto" });
  try {
    await writeFile(path.join(trial, ".env"), "secret");
    await mkdir(path.join(trial, "src"));
    const wrap = async (launch: Launch): Promise<Launch> => {
      const confined = await sandbox.wrap(launch, trial, { policy: scopePolicy(nameRoots(trial, [])) });
      return { ...confined.launch, args: change(confined.launch.args) };
    };
    return await probeWalls(confiner, wrap, trial);
  } finally {
    await sandbox.dispose();
    await rm(trial, { recursive: true, force: true });
  }
}

describe("The trial of the sandbox", function () {
  this.timeout(60_000);

  it("sees when nothing confines a command at all, and leaves nothing behind", async () => {
    const trial = await realpath(await mkdtemp(path.join(tmpdir(), "brain-trial-")));
    await writeFile(path.join(trial, ".env"), "secret");
    const state = await probeWalls(confiner, (launch) => Promise.resolve(launch), trial);
    await rm(trial, { recursive: true });
    assert.deepEqual(state, {
      kind: "off",
      why: "Commands run without a sandbox: the test does not work on this system (its walls do not hold here).",
      advice: "The log of the system may say more.",
    });
    const left = (await readdir(homedir()).catch(() => [])).filter((name) => name.startsWith(".brain-outside"));
    assert.deepEqual(left, []);
  });

  it("says what to install where it is missing, and what went wrong where it cannot be started", async () => {
    const missing = await probeWalls({ ...confiner, isThere: () => false }, () => assert.fail(), tmpdir());
    assert.deepEqual(missing, {
      kind: "off",
      why: "Commands run without a sandbox: the test is not installed.",
      advice: "Install it.",
    });
    const broken = await probeWalls(confiner, () => Promise.reject(new Error("bwrap: no permission")), tmpdir());
    assert.ok(broken.kind === "off");
    assert.match(broken.why, /\(no permission\)/);
    assert.match(broken.advice, /user namespaces/);
  });

  describe("on Linux", () => {
    before(async function () {
      const sandbox = createSandbox({ mode: () => "auto" });
      const works = process.platform === "linux" && (await sandbox.state()).kind === "on";
      await sandbox.dispose();
      if (!works) this.skip();
    });

    it("lets whole walls pass", async () => {
      assert.deepEqual(await probed((args) => args), { kind: "on" });
    });

    const holes: Readonly<Record<string, (args: readonly string[]) => readonly string[]>> = {
      "the network": (args) => args.filter((word) => word !== "--unshare-net"),
      "the folders outside": (args) => args.with(args.indexOf("--ro-bind"), "--bind"),
      "what is denied": (args) => {
        const at = args.findIndex((word) => word.endsWith("/.env"));
        return args.toSpliced(at - 2, 3);
      },
    };
    for (const [what, change] of Object.entries(holes))
      it(`sees a hole that leads to ${what}`, async () => {
        assert.equal((await probed(change)).kind, "off");
      });
  });
});
