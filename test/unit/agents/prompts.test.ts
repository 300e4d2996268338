// Prompt files: read from both folders, by name, and never through a link out of them.
import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import path from "node:path";
import { promptsOf } from "../../../src/composeScope.ts";
import { openPlace } from "../tools/place.ts";

describe("prompt files", () => {
  it("are those of .brain and of .github, the own ones first, with what they say of themselves", async () => {
    await using place = await openPlace();
    await place.put(".brain/prompts/review.md", "---\ndescription: A strict look\n---\n\nReview it.\n");
    await place.put(".brain/prompts/two words.md", "Plain.");
    await place.put(".github/prompts/review.prompt.md", "Another.");
    await place.put(".github/prompts/ship.prompt.md", "---\nmode: agent\n---\nShip it.");
    await place.put(".github/prompts/notes.txt", "no");
    const found = await promptsOf({ root: place.root, brainDir: path.join(place.root, ".brain") });
    assert.deepEqual(found, [
      { name: "review", description: "A strict look", source: ".brain/prompts/review.md", text: "Review it." },
      { name: "ship", description: "", source: ".github/prompts/ship.prompt.md", text: "Ship it." },
      { name: "two-words", description: "", source: ".brain/prompts/two words.md", text: "Plain." },
    ]);
  });

  it("that are links out, folders, too large, or have front matter that cannot be read, keep none of the others back", async () => {
    await using place = await openPlace();
    await using other = await openPlace();
    await other.put("secret.md", "secret");
    await place.put(".brain/prompts/folder.md/x", "");
    await place.put(".brain/prompts/large.md", "x".repeat(200_000));
    await place.put(".brain/prompts/odd.md", "---\n: [\n---\nText.");
    await symlink(path.join(other.root, "secret.md"), path.join(place.root, ".brain/prompts/link.md"));
    const found = await promptsOf({ root: place.root, brainDir: path.join(place.root, ".brain") });
    assert.deepEqual(
      found.map(({ name }) => name),
      ["odd"],
    );
  });

  it("are none where there are no folders", async () => {
    await using place = await openPlace();
    assert.deepEqual(await promptsOf({ root: place.root, brainDir: path.join(place.root, ".brain") }), []);
  });
});
