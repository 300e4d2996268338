// `brain replay` as a process: the same, every kind of change by hand at its line, what a crash left, and every bad input.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");
const recorded = path.join(root, "test/golden/recorded");
const id = "0b0f7d0e-5f0b-4d56-9d3c-1a2b3c4d5e6f";

describe("brain replay", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "brain-replay-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const replay = (...args: readonly string[]): { code: number | null; out: string; errors: string } => {
    const ran = spawnSync(process.execPath, [path.join(root, "src/cli.ts"), "replay", ...args], { encoding: "utf8" });
    return { code: ran.status, out: ran.stdout, errors: ran.stderr };
  };
  /** Without what is said ahead of calls: the numbers of lines below are those of what is compared. */
  const lines = async (name: string): Promise<string[]> => {
    const text = await readFile(path.join(recorded, `${name}.jsonl`), "utf8");
    return text
      .trimEnd()
      .split("\n")
      .filter((line) => !line.includes('"type":"begun"'));
  };
  const keep = async (text: readonly string[]): Promise<void> => {
    const session = path.join(folder, ".brain/sessions", id);
    await mkdir(session, { recursive: true });
    await writeFile(path.join(session, "transcript.jsonl"), text.map((line) => `${line}\n`).join(""));
  };
  const replayed = async (text: readonly string[]): Promise<ReturnType<typeof replay>> => {
    await keep(text);
    return replay(id, "--workspace", folder);
  };
  /** With one line made another. */
  const edited = (text: readonly string[], number: number, change: (line: string) => string): string[] =>
    text.map((line, index) => {
      if (index !== number - 1) return line;
      const other = change(line);
      assert.notEqual(other, line);
      return other;
    });

  it("says of each run that it is the same, with exit code 0, and leaves the folder as it was", async () => {
    const [first, second] = [await lines("decided"), await lines("stopped")];
    const two = [...first, ...second.map((line) => line.replaceAll('"id-', '"id-2-'))];
    const ran = await replayed(two);
    assert.equal(ran.errors, "");
    assert.equal(ran.out, "Run 1 of 2: the same, 8 lines\nRun 2 of 2: the same, 8 lines\n");
    assert.equal(ran.code, 0);
    const session = path.join(folder, ".brain/sessions", id);
    assert.deepEqual(await readdir(session), ["transcript.jsonl"]);
    assert.deepEqual((await readFile(path.join(session, "transcript.jsonl"), "utf8")).trimEnd().split("\n"), two);
  });

  it("is the same for what `brain run` has just recorded, with real tools and refusals", async () => {
    await cp(path.join(root, "test/example"), folder, { recursive: true });
    for (const approve of ["policy", "all"]) {
      const task = ["run", "--workspace", folder, "--message", "Fix the failing test", "--approve", approve];
      const ran = spawnSync(process.execPath, [path.join(root, "src/cli.ts"), ...task], { encoding: "utf8" });
      assert.equal(ran.status, 0, ran.stderr);
    }
    const sessions = await readdir(path.join(folder, ".brain/sessions"));
    assert.equal(sessions.length, 2);
    for (const session of sessions) {
      const { out, code } = replay(session, "--workspace", folder);
      assert.match(out, /^Run 1 of 1: the same, \d+ lines\n$/);
      assert.equal(code, 0);
    }
  });

  it("tells a status that was changed by hand, and what would follow from it", async () => {
    const ran = await replayed(edited(await lines("decided"), 5, (line) => line.replace('"succeeded"', '"failed"')));
    assert.equal(
      ran.out,
      "Run 1 of 1: 1 difference, 8 lines\n  Line 5: the result of call replaced (run_command) has another error.type now: it was not there, and is “runtime”.\n",
    );
    assert.equal(ran.code, 1);
  });

  it("tells a result of the loop that was changed by hand, with the place where it differs", async () => {
    const changed = edited(await lines("decided"), 6, (line) =>
      line.replace("Rejected by the person", "Rejected by policy"),
    );
    const ran = await replayed(changed);
    assert.equal(
      ran.out,
      "Run 1 of 1: 1 difference, 8 lines\n  Line 6: the result of call refused (run_command) has another content now: it was “Rejected by policy: not that one”, and is “Rejected by the person: not that one”.\n",
    );
  });

  it("tells a line that was taken out, where its results end", async () => {
    const text = await lines("parallel-reads");
    for (const taken of [7, 5]) {
      const ran = await replayed(text.toSpliced(taken - 1, 1));
      const call = taken === 7 ? "r5" : "r3";
      const missing = `  Line 7: the result of call ${call} (read_file) is written here now, but is not recorded`;
      assert.ok(ran.out.startsWith(`Run 1 of 1: 1 difference, 8 lines\n${missing}`), ran.out);
      assert.equal(ran.code, 1);
    }
    const reply = await replayed((await lines("parallel-reads")).toSpliced(1, 1));
    assert.match(reply.out, /Line 2: the result of call r1 \(read_file\) is recorded, but is not written now\./);
    assert.equal(reply.code, 1);
  });

  it("tells lines in another order", async () => {
    const text = await lines("failing-branch");
    const [p, bad] = [
      text.findIndex((line) => line.includes('"tool_call_id":"p"')),
      text.findIndex((line) => line.includes('"tool_call_id":"bad"')),
    ];
    assert.ok(p !== -1 && p < bad);
    const moved = text.toSpliced(bad, 1).toSpliced(p, 0, text[bad] ?? "");
    const ran = await replayed(moved);
    assert.match(ran.out, /Line \d+: the result of call p \(read_file\) comes before line \d+ now/);
    assert.equal(ran.code, 1);
  });

  it("tells a run whose message is lost, and a line that nobody would write now", async () => {
    const text = await lines("rounds-used-up");
    const lost = await replayed(text.slice(1));
    assert.match(
      lost.out,
      /Line 1: The message that began this run is not in the record, so it cannot be done again\./,
    );
    const twice = edited([...text.slice(0, 3), text[2] ?? "", ...text.slice(3)], 4, (line) =>
      line.replace(/"id":"id-\d+"/, '"id":"more"'),
    );
    const ran = await replayed(twice);
    assert.match(ran.out, /Line 4: the result of call r \(read_file\) is recorded, but is not written now\./);
    assert.equal(ran.code, 1);
  });

  it("compares what a crash has left as far as it goes, closed or not", async () => {
    const text = await lines("parallel-reads");
    const cut = await replayed(text.slice(0, 4));
    assert.equal(cut.out, "Run 1 of 1: the same, 4 lines; the record breaks off there\n");
    assert.match(cut.errors, /The last run was interrupted/);
    assert.equal(cut.code, 0);
    const torn = await replayed([...text.slice(0, 5), '{"role":"tool","tool_ca']);
    assert.match(torn.errors, /could not be read|cut off/);
    assert.match(torn.out, /the same, 5 lines; the record breaks off there/);
  });

  it("numbers lines as an editor does, with those that cannot be read", async () => {
    const text = await lines("decided");
    const ran = await replayed([
      "not json",
      ...edited(text, 6, (line) => line.replace("Rejected by the person", "No")),
    ]);
    assert.match(ran.out, /Line 7: the result of call refused/);
    assert.match(ran.errors, /One line of the transcript could not be read/);
  });

  it("--json prints one line a run, with every value", async () => {
    await keep(edited(await lines("decided"), 6, (line) => line.replace("Rejected by the person", "No")));
    const { out, code } = replay(id, "--workspace", folder, "--json");
    assert.equal(code, 1);
    const run: unknown = JSON.parse(out);
    assert.deepEqual(run, {
      type: "replay:run",
      run: 1,
      of: 1,
      runId: "id-1",
      lines: 8,
      cutOff: false,
      differences: [
        {
          kind: "changed",
          line: 6,
          toolCallId: "refused",
          field: "content",
          recorded: "No: not that one",
          now: "Rejected by the person: not that one",
          message:
            "Line 6: the result of call refused (run_command) has another content now: it was “No: not that one”, and is “Rejected by the person: not that one”.",
        },
      ],
    });
  });

  it("exits with 2 and a sentence when it is not told well what to replay", () => {
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [["--workspace", folder], /Name one session/],
      [[id, id, "--workspace", folder], /Name one session/],
      [[id], /There is no session/],
      [[id, "--workspace", path.join(folder, "nowhere")], /There is no folder/],
      [[id, "--workspace", folder], /There is no session 0b0f7d0e/],
      [["../x", "--workspace", folder], /is not the id of a session/],
      [[id, "--workspace", folder, "--fast"], /--fast/],
    ];
    for (const [args, sentence] of cases) {
      const { code, errors } = replay(...args);
      assert.equal(code, 2, args.join(" "));
      assert.match(errors, sentence);
    }
  });
});
