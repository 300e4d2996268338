// Images that the model is shown: their bytes as they are, what is too large, and what only pretends.
import assert from "node:assert/strict";
import { openPlace, refusal } from "./place.ts";

const begins = {
  "a.png": ["image/png", Buffer.from("\x89PNG\r\n\x1a\n more", "latin1")],
  "a.JPG": ["image/jpeg", Buffer.from("\xff\xd8\xff more", "latin1")],
  "a.gif": ["image/gif", Buffer.from("GIF89a more")],
  // Its name does not decide.
  "b.png": ["image/webp", Buffer.from("RIFF\n\n\n\nWEBP more")],
} as const;

describe("read_file of an image", () => {
  for (const [name, [mediaType, bytes]] of Object.entries(begins))
    it(`shows ${name} as ${mediaType}`, async () => {
      await using place = await openPlace();
      await place.put(name, bytes);
      const { status, content, parts } = await place.call("read_file", { path: name });
      assert.equal(status, "succeeded");
      assert.equal(content, `${name} · ${mediaType} · ${bytes.length} bytes`);
      assert.deepEqual(parts, [{ kind: "image", value: bytes.toString("base64"), mediaType }]);
    });

  it("does not show one that endpoints would refuse for its size, and says what to do", async () => {
    await using place = await openPlace();
    await place.put("large.png", Buffer.concat([begins["a.png"][1], Buffer.alloc(4_000_000)]));
    const { status, content, parts } = await place.call("read_file", { path: "large.png" });
    assert.equal(status, "failed");
    assert.match(content, /too large to be shown \(4,000,013 bytes; at most 3,750,000\): make a smaller copy/);
    assert.equal(parts, undefined);
  });

  it("keeps to the scope", async () => {
    await using place = await openPlace();
    assert.match(refusal(await place.prepare("read_file", { path: "../outside.png" })), /outside/);
  });
});
