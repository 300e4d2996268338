// Code blocks: the language's name, a Copy button, and colours.
import { piecesOf } from "./colouring.ts";
import { t } from "./l10n.ts";

/** One code block as DOM. The text is only ever set as text. */
export function codeBlock(text: string, language: string): HTMLElement {
  const pre = element("pre");
  pre.append(codeStretch(text, language));
  const block = element("div", "code-block");
  block.append(head(language), pre);
  return block;
}

/** Lines of a code block, to stand after others of it. */
export function codeStretch(text: string, language: string): HTMLElement {
  const code = element("code");
  code.textContent = text;
  colour(code, language);
  return code;
}

function colour(code: HTMLElement, language: string): void {
  const pieces = piecesOf(code.textContent, language);
  if (!pieces) return;
  const nodes = pieces.map(({ text, kind }) => {
    if (!kind) return text;
    const span = element("span", `code-${kind}`);
    span.textContent = text;
    return span;
  });
  code.replaceChildren(...nodes);
}

function head(language: string): HTMLElement {
  const name = element("span", "code-language");
  name.textContent = language === "" ? t("text") : language;
  const copy = element("button", "icon-button codicon codicon-copy");
  copy.setAttribute("type", "button");
  copy.tabIndex = -1;
  copy.dataset["copy"] = "";
  copy.title = t("Copy");
  copy.setAttribute("aria-label", language === "" ? t("Copy this code") : t("Copy this {0} code", language));
  const line = element("div", "code-head");
  line.append(name, copy);
  return line;
}

export function element(tag: string, className = ""): HTMLElement {
  const made = document.createElement(tag);
  if (className !== "") made.className = className;
  return made;
}
