// The panel's page: what is painted before any script has come, what is fetched with it, and its content security policy. Pure.
import type { PageWords } from "../protocol/viewTold.ts";

export interface PageParts {
  /** Where the page finds a file of the panel. */
  readonly file: (name: string) => string;
  /** Where fonts, images and the icons' style may come from, in the words of a policy. */
  readonly source: string;
  /** Never the same twice. */
  readonly nonce: string;
  /** VS Code shows a page once it has loaded: a style that has to be fetched for that would hold back the first paint. */
  readonly style: string;
  /** The names of all files of the panel. */
  readonly files: readonly string[];
  /** Null: English. */
  readonly words: PageWords | null;
}

/** The page as HTML. */
export function panelPage({ file, source, nonce, style, files, words }: PageParts): string {
  const policy = [
    "default-src 'none'",
    `style-src ${source} 'nonce-${nonce}'`,
    `font-src ${source}`,
    `img-src ${source} data:`,
    `script-src 'nonce-${nonce}'`,
  ].join("; ");
  // One script names the next: each would be asked for only when the one before it has come.
  const scripts = files.filter(isUsualScript);
  const ahead = scripts.map((name) => `<link rel="modulepreload" nonce="${nonce}" href="${file(name)}">`);
  return `<!DOCTYPE html>
<html lang="${words?.language ?? "en"}">
<head>
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Brain</title>
<style nonce="${nonce}">${style}</style>
${ahead.join("\n")}
</head>
<body>
<div id="root">${frame(words)}</div>
<script type="module" nonce="${nonce}">
${words ? `globalThis.brainWords = ${JSON.stringify(words).replaceAll("<", "\\u003c")};\n` : ""}${early}
import("${file("main.js")}").catch(brainEarly.end);
addEventListener("load", () => {
  const icons = document.createElement("link");
  icons.rel = "stylesheet";
  icons.href = "${file("codicon.css")}";
  document.head.append(icons);
});
</script>
</body>
</html>`;
}

/**
 * Asks the host for what the panel shows while the scripts are still on their way; they take what has come by then.
 * When they cannot come it answers no more: the host loads the page again.
 */
const early = `const api = acquireVsCodeApi();
const come = [];
const hear = ({ data }) => (data.type === "ping" ? api.postMessage({ type: "panel:alive" }) : come.push(data));
addEventListener("message", hear);
globalThis.brainEarly = { api, come, end: () => removeEventListener("message", hear) };
const key = api.getState()?.place?.key;
api.postMessage({ type: "panel:ready", ...(key && { from: key.slice(0, key.lastIndexOf("#")) }) });`;

/** Whether a file is a script that every page needs; the others are fetched by a click on something of their own. */
export function isUsualScript(file: string): boolean {
  return file.endsWith(".js") && !/^(?:find|flowView|meterDetails|seek|sessions|todoEditor|traceView)-/.test(file);
}

/** The frame that the panel draws first, so that nothing jumps. */
function frame(words: PageWords | null): string {
  const name = words?.panel["Message to Brain"] ?? "Message to Brain";
  const hint = "Ask Brain, @ for context, / for commands";
  return `<div class="bottom"><div class="composer"><div class="composer-box">
<textarea rows="1" aria-label="${name}" placeholder="${words?.panel[hint] ?? hint}"></textarea>
</div></div></div>`;
}
