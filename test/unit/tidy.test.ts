// The rules themselves, as tests: the manifest against the tables it is made from, and the import table against breaks on purpose.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { commands } from "../../src/protocol/commands.ts";
import { settings } from "../../src/protocol/settings.ts";
import { languages } from "../../src/protocol/languages.ts";

const root = path.resolve(import.meta.dirname, "../..");
const read = (name: string): string => readFileSync(path.join(root, name), "utf8");

interface SettingGroup {
  readonly title: string;
  readonly order: number;
  readonly properties: Record<string, { readonly order: number }>;
}

interface Manifest {
  readonly l10n: string;
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string; readonly category: string }[];
    readonly configuration: readonly SettingGroup[];
    readonly languages: readonly { readonly id: string; readonly configuration: string }[];
    readonly grammars: readonly { readonly language: string; readonly scopeName: string; readonly path: string }[];
    readonly menus: Record<string, readonly { readonly command: string }[]>;
    readonly walkthroughs: readonly { readonly steps: readonly { readonly id: string; readonly media: unknown }[] }[];
  };
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
}
const english: Readonly<Record<string, string>> = JSON.parse(read("package.nls.json"));
const german: Readonly<Record<string, string>> = JSON.parse(read("package.nls.de.json"));
const written = read("package.json");
const manifest: Manifest = JSON.parse(written, (_, value: unknown) => inEnglish(value));

/** A text of the manifest as an English editor shows it. */
function inEnglish(value: unknown): unknown {
  const key = typeof value === "string" ? /^%(.+)%$/.exec(value)?.[1] : undefined;
  return key === undefined ? value : english[key];
}

describe("the manifest", () => {
  it("contributes exactly the commands of the table, by their titles", () => {
    const contributed = manifest.contributes.commands.map(({ command, title, category }) => [
      command,
      { title, category },
    ]);
    const expected = Object.entries(commands).map(([name, title]) => [`brain.${name}`, { title, category: "Brain" }]);
    assert.deepEqual(Object.fromEntries(contributed), Object.fromEntries(expected));
    assert.equal(contributed.length, expected.length);
  });

  it("contributes exactly the settings of the table, with defaults, ranges and words", () => {
    const expected = Object.fromEntries(Object.entries(settings).map(([name, kind]) => [`brain.${name}`, kind]));
    const groups = manifest.contributes.configuration;
    const contributed = groups.flatMap(({ properties }) =>
      Object.entries(properties).map(([name, kind]) => [
        name,
        Object.fromEntries(Object.entries(kind).filter(([key]) => key !== "order")),
      ]),
    );
    assert.equal(contributed.length, Object.keys(expected).length);
    assert.deepEqual(Object.fromEntries(contributed), expected);
  });

  it("shows the settings in groups with titles, in the order that they are written in", () => {
    const groups = manifest.contributes.configuration;
    const upwards = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);
    assert.deepEqual(
      groups.map(({ order }) => order),
      upwards(groups.length),
    );
    for (const { title, properties } of groups) {
      const orders = Object.values(properties).map(({ order }) => order);
      assert.ok(title && orders.length < 10, `${title}: ${orders.length} settings`);
      assert.deepEqual(orders, upwards(orders.length), title);
    }
  });

  it("says where the editor finds the words of other languages", () => {
    assert.equal(path.normalize(`${manifest.l10n}/bundle.l10n.de.json`), "media/l10n/bundle.l10n.de.json");
    assert.ok(Object.keys(JSON.parse(read(`${manifest.l10n}/bundle.l10n.de.json`))).length > 100);
  });

  it("contributes the languages of agents' files, with grammars that can be read", () => {
    const { languages: contributed, grammars } = manifest.contributes;
    assert.deepEqual(
      contributed.map(({ id }) => id),
      Object.values(languages),
    );
    for (const { configuration } of contributed) assert.ok(JSON.parse(read(configuration)).brackets);
    for (const { language, scopeName, path: file } of grammars) {
      assert.ok(contributed.some(({ id }) => id === language));
      const grammar = JSON.parse(read(file));
      assert.equal(grammar.scopeName, scopeName);
      const included = [...JSON.stringify(grammar).matchAll(/"include":"#(\w+)"/g)].map(([, name = ""]) => name);
      for (const name of included) assert.ok(name in grammar.repository, `${file}: ${name}`);
      for (const [, key, pattern] of JSON.stringify(grammar).matchAll(/"(match|begin|end)":("(?:[^"\\]|\\.)*")/g))
        assert.doesNotThrow(() => new RegExp(JSON.parse(pattern ?? "").replace("\\A", "^")), `${file}: ${key}`);
    }
  });

  it("leads a new user by its own commands and by pictures that are there, in both languages", () => {
    const steps = manifest.contributes.walkthroughs.flatMap((one) => one.steps);
    for (const { id, media } of steps) {
      const key = `walkthrough.${id}.description`;
      const [named = [], inGerman] = [english, german].map((table) =>
        [...(table[key] ?? "").matchAll(/\(command:(\S+)\)/g)].map(([, name = ""]) => name),
      );
      assert.ok(named.length > 0 && named.every((name) => name.replace("brain.", "") in commands), key);
      assert.deepEqual(inGerman, named);
      const pictures = [...JSON.stringify(media).matchAll(/"(media[^"]+)"/g)].map(([, file = ""]) => file);
      assert.ok(pictures.length > 0 && pictures.every((file) => existsSync(path.join(root, file))), id);
    }
    assert.ok(steps.length > 0);
  });

  it("is told in English and in German, with nothing missing and nothing unused", () => {
    const used = [...written.matchAll(/"%([^"%]+)%"/g)].map(([, key = ""]) => key);
    assert.deepEqual(new Set(Object.keys(english)), new Set(used));
    assert.deepEqual(Object.keys(german), Object.keys(english));
    for (const [key, text] of Object.entries(english)) {
      assert.notEqual(german[key]?.trim() ?? "", "", key);
      assert.deepEqual(codesIn(german[key] ?? ""), codesIn(text), key);
    }
  });

  it("says nothing in English beside its tables", () => {
    const named = /"(?:title|description|markdownDescription|label|name|altText)": "(?!%|Brain"|brain-agent")[^"]+"/g;
    assert.deepEqual([...written.matchAll(named)].map(String), []);
  });

  it("lets no folder choose where messages go", () => {
    for (const name of ["provider", "baseUrl", "model", "tracing.endpoint", "tracing.contents"] as const) {
      assert.equal(settings[name].scope, "machine");
      assert.ok(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes(`brain.${name}`));
    }
  });

  it("puts only its own commands into menus", () => {
    const used = Object.values(manifest.contributes.menus)
      .flat()
      .map(({ command }) => command);
    const own = manifest.contributes.commands.map(({ command }) => command);
    assert.deepEqual(
      used.filter((command) => !own.includes(command)),
      [],
    );
  });
});

/** What a translation must not change: code, in the order of the alphabet. */
function codesIn(text: string): readonly string[] {
  return [...text.matchAll(/`[^`]+`/g)].map(String).toSorted();
}

describe("the sources", () => {
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "src", "webview"], {
    cwd: root,
    encoding: "utf8",
  })
    .split("\n")
    .filter((name) => /\.tsx?$/.test(name));

  it("begin each with one sentence that says what the file is", () => {
    const silent = files.filter(
      (name) =>
        !/^\/\/ \S.*[.:]$/.test(
          read(name)
            .replace(/^#!.*\n/, "")
            .split("\n", 1)[0] ?? "",
        ),
    );
    assert.deepEqual(silent, []);
  });

  it("hold no exception to the rules", () => {
    const marks = /oxlint-disable|eslint-disable|@ts-ignore|@ts-expect-error|@ts-nocheck|prettier-ignore/;
    assert.deepEqual(
      files.filter((name) => marks.test(read(name))),
      [],
    );
  });

  it("read no clock in the engine and in the protocol", () => {
    const clock = /new Date\(\)|Date\.now|performance\.now/;
    const own = files.filter((name) => /^src\/(engine|protocol)\//.test(name));
    assert.ok(own.length > 20);
    assert.deepEqual(
      own.filter((name) => clock.test(read(name))),
      [],
    );
  });

  it("use no banned words in file names", () => {
    assert.deepEqual(
      files.filter((name) => /Manager|Service|Helper|Utils|Controller/i.test(path.basename(name))),
      [],
    );
  });
});

/** A file and an import that its room may not have. Type imports count as much. */
const breaks: readonly (readonly [string, string])[] = [
  ["src/protocol/x.ts", "vscode"],
  ["src/protocol/x.ts", "node:fs"],
  ["src/protocol/x.ts", "../engine/ports.ts"],
  ["src/protocol/x.ts", "p-limit"],
  ["src/engine/x.ts", "vscode"],
  ["src/engine/x.ts", "node:fs"],
  ["src/engine/x.ts", "zod"],
  ["src/engine/x.ts", "../tools/tool.ts"],
  ["src/engine/x.ts", "../host/main.ts"],
  ["src/engine/x.ts", "../compose.ts"],
  ["src/tools/x.ts", "vscode"],
  ["src/tools/x.ts", "../engine/run.ts"],
  ["src/tools/x.ts", "../brain/memory.ts"],
  ["src/tools/x.ts", "../host/main.ts"],
  ...["scope", "providers", "agents", "brain", "mcp", "tracing"].flatMap((room) => [
    [`src/${room}/x.ts`, "vscode"] as const,
    [`src/${room}/x.ts`, "../engine/run.ts"] as const,
    [`src/${room}/x.ts`, "../host/main.ts"] as const,
    [`src/${room}/x.ts`, "../compose.ts"] as const,
    [`src/${room}/deep/x.ts`, "../../tools/tool.ts"] as const,
    [`src/${room}/x.ts`, room === "brain" ? "../agents/catalog.ts" : "../brain/memory.ts"] as const,
  ]),
  ["src/compose.ts", "vscode"],
  ["src/compose.ts", "./host/main.ts"],
  ["src/invoke.ts", "./host/main.ts"],
  ["src/standalone.ts", "vscode"],
  ["src/headless.ts", "vscode"],
  ["src/headless.ts", "./host/main.ts"],
  ["src/headless.ts", "./extension.ts"],
  ["src/cli.ts", "./host/main.ts"],
  ["src/cliSessions.ts", "./host/main.ts"],
  ["src/host/x.ts", "../extension.ts"],
  ["src/host/x.ts", "../headless.ts"],
  ["webview/x.ts", "../src/engine/ports.ts"],
  ["webview/x.ts", "../src/host/main.ts"],
  ["webview/x.ts", "vscode"],
  ["webview/x.ts", "node:fs"],
];

/** Imports that must pass, so that a rule that refuses everything does not look right. */
const allowed: readonly (readonly [string, string])[] = [
  ["src/protocol/y.ts", "zod"],
  ["src/protocol/y.ts", "./events.ts"],
  ["src/engine/y.ts", "p-limit"],
  ["src/engine/y.ts", "../protocol/events.ts"],
  ["src/tools/y.ts", "../scope/scope.ts"],
  ["src/tools/y.ts", "../engine/ports.ts"],
  ["src/tools/y.ts", "node:fs"],
  ["src/providers/demo/y.ts", "../../protocol/events.ts"],
  ["src/brain/y.ts", "../engine/ports.ts"],
  ["src/host/y.ts", "vscode"],
  ["src/host/y.ts", "../compose.ts"],
  ["src/compose.ts", "./engine/ports.ts"],
  ["webview/y.ts", "../src/protocol/view.ts"],
];

/** A line that imports from somewhere; the number makes its names its own. */
type Form = (from: string, number: number) => string;
const asValue: Form = (from, n) => `import { x as x${n} } from "${from}"; export const y${n} = x${n};`;
const asType: Form = (from, n) => `import type { x as x${n} } from "${from}"; export type Y${n} = x${n};`;

describe("the import table", () => {
  let folder = "";
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), "brain-imports-"));
    // Types are not needed to see an import, and the checker for them is not at hand there.
    const rules: Record<string, unknown> = JSON.parse(read(".oxlintrc.json"));
    writeFileSync(path.join(folder, ".oxlintrc.json"), JSON.stringify({ ...rules, options: {} }));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** What oxlint refuses of a list as a restricted import, as `file <- import`: each import is one line of its file. */
  const refusedOf = (list: readonly (readonly [string, string])[], form: Form): string[] => {
    const at = mkdtempSync(path.join(folder, "cases-"));
    cpSync(path.join(folder, ".oxlintrc.json"), path.join(at, ".oxlintrc.json"));
    const files = Map.groupBy(list, ([file]) => file);
    for (const [file, cases] of files) {
      mkdirSync(path.join(at, path.dirname(file)), { recursive: true });
      writeFileSync(path.join(at, file), cases.map(([, name], n) => `${form(name, n)}\n`).join(""));
    }
    const oxlint = path.join(root, "node_modules/oxlint/bin/oxlint");
    const options = { cwd: at, encoding: "utf8" } as const;
    const { stdout } = spawnSync(process.execPath, [oxlint, "--format", "unix", "src", "webview"], options);
    assert.match(stdout, /problem|^$/, "oxlint did not run");
    const refused = stdout.split("\n").filter((line) => line.includes("eslint(no-restricted-imports)"));
    const isRefused = (file: string, name: string): boolean => {
      const number = (files.get(file) ?? []).findIndex(([, other]) => other === name) + 1;
      return refused.some((line) => line.startsWith(`${file}:${number}:`));
    };
    return list.filter(([file, name]) => isRefused(file, name)).map(([file, name]) => `${file} <- ${name}`);
  };
  const named = (list: readonly (readonly [string, string])[]): string[] =>
    list.map(([file, name]) => `${file} <- ${name}`);

  it("catches every break, as a value and as a type", function () {
    this.timeout(120_000);
    assert.deepEqual(refusedOf(breaks, asValue), named(breaks));
    assert.deepEqual(refusedOf(breaks, asType), named(breaks));
    assert.deepEqual(refusedOf([["webview/x.ts", "../src/protocol/wire.ts"]], asValue).length, 1);
  });

  it("lets pass what the table allows", function () {
    this.timeout(60_000);
    assert.deepEqual(refusedOf(allowed, asValue), []);
    assert.deepEqual(refusedOf([["webview/y.ts", "../src/protocol/wire.ts"]], asType), []);
  });
});
