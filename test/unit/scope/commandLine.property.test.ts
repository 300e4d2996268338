// What no spelling and no company can change about a command: how it is quoted, where it stands, what runs it.
import assert from "node:assert/strict";
import fc from "fast-check";
import { exactPattern } from "../../../src/protocol/rules.ts";
import { ruling, rulesOf } from "./ruling.ts";

const rules = rulesOf(
  "allow npm test",
  "allow npm run *",
  "allow git log *",
  "deny git push *",
  "deny curl *",
  "ask npm run deploy",
);
const strictness = { allow: 0, ask: 1, deny: 2 } as const;
type Kind = keyof typeof strictness;

const commands: readonly (readonly [string, ...string[]])[] = [
  ["npm", "test"],
  ["npm", "run", "build"],
  ["git", "log", "-3"],
  ["npm", "run", "deploy"],
  ["npm", "install"],
  ["rm", "-rf", "x"],
  ["git", "push", "origin"],
  ["curl", "x"],
  ["foo", "bar baz"],
];

async function kindOf(line: string): Promise<Kind> {
  return (await ruling(line, { rules })).kind;
}

const command = fc.constantFrom(...commands);
const blank = fc.constantFrom(" ", "  ", "\t", " \\\n ");

/** A letter as a shell reads it, however it is written. */
const spelling = fc.constantFrom(
  (letter: string) => letter,
  (letter: string) => `'${letter}'`,
  (letter: string) => `"${letter}"`,
  (letter: string) => `''${letter}`,
  (letter: string) => (letter === " " ? "' '" : `\\${letter}`),
  (letter: string) => `$'${letter}'`,
);

const spelled = (word: string): fc.Arbitrary<string> =>
  fc.array(spelling, { minLength: word.length, maxLength: word.length }).map((ways) =>
    word
      .split("")
      .map((letter, index) => (letter === " " ? "' '" : (ways[index]?.(letter) ?? letter)))
      .join(""),
  );

const spelledCommand = command.chain((words) =>
  fc.tuple(fc.constant(words), fc.tuple(...words.map(spelled)), fc.array(blank, { minLength: 4, maxLength: 4 })),
);

type Shape = (a: string, b: string) => string;
const shapes: readonly Shape[] = [
  (a, b) => `${a}; ${b}`,
  (a, b) => `${a} && ${b}`,
  (a, b) => `${a} || ${b}`,
  (a, b) => `${a} | ${b}`,
  (a, b) => `${a} & ${b}`,
  (a, b) => `${a}\n${b}`,
  (a, b) => `( ${a}; ${b})`,
  (a, b) => `{ ${a}\n${b}\n}`,
  (a, b) => `if ${a}\nthen ${b}\nfi`,
  (a, b) => `while ${a}\ndo ${b}\ndone`,
  (a, b) => `for i in 1 2\ndo ${a}\n${b}\ndone`,
  (a, b) => `case x in a) ${a} ;; *) ${b} ;; esac`,
  (a, b) => `echo "$( ${a})" && ${b}`,
  (a, b) => `echo <( ${a}) $( ${b})`,
  (a, b) => `f() { ${a}\n}\n${b}`,
  // In a group: behind a pipe `!` alone is no shell.
  (a, b) => `{ ! ${a}\n} && ${b} 2>&1 >/dev/null`,
  // One in another has an end of its own.
  (a, b) => `cat <<EOF${a.length}\n$( ${a})\nEOF${a.length}\n${b}`,
];

const line: fc.Arbitrary<{ readonly text: string; readonly parts: readonly string[] }> = fc.letrec<{
  line: { readonly text: string; readonly parts: readonly string[] };
}>((tie) => ({
  line: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    command.map((words) => ({ text: exactPattern(words), parts: [exactPattern(words)] })),
    fc.tuple(fc.constantFrom(...shapes), tie("line"), tie("line")).map(([shape, a, b]) => ({
      text: shape(a.text, b.text),
      parts: [...a.parts, ...b.parts],
    })),
  ),
})).line;

const wrapping = fc.constantFrom(
  (text: string) => `env CI=1 ${text}`,
  (text: string) => `nohup ${text}`,
  (text: string) => `timeout -k 5 10 ${text}`,
  (text: string) => `nice -n 5 ${text}`,
  (text: string) => `command ${text}`,
  (text: string) => `exec ${text}`,
  (text: string) => `time ${text}`,
  (text: string) => `bash -c ${exactPattern([text])}`,
  (text: string) => `sh -ec ${exactPattern([text])}`,
  (text: string) => `eval ${exactPattern([text])}`,
  (text: string) => `trap ${exactPattern([text])} EXIT; ${text}`,
);

describe("whatever a command line looks like", () => {
  it("quotes and blanks change nothing", () =>
    fc.assert(
      fc.asyncProperty(spelledCommand, async ([words, written, blanks]) => {
        const text = written.map((word, index) => word + (blanks[index] ?? " ")).join("");
        assert.equal(await kindOf(text), await kindOf(exactPattern(words)), text);
      }),
      { numRuns: 500 },
    ));

  it("a line is allowed only if each part alone is, and denied if one is", () =>
    fc.assert(
      fc.asyncProperty(line, async ({ text, parts }) => {
        const kinds = await Promise.all(parts.map(kindOf));
        const strictest = kinds.toSorted((a, b) => strictness[b] - strictness[a])[0];
        assert.equal(await kindOf(text), strictest, text);
      }),
      { numRuns: 500 },
    ));

  it("what a wrapper runs is ruled on as if it stood alone", () =>
    fc.assert(
      fc.asyncProperty(command, fc.array(wrapping, { maxLength: 4 }), async (words, wraps) => {
        const text = wraps.reduce((inner, wrap) => wrap(inner), exactPattern(words));
        assert.equal(await kindOf(text), await kindOf(exactPattern(words)), text);
      }),
      { numRuns: 500 },
    ));

  it("no text at all makes the reader throw, or runs without a rule", () =>
    fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => {
        assert.notEqual((await ruling(text)).kind, "allow");
      }),
      { numRuns: 1_000 },
    ));
});
