// What each piece of markdown becomes: no images, no raw HTML, and links only as data that the panel reads on a click.
import type { RendererObject } from "marked";
import { fileReference, isWebLink } from "./links.ts";

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** An element that can be followed, around finished HTML; the HTML alone when the target leads nowhere allowed. */
function link(target: string, inner: string, loose: boolean): string {
  if (isWebLink(target)) return anchor("link", target, inner);
  return fileReference(target, loose) ? anchor("file", target, inner) : inner;
}

function anchor(kind: "link" | "file", target: string, inner: string): string {
  const value = escape(target);
  return `<a role="link" tabindex="-1" title="${value}" data-${kind}="${value}">${inner}</a>`;
}

/** The language of a code block, out of what follows its fence. */
export function languageOf(info: string | undefined): string {
  return info?.split(/[\s{]/, 1)[0] ?? "";
}

/** Renderer of `marked`. Its output is sanitized once more before it is shown. */
export const htmlOf: RendererObject = {
  html: ({ text }) => (/^\s*<br\s*\/?>\s*$/i.test(text) ? "<br>" : escape(text)),
  heading({ tokens, depth }) {
    const level = Math.min(depth + 2, 6);
    return `<h${level} class="h${depth}">${this.parser.parseInline(tokens)}</h${level}>`;
  },
  link({ href, tokens }) {
    return link(href, this.parser.parseInline(tokens), true);
  },
  image: ({ href, text }) => link(href, escape(text === "" ? href : text), true),
  codespan: ({ text }) => link(text, `<code>${escape(text)}</code>`, false),
  code: ({ text, lang }) => `<pre data-language="${escape(languageOf(lang))}"><code>${escape(text)}</code></pre>`,
  listitem(item) {
    return `<li${item.task ? ' class="task"' : ""}>${this.parser.parse(item.tokens)}</li>\n`;
  },
  checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
};
