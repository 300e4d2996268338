// Colours of languages that few answers are written in: fetched with the first such block.
import hljs from "highlight.js/lib/core";
import c from "highlight.js/lib/languages/c";
import css from "highlight.js/lib/languages/css";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import markdown from "highlight.js/lib/languages/markdown";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";

export function registerMore(): void {
  for (const [name, language] of Object.entries({ c, css, go, java, markdown, rust, sql }))
    hljs.registerLanguage(name, language);
}
