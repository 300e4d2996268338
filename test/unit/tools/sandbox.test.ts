// Commands in the sandbox, for real: what the kernel stops comes back as a result, and what a project needs works.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { pathsBy } from "../../../src/scope/callPolicy.ts";
import { createScope } from "../../../src/scope/scope.ts";
import { createSandbox } from "../../../src/scope/sandbox.ts";
import { shellLaunch } from "../../../src/tools/launch.ts";
import { nodeFiles } from "../../../src/tools/nodeFiles.ts";
import { callContext } from "../../support/kit.ts";
import { goneWith } from "../../support/alive.ts";
import { root as repository } from "../../support/run.ts";
import { openPlace, ready, type Place } from "./place.ts";

const openConfined = (): Promise<Place & AsyncDisposable> => openPlace(nodeFiles(), "auto");

/** Listens outside the sandbox, and counts who came. */
async function listen(): Promise<{ readonly port: number; visits(): number } & AsyncDisposable> {
  let visits = 0;
  const server = createServer((socket) => {
    visits++;
    socket.resume().end("HTTP/1.1 200 OK\r\ncontent-length: 6\r\nconnection: close\r\n\r\nsecret");
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return {
    port: address.port,
    visits: () => visits,
    [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

/** Runs a command that has to fail, with what of its output must be there. */
async function fails(place: Place, command: string, why: RegExp): Promise<void> {
  const result = await place.call("run_command", { command });
  assert.equal(result.status, "failed", `${command}: ${result.content}`);
  assert.match(result.content, why, `${command}: ${result.content}`);
  assert.doesNotMatch(result.content + result.shown, /hunter2/, command);
}

async function succeeds(place: Place, command: string): Promise<string> {
  const result = await place.call("run_command", { command });
  assert.equal(result.status, "succeeded", `${command}: ${result.content}`);
  return result.content;
}

async function tempFolder(): Promise<{ readonly dir: string } & AsyncDisposable> {
  const dir = await realpath(await mkdtemp(path.join(tmpdir(), "brain-outside-")));
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) };
}

describe("The sandbox", function () {
  this.timeout(60_000);

  before(async function () {
    await using place = await openConfined();
    const state = await place.workspace.sandbox.state();
    if (state.kind === "on") return;
    console.log(`      Skipped: ${state.why} ${state.advice}`);
    this.skip();
  });

  it("says that a command will run in it", async () => {
    await using place = await openConfined();
    const { preview } = ready(await place.prepare("run_command", { command: "true" }));
    assert.deepEqual(preview, { kind: "command", command: "true", cwd: ".", confined: true });
  });

  it("runs outside only when it is asked to, and says whose wish that is", async () => {
    await using place = await openConfined();
    const asked = { command: "cat .env", outside_sandbox: "it needs the password" };
    await place.put(".env", "open sesame");
    const { preview } = ready(await place.prepare("run_command", asked));
    assert.ok(preview?.kind === "command" && preview.confined === false);
    assert.equal(preview.unconfined?.by, "model");
    assert.match(preview.unconfined.why, /asks to run this outside the sandbox.*“it needs the password”/);
    assert.match((await place.call("run_command", asked)).content, /open sesame/);
  });

  it("closes denied names to every program, whatever it does", async () => {
    await using place = await openConfined();
    await place.put(".env", "PASSWORD=hunter2");
    await place.put("deep/er/server.key", "hunter2");
    await place.put(".aws/credentials", "hunter2");
    await place.put(".brain/sessions/x/transcript.jsonl", "hunter2");
    await place.put(".docker/config.json", "hunter2");
    await symlink(".env", path.join(place.root, "plain.txt"));
    const denied = /denied|busy/i;
    for (const command of [
      "cat .env",
      "cat plain.txt",
      "cat deep/er/server.key",
      "cat .aws/credentials",
      "cat .brain/sessions/x/transcript.jsonl",
      "cat .docker/config.json",
      "mv .docker d && cat d/config.json",
      "cp .env copy && cat copy",
      "ln .env other && cat other",
      "chmod 644 .env; cat .env",
      "mv .env open && cat open",
      "rm -f .env; cat .env",
      "umount .env; cat .env",
      "unshare -Urm sh -c 'umount .env; cat .env'",
      `python3 -c 'print(open(".env").read())' || cat .env`,
      `node -e 'console.log(require("fs").readFileSync(".env", "utf8"))'`,
      "tar cf - .env | grep -a hunter",
      "cat /proc/self/root$PWD/.env",
      "cat /proc/1/root$PWD/.env",
      "cat /proc/self/cwd/.env",
    ])
      await fails(place, command, new RegExp(`${denied.source}|No such|not permitted|not found|cross-device`, "i"));
    assert.equal(await place.get(".env"), "PASSWORD=hunter2");
    assert.deepEqual((await readdir(place.root)).includes("open"), false);
  });

  it("tells the model what stopped it and what it can do", async () => {
    await using place = await openConfined();
    await place.put(".env", "hunter2");
    await fails(
      place,
      "cat .env",
      /Permission denied[^]*This ran in a sandbox: files that hold secrets[^]*outside_sandbox/,
    );
    await fails(place, "echo x > /etc/x", /Read-only file system[^]*write in the workspace/);
    assert.equal((await place.call("run_command", { command: "exit 3" })).content, "(no output)\n\nexit code 3");
  });

  it("lets nothing be written outside the workspace, through links neither", async () => {
    await using place = await openConfined();
    await using outside = await tempFolder();
    const name = `brain-${randomUUID()}`;
    await symlink(homedir(), path.join(place.root, "home"));
    await symlink(outside.dir, path.join(place.root, "out"));
    const stopped = /Read-only file system|EROFS|No such|Errno 30|denied/;
    await fails(place, `echo x > ~/${name}`, stopped);
    await fails(place, `echo x > home/${name}`, stopped);
    await fails(place, `echo x > out/${name}`, stopped);
    await fails(place, `python3 -c 'open("home/${name}", "w")' || touch home/${name}`, stopped);
    await fails(place, `node -e 'require("fs").writeFileSync("${homedir()}/${name}", "x")'`, stopped);
    await fails(place, `cp /bin/true /usr/local/bin/${name}`, stopped);
    await place.call("run_command", { command: `echo x > /tmp/${name}` });
    for (const folder of [homedir(), outside.dir, "/usr/local/bin", "/tmp"])
      assert.ok(!existsSync(path.join(folder, name)), folder);
  });

  it("has no network, not even this machine's own ports and sockets", async () => {
    await using place = await openConfined();
    await using server = await listen();
    const url = `http://127.0.0.1:${server.port}/`;
    await fails(place, `curl -sS --max-time 5 ${url}`, /no network but for hosts/);
    await fails(
      place,
      `node -e 'fetch("${url}").then(async (r) => console.log(await r.text()))'`,
      /no network but for hosts/,
    );
    await fails(
      place,
      `python3 -c 'import urllib.request as u; print(u.urlopen("${url}").read())' || exit 1`,
      /exit code/,
    );
    await fails(place, `exec 3<>/dev/tcp/127.0.0.1/${server.port}`, /no network but for hosts/);
    assert.equal(server.visits(), 0);
    assert.doesNotMatch(await succeeds(place, "ls -A /run 2>&1 || true"), /sock/);
  });

  it("reaches hosts that are allowed, through a proxy, and no other", async () => {
    await using place = await openConfined();
    await using server = await listen();
    const asked: string[] = [];
    place.reach = ({ host, port, ruled }) => {
      asked.push(`${host}:${port}${ruled ? " by a rule" : ""}`);
      return Promise.resolve(
        host === "localhost" ? { kind: "allowed" } : { kind: "refused", why: "the person refused it" },
      );
    };
    const curl = (host: string, flags = ""): string =>
      `curl -sS ${flags} --max-time 20 --noproxy '' http://${host}:${server.port}/`;
    assert.match(await succeeds(place, curl("localhost")), /^secret\n\nexit code 0$/);
    assert.match(await succeeds(place, curl("localhost", "--proxytunnel")), /^secret/);
    assert.equal(server.visits(), 2);
    const refused = new RegExp(
      `Hosts that it wanted to reach and could not:\n- 127\\.0\\.0\\.1:${server.port}: the person refused`,
    );
    assert.match(await succeeds(place, curl("127.0.0.1")), /Brain's sandbox: a command may not reach 127\.0\.0\.1/);
    await fails(place, curl("127.1", "--proxytunnel"), refused);
    assert.equal(server.visits(), 2);
    assert.deepEqual(
      new Set(asked),
      new Set([`localhost:${server.port} by a rule`, `127.0.0.1:${server.port} by a rule`]),
    );
    await fails(place, "exit 7", /exit code 7$/);
  });

  it("holds a connection while a person is asked, and says what they refused and why", async () => {
    await using place = await openConfined();
    place.reach = () => nextTurn({ kind: "refused", why: "the person refused it: not today" });
    const result = await place.call("run_command", { command: "curl -sS --max-time 60 http://registry.example.org/" });
    assert.equal(result.status, "succeeded", result.content);
    assert.match(result.content, /- registry\.example\.org:80: the person refused it: not today\nDo without them/);
  });

  it("asks nobody once its call has gone on without it", async () => {
    await using place = await openConfined();
    const gone: boolean[] = [];
    const told = new Promise<void>((resolve) => {
      place.reach = (_, over) => {
        gone.push(over.aborted);
        if (gone.length === 2) resolve();
        return Promise.resolve({ kind: "refused", why: "nobody" });
      };
    });
    const ask = "curl -s --max-time 20 http://registry.example.org/";
    const command = `${ask}; until [ -e go ]; do sleep 0.1; done; ${ask}`;
    const result = await place.call("run_command", { command, background: true, timeout_ms: 2_000 });
    assert.match(result.content, /still running, in the background, as/);
    await place.put("go", "");
    await told;
    assert.deepEqual(gone, [false, true]);
  });

  it("sees no process of this machine", async () => {
    await using place = await openConfined();
    await fails(place, `cat /proc/${process.pid}/environ`, /No such file/);
    await fails(place, `kill -0 ${process.pid}`, /No such process/);
    await fails(place, "cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern", /Read-only|denied/);
    await fails(place, "echo 1 > /sys/kernel/uevent_seqnum", /Read-only|denied/);
  });

  it("lets git work, and nobody plant programs that git would run", async () => {
    await using place = await openConfined();
    const git = "git -c user.name=a -c user.email=a@b";
    await place.put("a.txt", "a");
    await promisify(execFile)("git", ["init", "-q", place.root]);
    await succeeds(place, `git add a.txt && ${git} commit -qm one && git log --oneline && git status --short`);
    const before = await readFile(path.join(place.root, ".git/config"), "utf8");
    const stopped = /Read-only|busy|could not lock|could not write|cannot/i;
    for (const command of [
      "echo x > .git/hooks/pre-commit",
      "git config core.hooksPath /tmp",
      "echo x >> .git/config",
      "rm -rf .git/hooks/* && mv .git .git2 && mkdir -p .git/hooks && echo x > .git/hooks/pre-commit",
      `node -e 'require("fs").writeFileSync(".git/hooks/post-checkout", "x")'`,
    ])
      await fails(place, command, stopped);
    assert.equal(await readFile(path.join(place.root, ".git/config"), "utf8"), before);
    assert.ok(!existsSync(path.join(place.root, ".git/hooks/pre-commit")));
    await rm(path.join(place.root, ".git/hooks"), { recursive: true });
    assert.equal((await place.call("run_command", { command: "mkdir .git/hooks" })).status, "failed");
    await succeeds(place, "git log --oneline");
  });

  it("lets nobody plant what the editor would run", async () => {
    await using place = await openConfined();
    await place.put(".vscode/tasks.json", "{}");
    for (const command of ["echo x > .vscode/tasks.json", "echo x > .vscode/new.json", "mv .vscode v && mkdir .vscode"])
      assert.equal((await place.call("run_command", { command })).status, "failed", command);
    assert.equal(await place.get(".vscode/tasks.json"), "{}");
    await succeeds(place, "cat .vscode/tasks.json");
  });

  it("closes the credentials at home", async () => {
    await using place = await openConfined();
    await using home = await tempFolder();
    const names = [".ssh/id_rsa", ".config/gh/hosts.yml", ".docker/config.json", ".netrc", ".cargo/credentials.toml"];
    for (const name of [...names, ".config/other.json"]) {
      await mkdir(path.dirname(path.join(home.dir, name)), { recursive: true });
      await writeFile(path.join(home.dir, name), "hunter2");
    }
    const sandbox = createSandbox({ mode: () => "auto", home: home.dir });
    const { policy } = place.workspace.scope;
    const { launch } = await sandbox.wrap({ file: "true", args: [], env: {} }, place.root, { policy });
    const { args } = launch;
    await sandbox.dispose();
    const closed = new Set(args.slice(args.indexOf("--bind")));
    const isClosed = (name: string): boolean =>
      closed.has(path.join(home.dir, name)) || closed.has(path.join(home.dir, path.dirname(name)));
    assert.deepEqual(
      names.filter((name) => !isClosed(name)),
      [],
    );
    assert.ok(!isClosed(".config/other.json"));
    // Fixing a folder would open it for writing.
    assert.equal(args.slice(args.indexOf("--bind")).filter((word) => word === "--bind").length, 2);
  });

  /** Runs a command for an agent that may use only these. */
  const withOnly = async (place: Place, only: readonly string[], command: string): Promise<string> => {
    const narrowed = place.tool("run_command").narrowed?.({ only: [...only] });
    assert.ok(narrowed);
    const prepared = ready(await narrowed.prepare({ command }, new AbortController().signal, "call"));
    const { status, content } = await prepared.run(callContext(new AbortController().signal));
    return `${status}: ${content}`;
  };

  it("shows programs only what their agent may use, and the packages that they need", async () => {
    await using place = await openConfined();
    await using outside = await tempFolder();
    await place.put("src/a.txt", "open sesame");
    await place.put("src/.env", "hunter2");
    await place.put("docs/plan.md", "plan");
    await place.put("docs/key.txt", "hunter2");
    await place.put("top.txt", "hunter2");
    await place.put("packages/api/lib/deep.txt", "deep");
    await place.put("packages/web/index.txt", "hunter2");
    await place.put("node_modules/tool/index.js", "module.exports = 'a tool'");
    await writeFile(path.join(outside.dir, "x.txt"), "hunter2");
    await symlink("docs", path.join(place.root, "src/link"));
    await symlink("docs", path.join(place.root, "lib"));
    const only = ["src", "*.md", "packages/api/lib", "lib"];
    const sees = (command: string): Promise<string> => withOnly(place, only, command);
    const found = await sees("find . -not -path './node_modules/*' | sort | tr '\\n' ' '");
    assert.match(
      found,
      /^succeeded: \. \.\/docs \.\/docs\/plan\.md \.\/node_modules \.\/packages \.\/packages\/api \.\/packages\/api\/lib \.\/packages\/api\/lib\/deep\.txt \.\/src \.\/src\/\.env \.\/src\/a\.txt \.\/src\/link\n/,
    );
    for (const command of [
      "cat top.txt",
      "cat docs/key.txt",
      "cat src/link/key.txt",
      "cat lib/key.txt",
      "cat packages/web/index.txt",
      "cat src/.env",
      "cat /proc/self/root$PWD/top.txt",
      "cat /proc/1/root$PWD/top.txt",
      "umount $PWD; cat top.txt",
      "unshare -Urm sh -c 'umount -l .; cd /; cat $OLDPWD/top.txt'",
      "mount -o remount,rw $PWD; echo x > new.txt",
      "echo x > top.txt",
      "echo x > docs/new.md",
      "mkdir other",
      "echo x > node_modules/tool/index.js",
      "rm -rf node_modules/tool",
      "mv src src2",
    ]) {
      const result = await sees(command);
      assert.match(result, /^failed/, command);
      assert.doesNotMatch(result, /hunter2/, command);
    }
    assert.match(await sees("cat src/a.txt packages/api/lib/deep.txt docs/plan.md"), /^succeeded: open sesamedeepplan/);
    assert.match(await sees("echo changed > src/a.txt && echo new > src/b.txt && echo more >> docs/plan.md"), /^succ/);
    assert.match(await sees("node -p 'require(\"tool\")'"), /a tool/);
    assert.deepEqual(
      [await place.get("src/a.txt"), await place.get("src/b.txt"), await place.get("docs/plan.md")],
      ["changed\n", "new\n", "planmore\n"],
    );
    assert.equal(await place.get("top.txt"), "hunter2");
    assert.deepEqual((await readdir(place.root)).toSorted(), "docs lib node_modules packages src top.txt".split(" "));
  });

  it("shows programs nothing where their agent may use nothing that is there", async () => {
    await using place = await openConfined();
    await place.put("a.txt", "hunter2");
    await place.put("docs/a.txt", "hunter2");
    assert.match(await withOnly(place, ["src"], "ls -A"), /^succeeded: \(no output\)/);
    const elsewhere = place.tool("run_command").narrowed?.({ only: ["docs/*.md"] });
    const below = await elsewhere?.prepare(
      { command: "pwd; ls -A", cwd: "docs" },
      new AbortController().signal,
      "call",
    );
    assert.ok(below);
    const { content } = await ready(below).run(callContext(new AbortController().signal));
    assert.equal(content, `${place.root}/docs\n\nexit code 0`);
    assert.match(await withOnly(place, ["src"], "mkdir src"), /^failed/);
    assert.deepEqual(await readdir(place.root), ["a.txt", "docs"]);
  });

  it("closes what a rule with a path denies, but for what a narrower one allows", async () => {
    await using place = await openConfined();
    for (const name of ["data/people.csv", "data/deep/er/more.csv", "data/public/open.csv", "free.csv", "edited.md"])
      await place.put(name, name);
    const { barred } = pathsBy(
      [
        { decision: "deny", path: "data/**" },
        { decision: "allow", path: "data/public/**" },
        { decision: "deny", tool: "edit_file", path: "*.md" },
        { decision: "ask", path: "free.csv" },
      ],
      [{ decision: "deny", path: "more.csv" }],
    );
    const { policy, root } = await createScope({ root: place.root, barred });
    const sandbox = createSandbox({ mode: () => "auto" });
    const run = async (script: string): Promise<string> => {
      const inner = shellLaunch(script, await place.workspace.environment());
      const { file, args, env } = (await sandbox.wrap(inner, root, { policy })).launch;
      const asked = promisify(execFile)(file, [...args], { env: { ...env }, cwd: root });
      return asked.then(({ stdout }) => stdout).catch((error: unknown) => String(Object(error).stdout));
    };
    try {
      assert.equal(await run("cat data/public/open.csv free.csv edited.md"), "data/public/open.csvfree.csvedited.md");
      for (const command of [
        "cat data/people.csv",
        "cat data/deep/er/more.csv",
        "cp -r data copy; cat copy/people.csv copy/deep/er/more.csv",
        "mv data other; cat other/people.csv",
        "mv data/deep other; cat other/er/more.csv",
        "mv data/deep/er other; cat other/more.csv",
      ])
        assert.doesNotMatch((await run(command)).replaceAll(/cat: .*|cp: .*|mv: .*/g, ""), /people|more/, command);
      await place.put(".vscode/sub/more.csv", "");
      assert.match(await run("echo x > .vscode/sub/tasks.json || echo no"), /no/);
      for (const name of ["data/people.csv", "data/deep/er/more.csv"]) assert.equal(await place.get(name), name);
    } finally {
      await sandbox.dispose();
    }
  });

  it("narrows every folder of a workspace, also one inside another", async () => {
    await using place = await openConfined();
    await place.put("inner/src/b.txt", "inner");
    await place.put("inner/other.txt", "hunter2");
    await place.put("src/a.txt", "outer");
    const scope = await createScope({
      root: path.join(place.root, "inner"),
      others: [place.root],
      rules: [{ only: ["/src"] }],
    });
    const sandbox = createSandbox({ mode: () => "auto" });
    const script = "cat src/b.txt ../src/a.txt; ls -A . ..; cat other.txt";
    try {
      const launch = shellLaunch(script, await place.workspace.environment());
      const { file, args, env } = (await sandbox.wrap(launch, scope.root, { policy: scope.policy })).launch;
      const asked = promisify(execFile)(file, [...args], { env: { ...env }, cwd: scope.root });
      const { stdout } = await asked.catch((error: unknown) => ({ stdout: String(Object(error).stdout) }));
      assert.match(stdout, /^innerouter\.:\nsrc\n\n\.\.:\ninner\nsrc\n/);
      assert.doesNotMatch(stdout, /hunter2/);
    } finally {
      await sandbox.dispose();
    }
  });

  it("leaves nothing in the workspace and no process behind", async () => {
    await using place = await openConfined();
    await place.put(".env", "x");
    await succeeds(place, "ls -A");
    assert.deepEqual(await readdir(place.root), [".env"]);
    const result = await place.call("run_command", { command: "sleep 97 & sleep 98", timeout_ms: 500 });
    assert.match(result.content, /that was the limit/);
    await goneWith(place.root);
  });

  it("builds and tests the example", async () => {
    await using place = await openConfined();
    await cp(path.join(repository, "test/example"), place.root, { recursive: true });
    await place.put(".npmrc", "audit=false");
    await place.put(".brain/MEMORY.md", "");
    await fails(place, "npm test", /fail 1[^]*exit code 1/);
    await succeeds(place, "sed -i 's/?? 0;/\\/ 100 || 0;/' src/cart.js");
    assert.match(await succeeds(place, "npm test"), /fail 0/);
  });

  it("gives programs their own loopback and a temporary folder", async () => {
    await using place = await openConfined();
    const serve = `require("http").createServer((q, s) => s.end("own")).listen(8123, "127.0.0.1", async function () {
      console.log(await (await fetch("http://127.0.0.1:8123")).text()); this.close(); })`;
    await place.put("serve.cjs", serve);
    assert.match(await succeeds(place, "node serve.cjs"), /own/);
    assert.match(await succeeds(place, "f=$(mktemp) && echo kept > $f && cat $f && echo $f"), /kept\n\/tmp\//);
  });
});
