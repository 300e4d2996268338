// Forms of paths that are refused by their text, with the rules of both platforms.
import assert from "node:assert/strict";
import { refusedForm } from "../../../src/scope/pathForms.ts";

const windowsRefused = [
  String.raw`\\server\share\x`,
  "//server/share/x",
  String.raw`\\?\C:\x`,
  String.raw`\\.\PhysicalDrive0`,
  String.raw`\\?\GLOBALROOT\Device\x`,
  String.raw`/\server\x`,
  String.raw`\x`,
  "/x",
  "C:",
  "C:x",
  String.raw`c:..\x`,
  "a.txt:stream",
  "a.txt::$DATA",
  String.raw`src\.env:x`,
  String.raw`C:\work\a.txt:stream`,
  ".env.",
  ".env ",
  ".git./config",
  String.raw`src \a`,
  "src/.../a",
  "NUL",
  "nul.txt",
  String.raw`src\CON`,
  "com1.log",
  "COM¹",
  "lpt9",
  "CONIN$",
  "aux .txt",
  "GIT~1/config",
  String.raw`src\ENV~1`,
  "SECRET~1.PEM",
  "a<b",
  "a|b",
  "a*b",
  "what?",
  'a"b',
  "a\nb",
  "a\0b",
  "~/x",
  "file:///C:/x",
  "",
];
const windowsTaken = [
  String.raw`C:\Users\RUNNER~1\a.ts`,
  "backup~1x.txt",
  "a",
  "./a",
  "../a",
  String.raw`src\a.ts`,
  String.raw`C:\work\a.ts`,
  "C:/project/a.ts",
  ".env",
  "console.ts",
  "com10",
  "nullable.ts",
  "a b.ts",
];
const posixTaken = [
  "/etc",
  "//x",
  "a b ",
  "a.",
  "NUL",
  "a*b",
  "GIT~1",
  "$id.tsx",
  "src/$HOME/x",
  "%20",
  String.raw`a\b`,
  "./a:b",
  "src/x:y",
  "%00",
  "...",
];
const posixRefused = [
  "",
  "a\0b",
  "a\nb",
  "a\u001b[2Jb",
  "a\u007fb",
  "a\u2028b",
  "invoice\u202Etxt.exe",
  "a\ud800b",
  "~",
  "~x/y",
  "file:x",
  "https://x",
  "data:,x",
  "C:/x",
  "c:x",
  "$HOME/x",
  "${HOME}/x",
  "$env:USERPROFILE/x",
  "%USERPROFILE%/x",
];

describe("BRAIN-EXEC-4 forms of a path", () => {
  for (const path of windowsRefused)
    it(`Windows rules refuse ${JSON.stringify(path)}`, () => {
      assert.equal(typeof refusedForm(path, "win32"), "string");
    });
  for (const path of windowsTaken)
    it(`Windows rules take ${JSON.stringify(path)}`, () => {
      assert.equal(refusedForm(path, "win32"), null);
    });
  for (const path of posixRefused)
    it(`Posix rules refuse ${JSON.stringify(path)}`, () => {
      assert.equal(typeof refusedForm(path, "posix"), "string");
    });
  for (const path of posixTaken)
    it(`Posix rules take ${JSON.stringify(path)}`, () => {
      assert.equal(refusedForm(path, "posix"), null);
    });
});
