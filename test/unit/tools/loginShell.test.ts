// The environment of a login shell: asked of real and of badly behaved shells, and never for longer than it may take.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { cleanEnvironment } from "../../../src/tools/environment.ts";
import { loginEnvironment, personEnvironment } from "../../../src/tools/loginShell.ts";
import { withVirtualEnvironment } from "../../../src/tools/virtualEnvironment.ts";
import { goneWith } from "../../support/alive.ts";

const never = new AbortController().signal;
const patience = 60_000;

interface Home extends AsyncDisposable {
  readonly dir: string;
  readonly said: string[];
  /** Writes the files of bash and asks it. */
  bash(files: Readonly<Record<string, string>>, limit?: number): Promise<Readonly<Record<string, string | undefined>>>;
  /** Asks a shell that is this script and is called by the name of a known one. */
  fake(script: string, limit?: number): Promise<Readonly<Record<string, string | undefined>>>;
}

async function openHome(): Promise<Home> {
  const dir = await realpath(await mkdtemp(path.join(tmpdir(), "brain-home-")));
  const said: string[] = [];
  const log = (message: string): void => void said.push(message);
  const ask = (shell: string, limit: number): ReturnType<typeof loginEnvironment> => {
    const env = { HOME: dir, SHELL: shell, PATH: "/usr/bin:/bin", VSCODE_IPC_HOOK: "x", ONLY_HERE: "1" };
    return loginEnvironment({ env, log, patience: limit, signal: never });
  };
  return {
    dir,
    said,
    async bash(files, limit = patience) {
      for (const [name, text] of Object.entries(files)) await writeFile(path.join(dir, name), text);
      return ask("/bin/bash", limit);
    },
    async fake(script, limit = patience) {
      const file = path.join(dir, "zsh");
      await writeFile(file, `#!/bin/sh\n${script}\n`);
      await chmod(file, 0o755);
      return ask(file, limit);
    },
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

describe("The environment of a login shell", function () {
  this.timeout(patience * 2);
  before(function () {
    if (!existsSync("/bin/bash")) this.skip();
  });

  it("is what the person's own files make of it, in their home folder", async () => {
    await using home = await openHome();
    const found = await home.bash({
      ".bash_profile": "export PATH=/opt/tools/bin:$PATH FROM_PROFILE=1 WHERE=$PWD\n. ~/.bashrc",
      ".bashrc": "case $- in *i*) export INTERACTIVE=1;; esac",
    });
    const { PATH, FROM_PROFILE, INTERACTIVE, ONLY_HERE, WHERE } = found;
    assert.deepEqual(
      { PATH, FROM_PROFILE, INTERACTIVE, ONLY_HERE, WHERE },
      { PATH, FROM_PROFILE: "1", INTERACTIVE: "1", ONLY_HERE: "1", WHERE: homedir() },
    );
    assert.match(PATH ?? "", /^\/opt\/tools\/bin:.*\/bin/);
    const strange = /^(?:VSCODE|ELECTRON|BRAIN)_|^(?:PWD|SHLVL|_)$/;
    assert.deepEqual(
      Object.keys(found).filter((name) => strange.test(name)),
      [],
    );
    assert.deepEqual(home.said, []);
  });

  it("gives commands no secrets that the files set", async () => {
    await using home = await openHome();
    const found = await home.bash({ ".bash_profile": "export OPENAI_API_KEY=sk-1 EDITOR=vi GOOD=1" });
    assert.equal(found["OPENAI_API_KEY"], "sk-1");
    const { OPENAI_API_KEY, EDITOR, GOOD } = cleanEnvironment(found);
    assert.deepEqual({ OPENAI_API_KEY, EDITOR, GOOD }, { OPENAI_API_KEY: undefined, EDITOR: "true", GOOD: "1" });
  });

  const good = "export FOUND=1\n";
  const endured: Readonly<Record<string, string>> = {
    "that greets, prompts and complains": `${good}echo welcome; printf '\\033]0;title\\007'; echo no >&2; PS1='$(echo p)'`,
    "that prints a million lines": `${good}yes 'a long line of nothing at all' | head -n 1000000`,
    "that prints no text": `${good}head -c 300000 /dev/urandom; printf '\\377\\376'`,
    "that prints its environment": `${good}env; export -p`,
    "that shows all that it runs": `${good}exec 2>&1; set -vx`,
    "that sets what is no text": `${good}export BROKEN=$'\\377\\376'`,
    "that exports functions": `${good}greet() { echo "a > b"\n}; export -f greet`,
    "that has values of many lines": `${good}export LINES_HERE=$'a\\nb>c\\n"<'`,
    "that leaves something behind which holds its output": `${good}sleep 2 & disown`,
    "that waits for input": `${good}read -r answer; read -rs other`,
    "that fails in the middle": `${good}nothing-of-that-name; false`,
    "that says goodbye": `${good}trap 'echo bye; env' EXIT`,
  };
  for (const [what, profile] of Object.entries(endured))
    it(`is found with a file ${what}`, async () => {
      await using home = await openHome();
      const found = await home.bash({ ".bash_profile": profile });
      assert.deepEqual([found["FOUND"], home.said], ["1", []]);
      if (profile.includes("greet")) assert.match(found["BASH_FUNC_greet%%"] ?? "", /a > b/);
      if (profile.includes("LINES")) assert.equal(found["LINES_HERE"], 'a\nb>c\n"<');
    });

  const lost: Readonly<Record<string, [profile: string, why: RegExp]>> = {
    "that ends the shell": ["exit 3", /ended before it could say/],
    "that becomes another program": ["exec true", /ended before it could say/],
    "that kills the shell": ["kill -9 $$", /ended before it could say/],
    "that closes the output": ["exec >&-", /ended before it could say/],
  };
  for (const [what, [profile, why]] of Object.entries(lost))
    it(`is the editor's own with a file ${what}, and that is said`, async () => {
      await using home = await openHome();
      const found = await home.bash({ ".bash_profile": profile });
      assert.deepEqual([found["PATH"], found["ONLY_HERE"]], ["/usr/bin:/bin", "1"]);
      assert.match(home.said.join("\n"), why);
      assert.match(home.said.join("\n"), /^Commands run with the editor’s own PATH/);
    });

  it("is not waited for longer than it may take, and nothing of the shell stays", async () => {
    await using home = await openHome();
    const found = await home.bash(
      { ".bash_profile": `trap '' TERM HUP\nwhile :; do sleep 3600.${process.pid}; done` },
      300,
    );
    assert.equal(found["ONLY_HERE"], "1");
    assert.match(home.said.join("\n"), /did not answer within 0\.3 s/);
    await goneWith(`sleep 3600.${process.pid}`);
  });

  it("does not take what another shell makes of the question", async () => {
    for (const script of [
      'echo "$BRAIN_SHELL_MARK<[1>$BRAIN_SHELL_MARK"',
      'echo "$BRAIN_SHELL_MARK<"; echo "$BRAIN_SHELL_MARK"',
      'echo "$BRAIN_SHELL_MARK<null>$BRAIN_SHELL_MARK"',
      "echo PATH=/evil",
    ]) {
      await using home = await openHome();
      assert.equal((await home.fake(script))["ONLY_HERE"], "1", script);
      assert.equal(home.said.length, 1, script);
    }
  });

  it("is the editor's own with a shell that is not known or not there", async () => {
    for (const SHELL of ["/usr/bin/python3", "bash", "/nowhere/bash", "./bash"]) {
      const said: string[] = [];
      const env = { SHELL, PATH: "/bin" };
      const found = await loginEnvironment({ env, patience, signal: never, log: (line) => void said.push(line) });
      assert.deepEqual([found, said.length], [env, 1], SHELL);
    }
  });

  it("is asked for once, and never where it is not wanted or already there", async () => {
    await using home = await openHome();
    let wanted = false;
    await writeFile(path.join(home.dir, ".bash_profile"), 'echo x >> "$HOME/asked"; export FOUND=1');
    const env = { HOME: home.dir, SHELL: "/bin/bash", PATH: "/usr/bin:/bin" };
    const options = { patience, wanted: () => wanted, log: () => assert.fail() };
    const asked = (): boolean => existsSync(path.join(home.dir, "asked"));
    const environment = personEnvironment({ ...options, env });
    assert.equal(await environment.get(), env);
    wanted = true;
    const fromTerminal = { ...env, VSCODE_CLI: "1" };
    assert.equal(await personEnvironment({ ...options, env: fromTerminal }).get(), fromTerminal);
    assert.equal(asked(), false);
    const [one, two] = await Promise.all([environment.get(), environment.get()]);
    assert.equal(one, two);
    assert.equal(one["FOUND"], "1");
    assert.ok(asked());
    wanted = false;
    assert.equal(await environment.get(), env);
  });

  it("is let go of when the window closes", async () => {
    await using home = await openHome();
    await writeFile(path.join(home.dir, ".bash_profile"), `sleep 3601.${process.pid}`);
    const env = { HOME: home.dir, SHELL: "/bin/bash", PATH: "/usr/bin:/bin" };
    const environment = personEnvironment({ env, patience, wanted: () => true, log: () => undefined });
    const found = environment.get();
    environment.dispose();
    assert.equal(await found, env);
    await goneWith(`sleep 3601.${process.pid}`);
  });
});

describe("A virtual environment in the folder", () => {
  it("comes first where there is one, and takes nothing else away", async () => {
    await using home = await openHome();
    const env = { PATH: "/usr/bin", PYTHONHOME: "/x", LANG: "C" };
    assert.equal(withVirtualEnvironment(env, home.dir), env);
    const bin = path.join(home.dir, ".venv/bin");
    await mkdir(bin, { recursive: true });
    await writeFile(path.join(bin, "python"), "");
    assert.equal(withVirtualEnvironment(env, home.dir), env);
    await writeFile(path.join(home.dir, ".venv/pyvenv.cfg"), "");
    const found = withVirtualEnvironment(env, home.dir);
    assert.deepEqual(found, { PATH: `${bin}:/usr/bin`, LANG: "C", VIRTUAL_ENV: path.join(home.dir, ".venv") });
  });
});
