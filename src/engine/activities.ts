// Tools from outside: definitions and the functions behind them become tools of the engine; a tool without one is latent (DIGEST 1.4).
import { LoopError } from "../protocol/errors.ts";
import type { Params } from "../protocol/messages.ts";
import { dataMessage } from "./data.ts";
import type { CallContext, Effect, JsonSchema, Ports, Tool, ToolFields, ToolResult } from "./ports.ts";
import { foldKind, type DataMessage } from "./state.ts";

/** A tool as it is defined beside the code that does its work. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object; absent: it takes no parameters. */
  readonly parameters?: JsonSchema;
  /** Name of the activity that does its work; absent: the one of the tool's own name, if there is one; `""`: none. */
  readonly activity?: string;
  /** JSON Schema of the result: what the model writes when no activity does the work. */
  readonly output?: JsonSchema;
  /** Its result always goes there, such as `†state.config`. */
  readonly outputPath?: string;
  readonly scopes?: ToolFields["scopes"];
  /** Default `read`: it runs without asking. What changes something must say so. */
  readonly effect?: Effect;
}

/** A call as its activity sees it: its parameters, and `_tool`. */
export type ActivityCall = Params & { readonly _tool: string };

export interface ActivityContext {
  /** The messages within the call's scopes and instance, and nothing else (LOOP-ACT-2). */
  readonly messages: readonly DataMessage[];
  /** Everything of one kind, folded; undefined when there is nothing. */
  readonly data: (kind: string) => unknown;
  readonly signal: AbortSignal;
  readonly output: CallContext["output"];
  readonly delegate: CallContext["delegate"];
}

/**
 * Does the work of a call. What it returns is the result: text as it is, other values as JSON; a message
 * `{ type: "data", kind, data }` is kept as it is and so chooses a branch. What it throws is a failed result.
 */
export type Activity = (call: ActivityCall, tool: ToolDefinition, context: ActivityContext) => unknown;

export interface Activities {
  readonly tools: readonly ToolDefinition[];
  readonly activities?: Readonly<Record<string, Activity>>;
}

/**
 * Makes the engine's tools (LOOP-ACT-1: explicit name, same name, latent).
 * Throws LoopError `tool_invalid` for a tool whose named activity does not exist, before anything has been asked (C-17).
 */
export function bindTools({ tools, activities = {} }: Activities, validate: Ports["validate"]): Tool[] {
  return tools.map((definition) => {
    const { name, activity: explicit } = definition;
    const found = explicit === "" ? undefined : activityOf(activities, explicit ?? name);
    if (!found && explicit !== undefined && explicit !== "")
      throw new LoopError("tool_invalid", `The tool ${name} names an activity “${explicit}” that does not exist.`);
    return toolOf(definition, found, validate);
  });
}

function activityOf(activities: Readonly<Record<string, Activity>>, name: string): Activity | undefined {
  return Object.hasOwn(activities, name) ? activities[name] : undefined;
}

const noParameters: JsonSchema = { type: "object", properties: {} };

function toolOf(definition: ToolDefinition, activity: Activity | undefined, validate: Ports["validate"]): Tool {
  const { name, description, parameters = noParameters, effect = "read" } = definition;
  const label = { verb: name, subject: "" };
  const fields = fieldsOf(definition, activity);
  return {
    name,
    description,
    parameters,
    effect,
    ...(fields && { fields }),
    label: () => label,
    touches: () => ({ reads: [], writes: [], runs: effect === "run" }),
    prepare(params) {
      const problems = validate(parameters, params);
      if (problems.length > 0) {
        const content = [`The arguments of ${name} are wrong.`, ...problems].join("\n");
        return Promise.resolve({ kind: "refused", status: "failed", content });
      }
      const run = async (context: CallContext): Promise<ToolResult> =>
        resultOf(await activity?.({ ...params, _tool: name }, definition, contextFor(context)));
      return Promise.resolve({ kind: "prepared", params, label, run });
    },
  };
}

function fieldsOf({ outputPath, scopes, output = {} }: ToolDefinition, activity?: Activity): ToolFields | null {
  const fields = { ...(outputPath !== undefined && { outputPath }), ...(scopes && { scopes }) };
  const own = activity ? fields : { ...fields, latent: { output } };
  return Object.keys(own).length > 0 ? own : null;
}

function contextFor({ data, fields, signal, output, delegate }: CallContext): ActivityContext {
  const instance = typeof fields["_instance"] === "string" ? fields["_instance"] : undefined;
  return {
    messages: data,
    data: (kind) => {
      const found = foldKind(data, kind, instance);
      return found.found ? found.value : undefined;
    },
    signal,
    output,
    delegate,
  };
}

function resultOf(value: unknown): ToolResult {
  if (value === undefined) return { status: "succeeded", content: "Done.", value: null };
  const content = typeof value === "string" ? value : JSON.stringify(value);
  const message = dataMessage(value);
  return message ? { status: "succeeded", content, message } : { status: "succeeded", content, value };
}
