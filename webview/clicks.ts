// What a click, or Enter, on a link or a Copy button inside rendered text does.
import type { ToHost } from "../src/protocol/wire.ts";
import { fileReference, isWebLink } from "./links.ts";

/** Milliseconds for which a Copy button shows that it has copied. */
const copiedFor = 1_500;

/** Follows the link or presses the Copy button that an event of rendered text is for, if it is for one. */
export function press(event: MouseEvent | KeyboardEvent, post: (message: ToHost) => void): void {
  const target = event.target instanceof Element ? event.target.closest("[data-link],[data-file],[data-copy]") : null;
  if (!(target instanceof HTMLElement)) return;
  if (event instanceof KeyboardEvent && (event.key !== "Enter" || target instanceof HTMLButtonElement)) return;
  event.preventDefault();
  event.stopPropagation();
  const { link, file, copy } = target.dataset;
  if (link !== undefined && isWebLink(link)) post({ type: "link:open", url: link });
  const reference = file === undefined ? null : fileReference(file, true);
  if (reference) post({ type: "file:open", ...reference });
  if (copy !== undefined) copyCode(target, post);
}

function copyCode(button: HTMLElement, post: (message: ToHost) => void): void {
  const code = button.closest(".code-block")?.querySelector("pre");
  if (!code) return;
  post({ type: "text:copy", text: code.textContent });
  button.classList.replace("codicon-copy", "codicon-check");
  setTimeout(() => button.classList.replace("codicon-check", "codicon-copy"), copiedFor);
}
