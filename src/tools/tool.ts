// How a tool is defined: its schema once, and from it the model's JSON Schema, the checks and the words for wrong arguments.
import * as z from "zod";
import type { Effect, LeftTexts, Prepared, Refusal, Tool, ToolFields, ToolResult, Touches } from "../engine/ports.ts";
import type { Label } from "../protocol/calls.ts";
import type { Params } from "../protocol/messages.ts";
import type { ScopeDenial } from "../scope/scope.ts";
import { describeIssues } from "./issues.ts";

/** The named argument when it is text, else `""`: arguments that nobody checked yet. */
type TextArgument = (name: string) => string;

/** What a checked call would do. `defineTool` adds the rest of a Prepared. */
export type Work = Pick<Prepared, "preview" | "proposals" | "timeout" | "run"> & {
  readonly revised?: (texts: LeftTexts) => Work | Refusal;
};

interface Definition<Schema extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly effect: Effect;
  readonly schema: Schema;
  readonly fields?: ToolFields;
  label(text: TextArgument): Label;
  touches(text: TextArgument): Touches;
  /** What this or `run` throws becomes a failed result with the error's message. */
  prepare(params: z.output<Schema>, signal: AbortSignal): Promise<Work | Refusal>;
}

/** Makes a tool of the engine's port. */
export function defineTool<Schema extends z.ZodObject>(definition: Definition<Schema>): Tool {
  const { name, description, effect, schema, fields } = definition;
  const label = (params: Params): Label => definition.label(textOf(params));
  return {
    name,
    description,
    effect,
    ...(fields && { fields }),
    parameters: jsonSchema(schema),
    label,
    touches: (params) => definition.touches(textOf(params)),
    prepare: async (params, signal) => {
      const checked = schema.safeParse(withoutNulls(params));
      if (!checked.success) {
        const problems = describeIssues(checked.error.issues, params, Object.keys(schema.shape));
        return refused([`The arguments of ${name} are wrong.`, ...problems].join("\n"));
      }
      try {
        const about = { params: checked.data, label: label(checked.data) };
        return finish(await definition.prepare(checked.data, signal), about);
      } catch (error) {
        return refused(messageOf(error));
      }
    },
  };
}

function finish(work: Work | Refusal, about: Pick<Prepared, "params" | "label">): Prepared | Refusal {
  if ("kind" in work) return work;
  const { run, revised, ...rest } = work;
  return {
    ...rest,
    ...about,
    kind: "prepared",
    run: (context) => run(context).catch((error: unknown) => failed(messageOf(error))),
    ...(revised && { revised: (texts) => finish(revised(texts), about) }),
  };
}

/** A call that may not run because of what it asks for. */
export function refused(content: string): Refusal {
  return { kind: "refused", status: "failed", content };
}

/** A call that may not run because of where it would act. */
export function outOfScope(denial: ScopeDenial): Refusal {
  return { kind: "refused", status: "denied", content: denial.denied };
}

export function succeeded(content: string): ToolResult {
  return { status: "succeeded", content };
}

export function failed(content: string): ToolResult {
  return { status: "failed", content };
}

/** Touches of a call that reads, writes or both, and runs nothing. */
export function touching(touched: Partial<Touches>): Touches {
  return { reads: [], writes: [], runs: false, ...touched };
}

function jsonSchema(schema: z.ZodObject): Params {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: "input", target: "draft-7" });
  return rest;
}

/** Models that must name every parameter write null for those they leave out. */
function withoutNulls(params: Params): Params {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
}

function textOf(params: Params): TextArgument {
  return (name) => {
    const value = params[name];
    return typeof value === "string" ? value : "";
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
