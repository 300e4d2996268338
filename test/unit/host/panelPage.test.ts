// The panel's page: what is fetched with it, and what may run in it.
import assert from "node:assert/strict";
import { panelPage } from "../../../src/host/panelPage.ts";
import { toldOf } from "../../../src/protocol/viewTold.ts";

const parts = { file: (name: string) => `at/${name}`, source: "here", nonce: "n1", style: "", words: null };

describe("the panel's page", () => {
  it("fetches at once every script that will be needed, and none that a click opens", () => {
    const files = ["main.js", "chunk-1.js", "more-1.js", "main.css", "codicon.ttf"];
    const links = panelPage({ ...parts, files }).matchAll(/<link rel="modulepreload" nonce="n1" href="at\/([^"]+)">/g);
    assert.deepEqual(
      [...links].map(([, name]) => name),
      ["main.js", "chunk-1.js"],
    );
  });

  it("runs nothing that has not its nonce, words of a language least of all", () => {
    const words = { language: "de", panel: { "Message to Brain": "</script><script>x" }, told: toldOf({}) };
    const page = panelPage({ ...parts, files: [], words });
    assert.match(page, /script-src 'nonce-n1'"/);
    assert.deepEqual(page.match(/<script[^>]*>(?=\n)/g), ['<script type="module" nonce="n1">']);
  });
});
