// Images and PDFs that are pasted and dropped into the composer: shown, taken out by keys, sent, refused in words, and kept.
import assert from "node:assert/strict";
import { composer, usePanel } from "./harness.ts";
import * as story from "./stories.ts";

/** In the page: files as they come from a clipboard or another program. `kind` is a type, or an image that is drawn. */
const giving = `async (how, files) => {
  const carried = new DataTransfer();
  for (const { name, type, size } of files) {
    const canvas = new OffscreenCanvas(400, 100);
    canvas.getContext("2d").fillRect(0, 0, 40, 40);
    const bytes = type === "image/png" && size === undefined
      ? await canvas.convertToBlob({ type }) : new Uint8Array(size ?? 9);
    carried.items.add(new File([bytes], name, { type }));
  }
  const init = { bubbles: true, cancelable: true };
  const event = how === "paste"
    ? new ClipboardEvent("paste", { ...init, clipboardData: carried })
    : new DragEvent("drop", { ...init, dataTransfer: carried });
  document.querySelector("textarea").dispatchEvent(event);
}`;

const pictureWidth = `(async () => {
  const picture = document.querySelector(".user > img");
  await picture.decode();
  return picture.naturalWidth;
})()`;

interface Given {
  readonly name: string;
  readonly type: string;
  readonly size?: number;
}
const png: Given = { name: "shot.png", type: "image/png" };
const pdf: Given = { name: "plan.pdf", type: "application/pdf" };

describe("the composer takes images and PDFs", function () {
  this.timeout(60_000);
  const { panel, show, tell, press, focused } = usePanel();
  const chips = () => panel().page.locator(".given .chip").allInnerTexts();
  const status = async (words: string) =>
    panel().page.locator(".composer [role=status]").filter({ hasText: words }).waitFor();
  const give = async (how: "paste" | "drop", ...files: readonly Given[]): Promise<void> => {
    await panel().page.evaluate(`(${giving})(${JSON.stringify(how)}, ${JSON.stringify(files)})`);
  };
  const sentParts = async () =>
    (await panel().posted()).flatMap((one) => (one.type === "prompt:submit" ? (one.parts ?? []) : []));
  const write = (text: string) => panel().page.getByLabel(composer).fill(text);

  it("pasted and dropped, sends them with the message, and shows small pictures of them with it", async () => {
    await show([story.setup()]);
    await give("paste", png);
    await status("Write what to do with it.");
    await give("drop", pdf);
    await panel().page.locator(".given .chip").nth(1).waitFor();
    assert.deepEqual(await chips(), ["shot.png", "plan.pdf"]);
    await write("Build this");
    await press("Enter");
    const parts = await sentParts();
    assert.equal(parts.length, 2);
    const thumbnail = /^data:image\/webp;base64,/.exec(parts[0]?.thumbnail ?? "")?.input ?? "none";
    assert.match(parts[0]?.value ?? "", /^iVBOR/);
    assert.deepEqual(parts, [
      { kind: "image", mediaType: "image/png", name: "shot.png", value: parts[0]?.value, thumbnail },
      { kind: "file", mediaType: "application/pdf", name: "plan.pdf", value: "AAAAAAAAAAAA" },
    ]);
    assert.deepEqual(await chips(), []);
    const attached = [
      { kind: "image" as const, label: "shot.png", thumbnail },
      { kind: "file" as const, label: "plan.pdf" },
    ];
    await tell(...story.start("Build this"));
    const [turn] = story.fold(story.start("Build this")).turns;
    const messageId = turn?.messageId ?? "";
    await tell({ type: "message:attached", runId: "run-1", messageId, attached });
    await panel().page.getByRole("img", { name: "shot.png" }).waitFor();
    assert.equal(await panel().page.evaluate(pictureWidth), 320);
    assert.equal(await panel().page.locator(".user .attached").innerText(), "Attached: shot.png, plan.pdf");
  });

  it("takes one out by keys, and the focus goes back to the field", async () => {
    await show([story.setup()]);
    await give("paste", png);
    await status("Write what to do with it.");
    await panel().page.getByLabel(composer).focus();
    await press("Shift+Tab");
    assert.equal(await focused(), "Remove shot.png");
    await press("Enter");
    assert.deepEqual(await chips(), []);
    assert.equal(await focused(), composer);
  });

  it("says in a sentence what it does not take", async () => {
    await show([story.setup()]);
    await give("drop", { name: "a.zip", type: "application/zip" });
    await status("“a.zip” cannot be given: PNG, JPEG, GIF and WebP images and PDFs can.");
    await give("paste", { ...pdf, size: 5_000_001 });
    await status("“plan.pdf” is too large: 5 MB at most.");
    await give("paste", { ...png, size: 3 });
    await status("“shot.png” could not be read.");
    await give("drop", pdf, pdf, pdf, pdf, pdf);
    await status("A message takes 4 images and PDFs; the others were left out.");
    assert.equal((await chips()).length, 4);
  });

  it("gives them back with a message that was refused", async () => {
    await show([story.setup()]);
    await give("paste", png);
    await status("Write what to do with it.");
    await write("look");
    await press("Enter");
    const failure = { code: "session_busy", status: 503, message: "Busy.", next: "Wait." };
    await tell({ type: "panel:failure", failure });
    assert.deepEqual(await chips(), ["shot.png"]);
    assert.equal(await panel().page.getByLabel(composer).inputValue(), "look");
  });

  it("keeps small ones when the panel is loaded again, and says which were too large for that", async () => {
    await show([story.setup()]);
    await give("drop", pdf, { ...pdf, name: "long.pdf", size: 200_000 });
    await status("“long.pdf”: too large to be kept");
    await panel().page.evaluate("window.dispatchEvent(new Event('pagehide'))");
    await panel().reload();
    await panel().page.locator(".given .chip").waitFor();
    assert.deepEqual(await chips(), ["plan.pdf"]);
    await status("Too large to be kept, give it again: “long.pdf”.");
  });
});
