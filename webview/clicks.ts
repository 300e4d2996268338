// What a click, or Enter, on a link or a button of a code block inside rendered text does.
import type { ApplyState, ToHost, ToWebview } from "../src/protocol/wire.ts";
import { element } from "./codeBlock.ts";
import { t } from "./l10n.ts";
import { fileReference, isWebLink } from "./links.ts";

/** Milliseconds for which a Copy button shows that it has copied. */
const copiedFor = 1_500;

/** Characters above a block that may name its file. */
const mostAbove = 300;

/** What the buttons do with the code, by their icons. */
const applyIcon = "git-pull-request-go-to-changes";
const uses: Readonly<Record<string, "insert" | "open" | "apply">> = {
  insert: "insert",
  "new-file": "open",
  [applyIcon]: "apply",
};

/** Follows the link or presses the button that an event of rendered text is for, if it is for one. */
export function press(event: MouseEvent | KeyboardEvent, post: (message: ToHost) => void): void {
  const target = event.target instanceof Element ? event.target.closest("[data-link],[data-file],[data-code]") : null;
  if (!(target instanceof HTMLElement)) return;
  if (event instanceof KeyboardEvent && (event.key !== "Enter" || target instanceof HTMLButtonElement)) return;
  event.preventDefault();
  event.stopPropagation();
  const { link, file, code } = target.dataset;
  if (link !== undefined && isWebLink(link)) post({ type: "link:open", url: link });
  const reference = file === undefined ? null : fileReference(file, true);
  if (reference) post({ type: "file:open", ...reference });
  if (code !== undefined) useCode(target, code, post);
}

function useCode(button: HTMLElement, icon: string, post: (message: ToHost) => void): void {
  const block = button.closest<HTMLElement>(".code-block");
  const text = block?.querySelector("pre")?.textContent;
  if (!block || text === undefined) return;
  const how = uses[icon];
  if (how) return post({ type: "code:use", how, use: follow(block, button), text, ...aboutCode(block) });
  post({ type: "text:copy", text });
  button.classList.replace("codicon-copy", "codicon-check");
  setTimeout(() => button.classList.replace("codicon-check", "codicon-copy"), copiedFor);
}

const states: Readonly<Record<ApplyState, () => string>> = {
  reviewed: () => t("In review"),
  applied: () => t("Applied"),
  left: () => t("Not applied"),
  undone: () => t("Taken back"),
};

/** Shows beside the button what becomes of the code, until it is used once more. @returns the name of this use */
function follow(block: HTMLElement, button: HTMLElement): string {
  const use = crypto.randomUUID();
  block.dataset["use"] = use;
  const hear = ({ data }: MessageEvent<ToWebview>): void => {
    if (!block.isConnected || block.dataset["use"] !== use) return window.removeEventListener("message", hear);
    if (data.type !== "code:used" || data.use !== use) return undefined;
    const { state } = data;
    noteOf(block).textContent = states[state]();
    button.classList.toggle("codicon-check", state === "applied");
    button.classList.toggle(`codicon-${applyIcon}`, state !== "applied");
  };
  window.addEventListener("message", hear);
  return use;
}

function noteOf(block: HTMLElement): Element {
  const there = block.querySelector(".code-note");
  if (there) return there;
  const note = element("span", "code-note");
  note.role = "status";
  block.querySelector(".code-language")?.after(note);
  return note;
}

function aboutCode(block: HTMLElement): { language: string; info: string; above: string } {
  return {
    language: block.querySelector(".code-language")?.textContent ?? "",
    info: block.dataset["info"] ?? "",
    above: (aboveOf(block)?.textContent ?? "").slice(-mostAbove),
  };
}

/** What stands before it; where its part of a long text begins with it, the last of the part before. */
function aboveOf({ previousElementSibling: before, parentElement: around }: HTMLElement): Element | null {
  const last = before ?? (around?.matches(".part") ? around.previousElementSibling : null);
  return last?.matches(".part:not([data-away])") ? last.lastElementChild : last;
}
