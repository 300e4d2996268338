// Loading a .prompty: from a fixture, or from front matter and files that are written for the case.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import * as z from "zod";
import { stringify } from "yaml";
import { type LoadedPrompty, loadPrompty } from "../../src/agents/promptyFile.ts";
import { fillInputs } from "../../src/agents/promptyRender.ts";
import { LoopError } from "../../src/protocol/errors.ts";

const Values = z.record(z.string(), z.unknown());
const Input = z.object({
  fixture: z.string().optional(),
  frontmatter: z.unknown().optional(),
  raw: z.string().optional(),
  content: z.string().optional(),
  body: z.string().default(""),
  env: z.record(z.string(), z.string()).default({}),
  agent_subdir: z.string().default("."),
  files: z.record(z.string(), z.unknown()).default({}),
  inputs: Values.optional(),
});
const Failure = z.looseObject({ error: z.string() });
const Filled = z.strictObject({ validated_inputs: Values });
const Case = z.looseObject({ input: Input, expected: z.unknown() });

export async function checkLoad(raw: unknown, fixtures: string): Promise<void> {
  const { input, expected } = Case.parse(raw);
  const dir = await mkdtemp(path.join(tmpdir(), "prompty-"));
  try {
    const loaded = await loadPrompty(await fileOf(input, dir, fixtures), { env: (name) => input.env[name] });
    check(loaded, input, expected);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function check(loaded: LoadedPrompty, input: z.infer<typeof Input>, expected: unknown): void {
  const failure = Failure.safeParse(expected);
  if (failure.success) return assert.match(failureOf(loaded, input), categoryOf(failure.data.error));
  assert.ok("prompty" in loaded, JSON.stringify(loaded));
  const filled = Filled.safeParse(expected);
  if (filled.success)
    assert.deepEqual(fillInputs(loaded.prompty.inputs, input.inputs ?? {}), filled.data.validated_inputs);
  else assertHolds(loaded.prompty, expected, "");
}

/** The sentence of whatever failed: loading, or filling in the inputs. */
function failureOf(loaded: LoadedPrompty, { inputs }: z.infer<typeof Input>): string {
  if ("problems" in loaded) return loaded.problems.map(({ message }) => message).join("\n");
  try {
    fillInputs(loaded.prompty.inputs, inputs ?? {});
    return "nothing failed";
  } catch (error) {
    assert.ok(error instanceof LoopError);
    return error.message;
  }
}

/** The kind of failure that a vector names, as our sentences say it. */
function categoryOf(error: string): RegExp {
  if (/environment variable/i.test(error)) return /environment variable “\w+” is not set/;
  if (/required input/i.test(error)) return /^Missing required input: /;
  if (/FileNotFound|not found/i.test(error)) return /there is no file|is not there/;
  if (/outside|escape|travers|contain|allowed|root/i.test(error)) return /is outside of the folder/;
  return /^(?!nothing failed)/;
}

async function fileOf(input: z.infer<typeof Input>, dir: string, fixtures: string): Promise<string> {
  if (input.fixture !== undefined) return path.join(fixtures, input.fixture);
  const folder = path.join(dir, input.agent_subdir);
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(input.files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
  }
  const file = path.join(folder, "case.prompty");
  const written = input.raw ?? input.content ?? `---\n${stringify(input.frontmatter)}---\n${input.body}`;
  await writeFile(file, written);
  return file;
}

/** Everything expected is there; null stands for what is not. */
function assertHolds(actual: unknown, expected: unknown, at: string): void {
  if (expected === null) return assert.ok(actual === undefined || (Array.isArray(actual) && actual.length === 0), at);
  if (Array.isArray(expected)) {
    assert.ok(Array.isArray(actual), at);
    assert.equal(actual.length, expected.length, at);
    for (const [i, item] of expected.entries()) assertHolds(actual[i], item, `${at}[${i}]`);
    return;
  }
  const group = Values.safeParse(expected);
  if (!group.success) return assert.deepEqual(actual, expected, at);
  const found = Values.parse(actual, { error: () => `${at} is missing` });
  for (const [key, value] of Object.entries(group.data)) assertHolds(found[key], value, `${at}.${key}`);
}
