// What `@` brings with a message: files, lines, folders and what the host knows, and never what the scope keeps back.
import assert from "node:assert/strict";
import { mostAttached } from "../../../src/protocol/attachments.ts";
import { maskSecrets } from "../../../src/scope/secrets.ts";
import { attach, type AttachParts, type OwnContexts } from "../../../src/tools/attach.ts";
import { openPlace, type Place } from "./place.ts";

function attached(place: Place, text: string, own: OwnContexts = {}, more: Partial<AttachParts> = {}) {
  const { scope, files } = place.workspace;
  const { signal } = new AbortController();
  const page = (address: string): Promise<string> => Promise.reject(new Error(`${address} was asked for.`));
  return attach(text, { scope, files, own, unread: () => false, mask: maskSecrets, signal, page, ...more });
}

describe("attachments", () => {
  it("are files, with their lines numbered as read_file does", async () => {
    await using place = await openPlace();
    await place.put("src/a b.ts", "one\ntwo\nthree\n");
    const { attachments, notices } = await attached(place, 'See @"src/a b.ts", and lines @"src/a b.ts":2-3.');
    assert.deepEqual(notices, []);
    assert.deepEqual(
      attachments.map(({ kind, label }) => [kind, label]),
      [
        ["file", "src/a b.ts"],
        ["file", "src/a b.ts:2-3"],
      ],
    );
    assert.match(attachments[0]?.text ?? "", /^src\/a b\.ts · lines 1–3 of 3 · hash \w+\n\none\ntwo\nthree$/);
    assert.match(attachments[1]?.text ?? "", /lines 2–3 of 3 .*\n\ntwo\nthree$/);
  });

  it("are folders as lists, without what is ignored or denied", async () => {
    await using place = await openPlace();
    await place.put("lib/a.ts", "");
    await place.put("lib/deep/b.ts", "");
    await place.put("lib/.env", "KEY=1");
    await place.put("lib/out.log", "");
    await place.put(".gitignore", "*.log\n");
    const { attachments } = await attached(place, "What is in @lib/?");
    assert.deepEqual(attachments, [{ kind: "folder", label: "lib", text: "lib/a.ts\nlib/deep/\nlib/deep/b.ts" }]);
  });

  it("never leave the scope: what is denied is told to the person, what does not exist is only a word", async () => {
    await using place = await openPlace();
    await place.put(".env", "SECRET=1");
    await place.put("id_rsa.pem", "key");
    const { attachments, notices } = await attached(
      place,
      "@.env @id_rsa.pem @../outside @/etc/passwd @nobody @src/missing.ts @dataclass",
    );
    assert.deepEqual(attachments, []);
    assert.deepEqual(
      notices.map((notice) => notice.split(" ", 1)[0]),
      ["@.env", "@id_rsa.pem", "@../outside", "@/etc/passwd"],
    );
  });

  it("are nothing that a rule denies, also where the host looks for what may be read", async () => {
    await using place = await openPlace();
    await place.put("lib/plan.md", "plan");
    await place.put("a.txt", "text");
    const own: OwnContexts = {
      changes: async ({ mayRead }) => `${await mayRead("lib/plan.md")} ${await mayRead("a.txt")}`,
    };
    const unread = (relative: string): boolean => relative.startsWith("lib");
    const { attachments, notices } = await attached(place, "@lib/plan.md @lib @a.txt @changes", own, { unread });
    assert.deepEqual(
      attachments.map(({ label }) => label),
      ["a.txt", "changes"],
    );
    assert.equal(attachments[1]?.text, "false true");
    assert.deepEqual(notices, [
      "@lib/plan.md was not attached. A rule denies reading it.",
      "@lib was not attached. A rule denies reading it.",
    ]);
  });

  it("are masked like results", async () => {
    await using place = await openPlace();
    const key = ["AKIA", "ABCDEFGH23456723"].join("");
    await place.put("a.txt", `id: ${key}\n`);
    const [one] = (await attached(place, "@a.txt")).attachments;
    assert.ok(one && !one.text.includes(key) && one.text.includes("[masked: "));
    const [open] = (await attached(place, "@a.txt", {}, { mask: (plain) => plain })).attachments;
    assert.ok(open?.text.includes(key));
  });

  it("have together what a message may have, and say where they were cut", async () => {
    await using place = await openPlace();
    await place.put("big.txt", "0123456789abcdef\n".repeat(mostAttached / 10));
    await place.put("small.txt", "small");
    const { attachments, notices } = await attached(place, "@big.txt @small.txt");
    const [big, ...others] = attachments;
    assert.deepEqual(others, []);
    assert.ok(big && big.text.length <= mostAttached);
    assert.match(big.text, /abcdef\n\[cut off here: the tools can read the rest\]$/);
    assert.match(notices[0] ?? "", /^Of @big\.txt only the beginning was attached: /);
    assert.match(notices[1] ?? "", /^Of @small\.txt nothing was attached: /);
  });

  it("are what the host knows, unless a file is named so and the host knows nothing of it", async () => {
    await using place = await openPlace();
    await place.put("terminal", "a file");
    const own: OwnContexts = {
      problems: () => Promise.resolve("src/a.ts:3: broken"),
      changes: () => Promise.resolve(null),
    };
    const { attachments, notices } = await attached(place, "@problems @changes @terminal", own);
    assert.deepEqual(
      attachments.map(({ kind, label }) => [kind, label]),
      [
        ["problems", "problems"],
        ["file", "terminal"],
      ],
    );
    assert.deepEqual(notices, ["There is nothing to attach for @changes now."]);
  });

  it("are pages of the web and commits, by their names, masked and cut as all the others", async () => {
    await using place = await openPlace();
    const key = ["AKIA", "ABCDEFGH23456723"].join("");
    const asked: string[] = [];
    const page = (address: string): Promise<string> => {
      asked.push(address);
      return address.includes("gone")
        ? Promise.reject(new Error("e.org answered 404."))
        : Promise.resolve(`Page ${key}`);
    };
    const own: OwnContexts = { commit: (name) => Promise.resolve(name === "HEAD~1" ? "commit abc" : null) };
    const text =
      "See @https://e.org/a_(b)?c=d#e, (@http://localhost:3000), @https://e.org/gone. @commit:HEAD~1 @commit:nope";
    const { attachments, notices } = await attached(place, text, own, { page });
    assert.deepEqual(asked, ["https://e.org/a_(b)?c=d#e", "http://localhost:3000", "https://e.org/gone"]);
    assert.deepEqual(
      attachments.map(({ kind, label }) => [kind, label]),
      [
        ["page", "https://e.org/a_(b)?c=d#e"],
        ["page", "http://localhost:3000"],
        ["commit", "commit:HEAD~1"],
      ],
    );
    assert.ok(attachments.every((one) => !one.text.includes(key)));
    assert.deepEqual(notices, [
      "@https://e.org/gone was not attached. e.org answered 404.",
      "There is nothing to attach for @commit:nope now.",
    ]);
  });

  it("keep no message back when one of them fails", async () => {
    await using place = await openPlace();
    await place.put("pic.bin", "\0\0\0");
    await place.put("a.txt", "text");
    const own: OwnContexts = { problems: () => Promise.reject(new Error("The editor is gone.")) };
    const { attachments, notices } = await attached(place, "@problems @pic.bin @a.txt", own);
    assert.deepEqual(
      attachments.map(({ label }) => label),
      ["a.txt"],
    );
    assert.equal(notices[0], "@problems was not attached. The editor is gone.");
    assert.match(notices[1] ?? "", /^@pic\.bin was not attached\. /);
  });
});
