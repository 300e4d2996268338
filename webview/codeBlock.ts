// Code blocks: the language's name, a Copy button, and colours.
import hljs from "highlight.js/lib/core";
import json from "highlight.js/lib/languages/json";
import typescript from "highlight.js/lib/languages/typescript";

// What TypeScript is coloured by colours JavaScript, too: its own would be the same once more.
const languages = { javascript: typescript, json, typescript };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);
hljs.registerAliases(["js", "jsx", "mjs", "cjs"], { languageName: "javascript" });

/** Names of those that are fetched when they are needed. */
const others =
  /^(bash|sh|zsh|diff|patch|html|xml|xhtml|svg|jsx|tsx|c|h|css|go|golang|java|jsp|markdown|md|mkdown|mkd|py|python|gyp|ipython|rust|rs|sql|ya?ml)$/;

/** Characters of a code block beyond which it is coloured only when it is complete. */
const longestLive = 8_000;
/** Characters of a code block beyond which it is never coloured. */
const longestColoured = 100_000;

/** One code block as DOM. The text is only ever set as text. */
export function codeBlock(text: string, language: string, live: boolean): HTMLElement {
  const code = element("code");
  code.textContent = text;
  if (text.length <= (live ? longestLive : longestColoured)) colour(code, language);
  const pre = element("pre");
  pre.append(code);
  const block = element("div", "code-block");
  block.append(head(language), pre);
  return block;
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
