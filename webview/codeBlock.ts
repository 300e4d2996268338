// Code blocks: the language's name, what can be done with the code, and colours.
import { piecesOf } from "./colouring.ts";
import { t } from "./l10n.ts";

/**
 * One code block as DOM. The text is only ever set as text.
 * @param info all that stands behind its fence
 */
export function codeBlock(text: string, language: string, info = language): HTMLElement {
  const pre = element("pre");
  pre.append(codeStretch(text, language));
  const block = element("div", "code-block");
  block.append(head(language), pre);
  block.dataset["info"] = info;
  return block;
}

/** Lines of a code block, to stand after others of it, or in one element with them. */
export function codeStretch(text: string, language: string, tag: "code" | "span" = "code"): HTMLElement {
  const code = element(tag);
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
  const called = language === "" ? t("text") : language;
  name.textContent = called;
  const line = element("div", "code-head");
  line.append(
    name,
    codeButton("git-pull-request-go-to-changes", t("Apply to a file"), t("Apply this {0} code to a file", called)),
    codeButton("insert", t("Insert at the cursor"), t("Insert this {0} code at the cursor", called)),
    codeButton("new-file", t("Open in a new editor"), t("Open this {0} code in a new editor", called)),
    codeButton("copy", t("Copy"), language === "" ? t("Copy this code") : t("Copy this {0} code", language)),
  );
  return line;
}

/** @param icon tells, when it is pressed, what is to be done with the code */
function codeButton(icon: string, title: string, name: string): HTMLElement {
  const button = element("button", `icon-button codicon codicon-${icon}`);
  button.setAttribute("type", "button");
  button.tabIndex = -1;
  button.dataset["code"] = icon;
  button.title = title;
  button.setAttribute("aria-label", name);
  return button;
}

export function element(tag: string, className = ""): HTMLElement {
  const made = document.createElement(tag);
  if (className !== "") made.className = className;
  return made;
}
