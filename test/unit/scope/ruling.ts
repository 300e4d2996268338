// A policy over a workspace without files, for tables of command lines.
import assert from "node:assert/strict";
import type { Policy, PolicyCall, Ruling } from "../../../src/engine/ports.ts";
import { Rule } from "../../../src/protocol/rules.ts";
import { createPolicy } from "../../../src/scope/callPolicy.ts";

/** Everything is inside but absolute paths, those with `..` and `.env`; paths are taken as they are written. */
function resolve(path: string): Promise<{ readonly relative: string } | { readonly denied: string }> {
  const outside = path.startsWith("/") || path.split("/").includes("..") || path.endsWith(".env");
  return Promise.resolve(outside ? { denied: "It is outside." } : { relative: path.replace(/^\.\//, "") });
}

interface Circumstances {
  readonly rules?: readonly Rule[];
  readonly narrowing?: PolicyCall["narrowing"];
  readonly confined?: boolean;
  readonly platform?: NodeJS.Platform;
  readonly cwd?: string;
}

export function policyOf(rules: readonly Rule[], platform: NodeJS.Platform = "linux"): Policy {
  return createPolicy({ scope: () => Promise.resolve({ resolve }), rules: () => rules, platform });
}

/** What is said of a command line. */
export async function ruling(command: string, given: Circumstances = {}): Promise<Ruling> {
  const { rules = [], narrowing = [], confined = false, platform, cwd = "." } = given;
  const preview = { kind: "command", command, cwd, confined } as const;
  const touches = { reads: [], writes: [], runs: true };
  const call = {
    runId: "run",
    toolCallId: "call",
    toolName: "run_command",
    effect: "run",
    preview,
    touches,
    narrowing,
  } as const;
  return policyOf(rules, platform)(call);
}

/** Rules as a person would write them, one a line: `allow npm run *`. */
export function rulesOf(...lines: readonly string[]): readonly Rule[] {
  return lines.map((line) => {
    const [decision = "", ...words] = line.split(" ");
    const about = words.join(" ");
    return Rule.parse({ decision, ...(about.startsWith("in ") ? { path: about.slice(3) } : { command: about }) });
  });
}

type Kind = Ruling["kind"];

/** Makes a test of each line of a table: its first word is what is expected. A line may hold escapes as in a text of JavaScript. */
export function table(rows: readonly (readonly [Kind, string])[], given: Circumstances): void {
  for (const [expected, command] of rows)
    it(`${expected}: ${JSON.stringify(command)}`, async () => {
      const said = await ruling(command, given);
      assert.equal(said.kind, expected, "why" in said ? said.why : said.rule);
    });
}

/** Rows with one expectation. */
export function all(expected: Kind, ...commands: readonly string[]): readonly (readonly [Kind, string])[] {
  return commands.map((command) => [expected, command]);
}
