// The notification of the system: one for each absence, and no text of it in a script.
import assert from "node:assert/strict";
import { createNotice, noticeProgram, runNotice } from "../../../src/host/notice.ts";

/** @returns what was told, and a window that can be left */
function noticed() {
  const told: string[] = [];
  const at = { away: true };
  return { told, at, notice: createNotice(() => at.away, told.push.bind(told)) };
}

describe("the notification of what waits", () => {
  it("is shown once while the window is not in front, however much comes to wait", () => {
    const { told, notice } = noticed();
    notice.waits(1, "one");
    notice.waits(2, "two");
    assert.deepEqual(told, ["one"]);
  });

  it("is not shown to a person who looks, nor for what they have seen before they went", () => {
    const { told, at, notice } = noticed();
    at.away = false;
    notice.waits(1, "one");
    assert.deepEqual(told, []);
  });

  it("is shown again after it was seen, or when nothing waited any more", () => {
    const { told, notice } = noticed();
    notice.waits(1, "first");
    notice.seen();
    notice.waits(2, "second");
    notice.waits(0, "");
    notice.waits(1, "third");
    assert.deepEqual(told, ["first", "second", "third"]);
  });

  it("gives its text to the system's program as an argument or a variable, never as a part of a script", () => {
    const text = `"; rm -rf ~; '$(x)`;
    for (const platform of ["linux", "darwin", "win32"]) {
      const program = noticeProgram(platform, "Brain", text);
      assert.ok(program, platform);
      const given = [...program.args, ...Object.values(program.env ?? {})];
      assert.equal(given.filter((one) => one.includes(text)).length, 1, platform);
      assert.ok(given.includes(text), platform);
    }
    assert.equal(noticeProgram("aix", "Brain", text), null);
  });

  it("says that a program which is not there, or fails, has shown nothing", async () => {
    assert.equal(await runNotice({ file: "no-such-program-of-brain", args: [] }), false);
    assert.equal(await runNotice({ file: process.execPath, args: ["-e", "process.exit(1)"] }), false);
    const env = { BRAIN_NOTICE_TEXT: "seen" };
    const args = ["-e", 'process.exit(process.env.BRAIN_NOTICE_TEXT === "seen" ? 0 : 1)'];
    assert.equal(await runNotice({ file: process.execPath, args, env }), true);
  });
});
