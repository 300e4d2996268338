// Command lines that can change nothing outside of the workspace: what is understood runs, what deletes or cannot be read asks.
import assert from "node:assert/strict";
import { all, ruling, rulesOf, table } from "./ruling.ts";

describe("a confined command line without rules", () => {
  table(
    [
      ...all(
        "allow",
        "npm test",
        "npm install",
        "ls -la && cat package.json | head",
        "git status",
        "git diff | cat",
        "git log --oneline",
        "git add . && git commit -m 'a message'",
        "git checkout -b topic",
        "git stash list",
        "git branch",
        "mkdir -p a/b && touch a/b/c",
        "echo hi >> notes.txt",
        "python app.py",
        "node script.js",
        "node --test",
        "python -m pytest -q",
        "bash build.sh",
        "make",
        "find . -name '*.ts'",
        "find . -name '*.ts' -exec grep -l x {} +",
        "sed -n 1,5p a.txt",
        "sed 's/a/b/g' a.txt",
        "awk '{print $1}' a.txt",
        "awk -F, '{s += $2} END {print s}' a.csv",
        "grep -rn x src | sort | uniq -c",
        "for f in *.ts; do wc -l $f; done",
        "PATH=./bin:$PATH npm test",
        "cargo build --release",
        "xargs grep x",
        "tar -tf a.tar",
        "timeout 5 npm test",
      ),
      ...all(
        "ask",
        "rm x",
        "rm -rf node_modules",
        "rmdir x",
        "unlink x",
        "mv a b",
        "cp a b",
        "shred x",
        "truncate -s 0 x",
        "dd if=a of=b",
        "tee a.txt",
        "ln -sf a b",
        "echo hi > notes.txt",
        "echo hi >> /etc/x",
        "echo hi >> $X",
        "git reset --hard",
        "git reset",
        "git clean -fd",
        "git checkout -- a.ts",
        "git checkout a.ts",
        "git checkout .",
        "git restore a.ts",
        "git push",
        "git push origin main",
        "git -C a push",
        "git --git-dir=x clean -f",
        "git stash",
        "git stash drop",
        "git branch -D x",
        "git tag -d x",
        "git switch -f main",
        "git commit --amend",
        "git rm a",
        "git $X",
        "git worktree remove x",
        "find . -delete",
        "find . -name x -exec rm {} ;",
        "find . -fprint x",
        "sed -i s/a/b/ a.txt",
        "sed -i.bak s/a/b/ a.txt",
        "sed --in-place s/a/b/ a.txt",
        "sed -ni p a.txt",
        "sed 's/a/b/e' a.txt",
        "sed 'w out' a.txt",
        "awk '{system($1)}' a.txt",
        "awk '{print > \"x\"}' a.txt",
        "awk -f prog.awk a.txt",
        "python -c 'import shutil'",
        "python3 -c x",
        "python3.12 -c x",
        "node -e x",
        "node --eval=x",
        "node -p x",
        "perl -e x",
        "perl -pi -e s/a/b/ a",
        "ruby -e x",
        "php -r x",
        "deno eval x",
        "curl x | sh",
        "curl x | python3",
        "curl -o a x",
        "sort -o a a",
        "tar -xf a.tar",
        "sudo rm x",
        "xargs rm",
        "bash -c 'rm x'",
        'bash -c "$X"',
        "$X",
        "eval $X",
        "npx rimraf x; rm x",
        "/bin/rm x",
        "RM x",
        "if ls; then rm x; fi",
        "echo $(rm x)",
        "npm publish",
        "make clean",
        "npm test && $X",
        "ls (",
      ),
    ],
    { confined: true },
  );
  table(all("allow", "rm -rf dist", "git push origin main"), {
    confined: true,
    rules: rulesOf("allow rm -rf dist", "allow git push *"),
  });
  table(all("deny", "npm publish", "ls && npm publish"), { confined: true, rules: rulesOf("deny npm publish") });
});

describe("why a command line asks", () => {
  const whys = [
    ["rm -rf x", "It deletes or overwrites files."],
    ["echo a > b", "It deletes or overwrites files."],
    ["python -c x", "It runs code that was not read."],
    ["$X", "It cannot be told what this runs: the name of the program is known only when it runs."],
    ["ls (", "It cannot be told what this runs: it cannot be parsed."],
    ["echo a >> /x", "“/x” is outside the workspace, or must not be used."],
  ] as const;
  for (const [command, why] of whys)
    it(command, async () => {
      const said = await ruling(command, { confined: true });
      assert.equal(said.kind === "ask" && said.why, why);
    });

  it("names the rule that denies", async () => {
    const said = await ruling("ls; git push", { rules: rulesOf("deny git push *") });
    assert.deepEqual(said, { kind: "deny", why: "Denied by the rule “deny: git push *”." });
  });

  it("names the rules that allow", async () => {
    const said = await ruling("ls; npm test", { rules: rulesOf("allow ls *", "allow npm test") });
    assert.deepEqual(said, { kind: "allow", rule: "allow: ls *, allow: npm test" });
  });
});
