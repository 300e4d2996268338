// Code blocks: the language's name, a Copy button, and colours.
import DOMPurify from "dompurify";
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

const languages = {
  bash,
  c,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  markdown,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** Characters of a code block beyond which it is coloured only when it is complete. */
const longestLive = 8_000;
/** Characters of a code block beyond which it is never coloured. */
const longestColoured = 100_000;

/**
 * Finishes the code blocks of a sanitized fragment.
 * @param live the text is still growing
 */
export function decorate(fragment: DocumentFragment, live: boolean): void {
  for (const pre of fragment.querySelectorAll("pre")) {
    pre.replaceWith(codeBlock(pre.textContent, pre.dataset["language"] ?? "", live));
  }
}

/** One code block as DOM. The text is only ever set as text. */
export function codeBlock(text: string, language: string, live: boolean): HTMLElement {
  const code = element("code", "");
  code.textContent = text;
  if (text.length <= (live ? longestLive : longestColoured)) colour(code, language);
  const pre = element("pre", "");
  pre.append(code);
  const block = element("div", "code-block");
  block.append(head(language), pre);
  return block;
}

function colour(code: HTMLElement, language: string): void {
  if (!hljs.getLanguage(language)) return;
  const { value } = hljs.highlight(code.textContent, { language, ignoreIllegals: true });
  const allowed = { ALLOWED_TAGS: ["span"], ALLOWED_ATTR: ["class"] };
  code.replaceChildren(DOMPurify.sanitize(value, { ...allowed, RETURN_DOM_FRAGMENT: true }));
}

function head(language: string): HTMLElement {
  const name = element("span", "code-language");
  name.textContent = language === "" ? "text" : language;
  const copy = element("button", "icon-button codicon codicon-copy");
  copy.setAttribute("type", "button");
  copy.tabIndex = -1;
  copy.dataset["copy"] = "";
  copy.title = "Copy";
  copy.setAttribute("aria-label", `Copy this ${language} code`.replace("  ", " "));
  const line = element("div", "code-head");
  line.append(name, copy);
  return line;
}

function element(tag: string, className: string): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  return made;
}
