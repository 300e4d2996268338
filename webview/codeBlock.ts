// Code blocks: the language's name, a Copy button, and colours.
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import typescript from "highlight.js/lib/languages/typescript";

const languages = { bash, javascript, json, typescript };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** Names of those that are fetched when they are needed. */
const others =
  /^(c|h|css|diff|patch|go|golang|java|jsp|markdown|md|mkdown|mkd|py|python|gyp|ipython|rust|rs|sql|svg|x?html|xml|ya?ml)$/;

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
  // Without its colours it can be read too.
  if (others.test(language))
    fetchOthers().then(
      () => paint(code, language),
      () => undefined,
    );
  else paint(code, language);
}

function paint(code: HTMLElement, language: string): void {
  if (!hljs.getLanguage(language)) return;
  const { value } = hljs.highlight(code.textContent, { language, ignoreIllegals: true });
  code.replaceChildren(...spansOf(value));
}

async function fetchOthers(): Promise<void> {
  const { registerMore } = await import("./moreLanguages.ts");
  if (!hljs.getLanguage("sql")) registerMore();
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };

/** What the highlighter writes, as nodes: text, and spans with a class. */
function spansOf(html: string): readonly Node[] {
  const top = element("span");
  let at = top;
  for (const piece of html.split(/(<span class="[^"]*">|<\/span>)/)) {
    const opened = /^<span class="([^"]*)">$/.exec(piece);
    if (opened) at = at.appendChild(element("span", opened[1]));
    else if (piece === "</span>") at = at.parentElement ?? top;
    else at.append(piece.replace(/&(amp|lt|gt|quot|#x27);/g, (_, name: string) => entities[name] ?? ""));
  }
  return [...top.childNodes];
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

export function element(tag: string, className = ""): HTMLElement {
  const made = document.createElement(tag);
  if (className !== "") made.className = className;
  return made;
}
