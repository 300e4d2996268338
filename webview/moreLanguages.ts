// Colours of languages that most sessions do not show: fetched with the first block of one of them.
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

export function registerMore(): void {
  for (const [name, language] of Object.entries({
    bash,
    c,
    css,
    diff,
    go,
    java,
    markdown,
    python,
    rust,
    sql,
    xml,
    yaml,
  }))
    hljs.registerLanguage(name, language);
}
