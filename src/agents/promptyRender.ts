// From a .prompty and its inputs to messages: inputs checked, template rendered, messages made of what it gave.
import { randomBytes } from "node:crypto";
import { LoopError } from "../protocol/errors.ts";
import { lineOfFilledMarker, looksLikeRole, messagesOf, type PromptMessage, type Rich } from "./promptyMessages.ts";
import { isRich, richOf } from "./promptyRich.ts";
import { createOutput, type Segment, type Template, TemplateError } from "./promptySegments.ts";
import type { Prompty, Property } from "./promptyShape.ts";

type Values = Readonly<Record<string, unknown>>;

/**
 * The messages that the prompt begins a conversation with.
 * @throws LoopError `input_invalid`, or `agent_invalid` when the template cannot be rendered with these inputs
 */
export async function prepare(prompty: Prompty, given: Values): Promise<readonly PromptMessage[]> {
  const { segments, rich } = await render(prompty, fillInputs(prompty.inputs, given));
  return messagesOf(segments, rich);
}

/**
 * Fills in defaults. What is neither required nor given stays away; what is not declared passes (PROMPTY-12-1).
 * @throws LoopError `input_invalid` naming every required input that is missing
 */
export function fillInputs(inputs: readonly Property[], given: Values): Values {
  const missing = inputs.filter(
    ({ name, required, default: usual }) => required === true && !has(given[name]) && !has(usual),
  );
  if (missing.length > 0) {
    const names = missing.map(({ name }) => `“${name}”`).join(", ");
    throw new LoopError("input_invalid", `Missing required input: ${names}.`);
  }
  const usual = inputs.flatMap(({ name, default: value }) => (has(value) ? [[name, value] as const] : []));
  return {
    ...Object.fromEntries(usual),
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
}

function has(value: unknown): boolean {
  return value !== undefined && value !== null;
}

interface Rendered {
  readonly segments: readonly Segment[];
  /** What the rich segments stand for, by the name of the input. */
  readonly rich: ReadonlyMap<string, Rich>;
}

/**
 * Renders the template. Threads, images, files and audio are replaced by markers with a number that is new at each render and
 * that nobody could know before (PROMPTY-5-4).
 * @param inputs already filled in
 * @throws LoopError as `prepare`
 */
export async function render(prompty: Prompty, inputs: Values): Promise<Rendered> {
  const nonce = randomBytes(4).toString("hex");
  const rich = new Map<string, Rich>();
  const markers = new Map<string, string>();
  for (const { name, kind } of prompty.inputs.filter(isRich)) {
    const value = richOf(name, kind, inputs[name]);
    if (value !== null) rich.set(name, value);
    if (value !== null) markers.set(name, `__PROMPTY_${kind.toUpperCase()}_${nonce}_${name}__`);
  }
  const plain = Object.entries(inputs).filter(
    ([name]) => !prompty.inputs.some((one) => one.name === name && isRich(one)),
  );
  const strict = new Set(prompty.inputs.filter((input) => input.strict === true).map(({ name }) => name));
  const output = createOutput((name) => strict.has(name));
  try {
    const template = await templateOf(prompty);
    template.render(Object.fromEntries([...plain, ...markers]), output);
  } catch (error) {
    throw new LoopError("agent_invalid", wordsFor(error), { cause: error });
  }
  refuseForged(output.segments);
  return { segments: output.segments.flatMap((segment) => split(segment, markers)), rich };
}

function refuseForged(segments: readonly Segment[]): void {
  const forged = segments.find(({ strict, text }) => strict && looksLikeRole(text));
  if (forged)
    throw new LoopError(
      "input_invalid",
      `The input “${forged.source ?? ""}” looks as if it began a message of its own.`,
    );
}

/** Takes the markers out of a text that came with inputs. */
function split(segment: Segment, markers: ReadonlyMap<string, string>): readonly Segment[] {
  if (segment.kind !== "interp") return [segment];
  let pieces: readonly Segment[] = [segment];
  for (const [source, text] of markers)
    pieces = pieces.flatMap((piece) => {
      const parts = piece.kind === "rich" ? [] : piece.text.split(text);
      if (parts.length < 2) return [piece];
      const rich: Segment = { kind: "rich", text, source, strict: piece.strict };
      const around = parts.flatMap((part) => [rich, ...(part === "" ? [] : [{ ...piece, text: part }])]);
      return around.slice(1);
    });
  return pieces;
}

/** The libraries are read when the first template is: an editor without any .prompty never loads them. */
async function templateOf({ template, instructions }: Prompty): Promise<Template> {
  if (template.format.kind === "mustache") {
    const { readMustache } = await import("./promptyMustache.ts");
    return readMustache(instructions);
  }
  const { readJinja } = await import("./promptyJinja.ts");
  return readJinja(instructions);
}

/** What is wrong with the template, and on which of its lines; null when it can be read. */
export async function templateProblem(
  prompty: Prompty,
): Promise<{ readonly line: number; readonly message: string } | null> {
  try {
    await templateOf(prompty);
    const line = lineOfFilledMarker(prompty.instructions);
    return line === null ? null : { line, message: "template: the brackets of a role marker hold no input" };
  } catch (error) {
    return { line: error instanceof TemplateError ? (error.line ?? 1) : 1, message: wordsFor(error) };
  }
}

function wordsFor(error: unknown): string {
  if (error instanceof TemplateError) return error.message;
  if (error instanceof RangeError) return "The template is nested too deeply, or gives too much text.";
  throw error;
}
