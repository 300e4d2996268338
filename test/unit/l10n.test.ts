// The words of the product in German: every string of the sources has one, none is left over, and nothing English goes by the tables.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { inTold, toldOf } from "../../src/protocol/viewTold.ts";
import { literalsIn, type Literal } from "../support/literals.ts";

const root = path.resolve(import.meta.dirname, "../..");
const read = (name: string): string => readFileSync(path.join(root, name), "utf8");
const tableOf = (name: string): Readonly<Record<string, string>> => JSON.parse(read(`media/l10n/${name}.de.json`));

interface Source {
  readonly name: string;
  readonly text: string;
  readonly literals: readonly Literal[];
}

const sourcesIn = (...patterns: readonly string[]): readonly Source[] =>
  globSync(patterns, { cwd: root }).map((name) => {
    const text = read(name);
    return { name, text, literals: literalsIn(text) };
  });
const webview = sourcesIn("webview/*.{ts,tsx}");
const host = sourcesIn("src/host/*.ts");
const all = sourcesIn("src/**/*.ts");

/** Before a string that is looked up. `count` takes two. */
const lookedUp = {
  webview: /(?<![\w.])(?:t\(|count\((?:\s*"(?:[^"\\]|\\.)*",)?)\s*$/,
  host: /(?<![\w.])vscode\.l10n\.t\(\s*$/,
} as const;

function keysOf(sources: readonly Source[], before: RegExp): ReadonlySet<string> {
  return new Set(
    sources.flatMap(({ literals }) => literals.filter((one) => before.test(one.before)).map(({ text }) => text)),
  );
}

const holesIn = (text: string): readonly string[] => [...new Set([...text.matchAll(/\{\d\}/g)].map(String))].toSorted();

/** Same holes, and no words missing. */
function assertWhole(table: Readonly<Record<string, string>>): void {
  for (const [english, other] of Object.entries(table)) {
    assert.notEqual(other.trim(), "", english);
    assert.deepEqual(holesIn(other), holesIn(english), english);
    assert.equal(/\s$/.test(other), /\s$/.test(english), english);
  }
}

/** Strings that look like words for a person, and that nobody looks up. */
function wordsBeside(sources: readonly Source[], before: RegExp): readonly string[] {
  const words = /[A-Za-z]{2,} [A-Za-z]{2,}|^[A-Z][a-z]+[.…:!?]?$/;
  const code =
    /(?:class(?:Name)?[=:]\s*\{?(?:[^{};]*[?:] )?|from |import\(?|LoopError\(\s*"\w+",\s*|new Error\(|log\(|case |early = |key [!=]== |=== )$/;
  return sources.flatMap(({ name, literals }) =>
    literals
      .filter(
        (one) =>
          words.test(one.text) && !/^(?:<|const )/.test(one.text) && !before.test(one.before) && !code.test(one.before),
      )
      .map(({ text }) => `${path.basename(name)}: ${text}`)
      .filter((line) => !known.has(line)),
  );
}

/** Names, keys and classes, words of programs; prompts of the demo, which knows English only; what the model reads, or the panel translates. */
const known: ReadonlySet<string> = new Set([
  "colouring.ts: false nil none None null nullptr NaN True False true undefined yes no on off",
  "codeBlock.ts: icon-button codicon codicon-{0}",
  "empty.tsx: Combine two files",
  "empty.tsx: Fix the failing test",
  "empty.tsx: Remember that we use node --test",
  "empty.tsx: Show me around",
  "given.ts: Files",
  "gitContexts.ts: It is the first commit: its files were new.",
  "gitContexts.ts: and {0} more files",
  "gitContexts.ts: new, not in git yet: {0}",
  "keys.ts: Mac",
  "meter.tsx: meter full",
  "pendingActions.ts: Backspace",
  "pendingActions.ts: Enter",
  "plan.ts: not done",
  "plan.ts: to come",
  "queue.tsx: Backspace",
  "queue.tsx: Delete",
  "turn.tsx: Brain",
  "sessionRows.ts: Brain",
  "sessionLine.tsx: loading spin",
  "sessionActs.ts: Enter",
  "sessionActs.ts: Delete",
  "planDraft.ts: All of its steps were taken out.",
  "authoring.ts: Brain",
  "main.ts: Brain",
  "modelSetup.ts: ${0} in, ${1} out for a million",
  "modelSetup.ts: Asking {0} for its models",
  "modelSetup.ts: Asking {0} for one word",
  "models.ts: Demo",
  "models.ts: VS Code",
  "notice.ts: display notification (item 2 of argv) with title (item 1 of argv)",
  "notice.ts: end run",
  "notice.ts: on run argv",
  "openFiles.ts: The editor did not take the change to {0}.",
  "openFiles.ts: “{0}” has unsaved changes in the editor.",
  "openFiles.ts: “{0}” has unsaved changes in the editor: the person has to save or drop them first.",
  "ownContexts.ts: \n\nexit code {0}",
  "panelPage.ts: Ask Brain, @ for context, / for commands",
  "panelPage.ts: Message to Brain",
  'params.ts: These are no parameters: write them as {"name": value}.',
  "params.ts: This is no JSON: {0}",
  "reviewed.ts: at line {0}: {1}",
  "reviews.ts: None of the change was wanted.",
  "reviews.ts: None of the change was wanted: {0}",
  "sessionCommands.ts: JSON Lines",
  "sessionNames.ts: Untitled",
  "panelPlaces.ts: Brain",
]);

describe("the panel in German", () => {
  const table = tableOf("panel");

  it("has every string of its sources, and no others", () => {
    assert.deepEqual(Object.keys(table).toSorted(), [...keysOf(webview, lookedUp.webview)].toSorted());
    assertWhole(table);
  });

  it("is found whole by this test: what is looked up is written out there", () => {
    const computed = webview.flatMap(({ name, text }) =>
      [...text.matchAll(/(?<![\w.]|function )(?:t|count)\((?!\s*")[^\n]*/g)].map(([call]) => `${name}: ${call}`),
    );
    assert.deepEqual(computed, [
      'webview/words.ts: t(plural.select(value) === "one" ? one : other, number(value), ...more);',
    ]);
  });

  it("says nothing in English beside its table", () => {
    const sources = webview.filter(({ name }) => path.basename(name) !== "languages.ts");
    assert.deepEqual(wordsBeside(sources, lookedUp.webview), []);
  });

  it("begins with the words that the host paints before any script has come", () => {
    const painted = [...read("src/host/panelPage.ts").matchAll(/words\?\.panel\["([^"]+)"\]|hint = "([^"]+)"/g)];
    const keys = painted.map(([, name, hint]) => name ?? hint ?? "");
    assert.equal(keys.length, 2);
    for (const key of keys) assert.ok(key in table && !/["<&]/.test(table[key] ?? ""), key);
  });
});

describe("the host in German", () => {
  const table = tableOf("bundle.l10n");

  it("has every string of its sources, and no others", () => {
    assert.deepEqual(Object.keys(table).toSorted(), [...keysOf(host, lookedUp.host)].toSorted());
    assertWhole(table);
  });

  it("is found whole by this test: what is looked up is written out there", () => {
    for (const { name, text } of host) assert.doesNotMatch(text, /l10n\.t\((?!\s*")/, name);
  });

  it("says nothing in English beside its table", () => {
    assert.deepEqual(wordsBeside(host, lookedUp.host), []);
  });
});

/** Made of pieces that have German forms of their own; or for who writes programs with Brain. */
const knownErrors: ReadonlySet<string> = new Set([
  "The tool {0} names an activity “{1}” that does not exist.",
  "This session has grown too long for the model: {0}.",
  "The message is too long: {0}.",
  "The record has no reply to this request.",
  "The stream broke.",
  "flushThreshold must be more than reserveFloor: {0}.",
  "Could not {0} {1}: {2}.",
  "A session is not {0} while it runs. {1}",
  "No handler registered for tool: {0} (kind: {1}).",
]);

describe("sentences that come as data", () => {
  const table = tableOf("told");

  /** With one hole for several in a row: what fills them is found as one. */
  const bare = (text: string): string => text.replaceAll(/(?:\{\d\})+/g, "{}");
  const written = new Set(all.flatMap(({ literals }) => literals.map(({ text }) => bare(text))));
  /** Made of several strings, piece by piece. */
  const pieces = (english: string): readonly string[] =>
    bare(english)
      .split(
        /\{\}|: | · |^Every tool|^Could not (?:read|write)|(?<= )(?=without asking|only after asking|never)|(?<=”)(?= runs| works)/,
      )
      .map((piece) => piece.replace(/\.$/, "").trim())
      .filter((piece) => piece.length > 2);
  const text = [...written].join("\n");

  it("are each said somewhere in the sources", () => {
    assertWhole(table);
    const stale = Object.keys(table).filter(
      (english) => !written.has(bare(english)) && !pieces(english).every((piece) => text.includes(piece)),
    );
    assert.deepEqual(stale, []);
  });

  it("include what to do about each error, and what each tool does", () => {
    const errors = [...read("src/protocol/errors.ts").matchAll(/next: "((?:[^"\\]|\\.)+)"/g)].map(
      ([, next = ""]) => next,
    );
    assert.ok(errors.length > 30);
    const verbs = all.flatMap(({ text }) => [...text.matchAll(/verb: "([A-Z][^"]*)"/g)].map(([, verb = ""]) => verb));
    assert.ok(verbs.includes("Read"));
    assert.deepEqual(
      [...errors, ...verbs].filter((sentence) => !(sentence in table)),
      [],
    );
  });

  it("include what each error says to a person", () => {
    const told = toldOf(table);
    const thrown = sourcesIn("src/{agents,brain,engine,host,protocol,providers,scope,tools,tracing}/*.ts").flatMap(
      ({ literals }) =>
        literals.filter(({ before }) => /LoopError\(\s*"\w+",\s*$/.test(before)).map(({ text: one }) => one),
    );
    assert.ok(thrown.length > 60);
    const unknown = thrown.filter((sentence) => {
      const said = sentence.replaceAll(/\{\d\}/g, "x1");
      return inTold(told, said) === said && !knownErrors.has(sentence);
    });
    assert.deepEqual(unknown, []);
  });

  it("include why a file cannot be read or written, for whoever applies code to it", () => {
    const told = toldOf(table);
    const sources = sourcesIn("src/tools/{fileProblem,nodeFiles,encodings,writing}.ts").flatMap(
      ({ literals }) => literals,
    );
    const said = sources.map(({ text: one }) => one.replaceAll(/\{\d\}/g, "x1")).filter((one) => /^“.*\.$/.test(one));
    assert.ok(said.length >= 6);
    const isTold = (sentence: string): boolean => inTold(told, sentence) !== sentence;
    assert.deepEqual(
      said.flatMap((one) => one.split(/(?<=[.!?]) (?=[A-Z“])/)).filter((sentence) => !isTold(sentence)),
      [],
    );
  });

  it("are found with the values in them, which are told too where they are known", () => {
    const told = toldOf(table);
    const cases = {
      "It changes a file.": "Ändert eine Datei.",
      "Brain has worked for 1 minute.": "Brain hat 1 Minute gearbeitet.",
      "Brain has worked for 12.5 minutes.": "Brain hat 12.5 Minuten gearbeitet.",
      "It cannot be told what this runs: a text holds code.":
        "Es ist nicht erkennbar, was damit ausgeführt wird: ein Text enthält Code.",
      "It writes to “a {0} b”. It deletes or overwrites files.":
        "Schreibt in „a {0} b“. Löscht oder überschreibt Dateien.",
      "Runs exactly “npm test” without asking. Runs every command never.":
        "Führt genau „npm test“ ohne Nachfrage aus. Führt jeden Befehl nie aus.",
      "api.example.org failed (500): It is broken. Try later.":
        "api.example.org ist fehlgeschlagen (500): It is broken. Try later.",
      "This run has cost about $0.25.": "Dieser Lauf hat etwa 0.25 $ gekostet.",
      "The agent “x” has a problem: AGENT.md:3: id: use lower-case letters, digits and hyphens":
        "Der Agent „x“ hat ein Problem: AGENT.md:3: id: nur Kleinbuchstaben, Ziffern und Bindestriche verwenden",
      "The agent “x” has 2 problems: AGENT.md:1: name: is missing (a text)":
        "Der Agent „x“ hat 2 Probleme: AGENT.md:1: name: fehlt (ein Text)",
      "Nothing was written. “a.ts” cannot be used: the disk is full.":
        "Es wurde nichts geschrieben. „a.ts“ kann nicht verwendet werden: der Datenträger ist voll.",
      "“a.ts” changed after this was proposed, so nothing was written. Read it again and repeat the change.":
        "„a.ts“ hat sich geändert, nachdem dies vorgeschlagen wurde; daher wurde nichts geschrieben. Die Datei neu lesen und die Änderung wiederholen.",
      "What nobody knows. It stays.": "What nobody knows. It stays.",
    };
    for (const [english, german] of Object.entries(cases)) assert.equal(inTold(told, english), german);
  });
});
