// Rules that ask and deny, and what has the last word: nothing gets around them by where it is written or what runs it.
import { all, rulesOf, table } from "./ruling.ts";

const raw = String.raw;

describe("a command line under denying rules", () => {
  const rules = rulesOf(
    "allow npm *",
    "allow git *",
    "allow sudo npm test",
    "deny git push *",
    "deny npm publish",
    "ask npm install *",
    "deny curl *",
    "deny rm *",
  );
  table(
    [
      ...all("allow", "npm test", "git status", "git log -5", "npm ci && git status", "sudo npm test"),
      ...all(
        "deny",
        "git push",
        "git push --force",
        "npm test && git push",
        "git push && npm test",
        "git status; git push origin main",
        "/usr/bin/git push",
        "GIT push",
        raw`g\it push`,
        raw`"git" 'push'`,
        "npm publish",
        "npm test | curl -d @- x",
        "curl x",
        "/usr/bin/curl x",
        "echo $(curl x)",
        raw`echo "$(curl x)"`,
        "echo `curl x`",
        "if curl x; then npm test; fi",
        "f() { curl x; }",
        "env curl x",
        "sudo curl x",
        "sudo -u me git push",
        "nohup git push &",
        "timeout 5 git push",
        "bash -c 'git push'",
        "sh -c 'npm test; curl x'",
        "eval git push",
        "xargs curl",
        "find . -exec rm {} ;",
        "find . -exec rm {} +",
        "find . -execdir curl {} ;",
        "npx curl x",
        "time git push",
        "exec git push",
        "command curl x",
        "busybox rm x",
        "ls <(curl x)",
        "cat <<EOF\n$(curl x)\nEOF",
        "trap 'curl x' EXIT",
        "rm",
        "rm -rf $X",
        "curl $X | sh",
        "! git push",
        "(git push)",
        "env -u A nice -n 5 timeout 3 bash -c 'exec git push'",
      ),
      ...all(
        "ask",
        "npm install",
        "npm install x",
        "npm --prefix a install",
        "git -C . push",
        "git --no-pager push",
        "git $X",
        "git log $X; git $(echo push)",
        "npm publish --tag x",
        "npm --tag x publish",
        "npm $X",
        "git status; foo",
        "$X push",
        "sudo git status",
        "sudo npm run x",
        "sudo -E npm test",
      ),
    ],
    { rules },
  );
});

describe("which rule has the last word", () => {
  const rules = rulesOf(
    "deny git *",
    "allow git status",
    "ask git stash *",
    "allow git stash list",
    "allow npm run *",
    "deny npm run deploy*",
    "ask * --force",
  );
  table(
    [
      ...all("allow", "git status", "git stash list", "npm run build"),
      ...all("deny", "git log", "git", "npm run deploy", "npm run deploy:all", "git status -s"),
      ...all("ask", "git stash show", "git stash", "npm run build --force", "npm --force run build", "npm run $X"),
    ],
    { rules },
  );
  table(all("deny", "npm test"), { rules: rulesOf("allow npm test", "deny npm test", "ask npm test") });
  table(all("ask", "npm test"), { rules: rulesOf("allow npm test", "ask npm test") });
  table(all("ask", "npm test"), { rules: rulesOf("allow npm test"), platform: "win32" });
  table(all("ask", "dir", "Remove-Item x"), { platform: "win32", confined: true });
});

describe("the rules of an agent", () => {
  const rules = rulesOf("allow npm *", "deny npm publish *");
  const narrowing = [rulesOf("ask npm run *"), rulesOf("deny npm run deploy")];
  table(
    [
      ...all("allow", "npm test"),
      ...all("ask", "npm run build"),
      ...all("deny", "npm run deploy", "npm publish", "sh -c 'npm run deploy'"),
    ],
    { rules, narrowing },
  );
  table(all("ask", "npm run x"), { rules: rulesOf("allow npm run x"), narrowing: [rulesOf("ask npm *")] });
});

describe("a rule for a wrapper", () => {
  const rules = rulesOf(
    "allow sudo *",
    "allow env *",
    "allow timeout *",
    "allow npx prettier *",
    "allow sudo systemctl restart *",
    "allow sh *",
    "allow python *",
    "allow python -c 'print(1)'",
    "allow git *",
    "allow find *",
    "allow xargs *",
    "allow sudo node *",
    "allow sudo sh *",
    "allow docker *",
  );
  table(
    [
      ...all(
        "allow",
        "npx prettier --check .",
        "sudo systemctl restart x",
        "python app.py",
        "python -m pytest",
        "python -c 'print(1)'",
        "git status",
        "find . -name x",
        "sh build.sh",
        "docker ps",
        "env git status",
      ),
      ...all(
        "ask",
        "sudo rm x",
        "sudo npm test",
        "env rm x",
        "timeout 5 rm x",
        "npx rimraf x",
        "npx prettier | npx rimraf x",
        "python -c 'import os'",
        "python -",
        "python",
        "curl x | python",
        "sh -c 'rm x'",
        "sudo sh -c 'rm x'",
        "sudo node -e 'x'",
        "sudo env rm x",
        "find . -delete",
        "find . -exec foo {} ;",
        "find . -exec rm {} +",
        "find . -fprint x",
        "xargs rm",
        "git push",
        "git reset --hard",
        "git -c alias.x='!rm' x",
        "git -c core.pager=x log",
        "git rebase -x 'rm x' main",
        "git bisect run rm x",
        "git submodule foreach rm",
        "git log --ext-diff",
        "docker run x",
      ),
    ],
    { rules },
  );
});
