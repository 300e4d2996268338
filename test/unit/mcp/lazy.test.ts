// The protocol's library is large: nobody loads it before the first server is used.
import assert from "node:assert/strict";
import path from "node:path";
import { build } from "esbuild";

const root = path.resolve(import.meta.dirname, "../../..");

describe("the bundles", () => {
  for (const entry of ["src/host/main.ts", "src/headless.ts"])
    it(`of ${entry} hold the library in a chunk that is loaded when it is needed`, async () => {
      const { metafile } = await build({
        entryPoints: [path.join(root, entry)],
        absWorkingDir: root,
        outdir: "out",
        bundle: true,
        splitting: true,
        write: false,
        metafile: true,
        platform: "node",
        format: "esm",
        external: ["vscode"],
        logLevel: "silent",
      });
      const { outputs } = metafile;
      const loaded = new Set<string>();
      const load = (file: string): void => {
        if (loaded.has(file)) return;
        loaded.add(file);
        const next = outputs[file]?.imports.filter(({ kind }) => kind === "import-statement") ?? [];
        for (const { path: there } of next) if (there in outputs) load(there);
      };
      const [first = ""] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry) ?? [];
      load(first);
      const holds = (file: string): boolean =>
        Object.keys(outputs[file]?.inputs ?? {}).some((input) => input.includes("@modelcontextprotocol"));
      assert.ok(loaded.size > 1 && Object.keys(outputs).some(holds));
      assert.deepEqual([...loaded].filter(holds), []);
    });
});
