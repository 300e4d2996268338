// Cutting long texts: between lines, or words, and never inside a private key.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { cutAfter, cutBefore } from "../../../src/tools/cuts.ts";
import { keptOutput } from "../../../src/tools/keptOutput.ts";
import { liveOutput } from "../../../src/tools/liveOutput.ts";

const line = fc.stringMatching(/^[a-z]{0,30}$/);

describe("A long text", () => {
  it("is cut where a line begins", () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 20 }), fc.nat(), (lines, place) => {
        const text = lines.map((one) => `${one}\n`).join("");
        const first = text.indexOf("\n") + 1;
        const at = first + (place % (text.length + 1 - first));
        const [before, after] = [cutBefore(text, at), cutAfter(text, at)];
        assert.ok(before <= at && at <= after);
        for (const cut of [before, after]) assert.ok(cut === 0 || text[cut - 1] === "\n", `${cut} of ${text}`);
      }),
    );
  });

  it("is cut where a word begins when it has no lines, and else where it is asked to", () => {
    assert.deepEqual([cutBefore("one two three", 6), cutAfter("one two three", 6)], [4, 8]);
    assert.deepEqual([cutBefore("x".repeat(20_000), 9_000), cutAfter("x".repeat(20_000), 9_000)], [9_000, 9_000]);
  });

  it("is cut behind a private key that it would be cut in", () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${"AbC1\n".repeat(40)}-----END PRIVATE KEY-----\n`;
    const text = `one\n${key}two\n${key}`;
    const behind = 4 + key.length;
    for (let at = 5; at < behind; at++) assert.equal(cutAfter(text, at), behind, String(at));
    assert.equal(cutAfter(text, behind + 1), behind + 4);
  });

  it("leaves no half of a line, neither of the beginning nor of the end", () => {
    const kept = keptOutput(10_000);
    for (let index = 0; index < 3_000; index++) kept.add(`begin-${index}-end\n`);
    const shown = kept.text(1_001).split("\n");
    assert.equal(shown.length > 50, true);
    const strange = shown.filter((one) => one !== "" && !/^begin-\d+-end$/.test(one));
    assert.match(strange.join("\n"), /^\[… \d+ characters left out …\]$/);
    assert.match(kept.text().replaceAll(/begin-\d+-end\n/g, ""), /^\n?\[… \d+ characters left out …\]\n?$/);
  });

  it("that comes faster than it is shown is left out in whole lines, also around what was shown before", async () => {
    let shown = "";
    let told = (): void => undefined;
    const first = new Promise<void>((resolve) => (told = resolve));
    const live = liveOutput((chunk) => {
      shown += chunk;
      told();
    });
    live.add("begin-0");
    await first;
    live.add("-end\n");
    for (let index = 1; index < 40_000; index++) live.add(`begin-${index}-end\n`);
    live.end();
    await sleep(0);
    assert.ok(shown.length < 300_000);
    assert.equal(shown.replaceAll(/begin-\d+-end\n/g, ""), "");
    assert.match(shown, /begin-39999-end\n$/);
  });
});
