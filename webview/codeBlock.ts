// Code blocks: the language's name, a Copy button, and colours.
import { piecesOf } from "./colouring.ts";
import type { t } from "./l10n.ts";

/** Characters of a code block beyond which it is coloured only when it is complete. */
const longestLive = 8_000;
/** Characters of a code block beyond which it is never coloured. */
const longestColoured = 100_000;

interface Look {
  /** The text is still growing. */
  readonly live: boolean;
  readonly t: typeof t;
}

/** One code block as DOM. The text is only ever set as text. */
export function codeBlock(text: string, language: string, { live, t }: Look): HTMLElement {
  const code = element("code");
  code.textContent = text;
  if (text.length <= (live ? longestLive : longestColoured)) colour(code, language);
  const pre = element("pre");
  pre.append(code);
  const block = element("div", "code-block");
  block.append(head(language, t), pre);
  return block;
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

function head(language: string, t: Look["t"]): HTMLElement {
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
