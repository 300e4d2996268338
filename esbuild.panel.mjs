// How the panel is bundled: for the extension, and for the tests that open it in a browser.
import { readFile } from "node:fs/promises";

/**
 * Of marked only its lexer is used. It makes one of each of its parts while it loads, which would keep all of them in the bundle: that is
 * left out, and what only that has used goes with it.
 */
const lexerOfMarked = {
  name: "lexer-of-marked",
  /** @param {import("esbuild").PluginBuild} build */
  setup(build) {
    build.onLoad({ filter: /[\\/]marked\.esm\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const [lexer, marked] = ["Lexer", "Marked"].map((name) => new RegExp(`([\\w$]+) as ${name}\\b`).exec(text)?.[1]);
      const end = text.lastIndexOf("var ", text.indexOf(`=new ${marked};`));
      if (!lexer || end < 0) throw new Error("marked is built in another way now: look where it makes its parts.");
      return { contents: `${text.slice(0, end)}export{${lexer} as Lexer};` };
    });
  },
};

export const panelBundle = {
  bundle: true,
  platform: "browser",
  format: "esm",
  target: "es2022",
  splitting: true,
  chunkNames: "[name]-[hash]",
  legalComments: "none",
  jsx: "automatic",
  jsxImportSource: "preact",
  plugins: [lexerOfMarked],
};
