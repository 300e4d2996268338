// Which handler does a call's work: first the one of the tool's own name, then the one of its kind (PROMPTY 11.2). Nothing here is global.
import type { CallContext, ToolResult } from "../engine/ports.ts";
import type { DeclaredTool } from "../protocol/agents.ts";
import { LoopError } from "../protocol/errors.ts";
import type { Params } from "../protocol/messages.ts";
import { withBound, withoutValues } from "./promptyBindings.ts";
import type { Prompty } from "./promptyShape.ts";

/** What a handler may use beside its arguments. */
export interface HandlerContext {
  readonly toolCallId: string;
  readonly signal: AbortSignal;
  /** Live output, for the person; the model reads the result. */
  readonly output: (chunk: string) => void;
}

/** Does the work of a tool. What it returns is the result; what it throws is told to the model as one. */
export type ToolHandler = (args: Params, context: HandlerContext) => unknown;

/** Does the work of all tools of a kind. */
export type KindHandler = (tool: DeclaredTool, args: Params, agent: Prompty, inputs: Params) => unknown;

export interface Handlers {
  readonly names: Readonly<Record<string, ToolHandler>>;
  readonly kinds: Readonly<Record<string, KindHandler>>;
}

/** What a tool stands in. */
export interface Standing {
  readonly agent: Prompty;
  readonly inputs: Params;
}

/** Kinds of tools that need more than a prompt alone has, and what that is. */
const unbuilt: Readonly<Record<string, string>> = {
  mcp: "Tools of Model Context Protocol servers cannot be used here: they need the chat of a trusted folder, or a handler.",
  openapi: "Tools of OpenAPI documents cannot be used here: they need a folder that is trusted.",
};

type Work = (args: Params, context: CallContext) => Promise<ToolResult>;

/**
 * What does a tool's work.
 * @returns null when nobody does
 */
export function handlerOf(tool: DeclaredTool, { names, kinds }: Handlers, standing: Standing): Work | null {
  const own = Object.hasOwn(names, tool.name) ? names[tool.name] : undefined;
  const ofKind = Object.hasOwn(kinds, tool.kind) ? kinds[tool.kind] : undefined;
  const { agent, inputs } = standing;
  if (own) return guarded(tool, inputs, (args, context) => own(args, context));
  return ofKind ? guarded(tool, inputs, (args) => ofKind(tool, args, agent, inputs)) : null;
}

/** What answers for a kind that is not there (PROMPTY-11.2-4); null for one that nobody knows. */
export function unavailable({ name, kind }: DeclaredTool): Work | null {
  const why = Object.hasOwn(unbuilt, kind) ? unbuilt[kind] : undefined;
  if (why === undefined) return null;
  return () => Promise.resolve({ status: "failed", content: `${name} did not run. ${why}` });
}

/** A declared tool that nobody does the work of is wrong before anything has been asked (C-17). */
export function noHandler({ name, kind }: DeclaredTool): LoopError {
  return new LoopError("tool_invalid", `No handler registered for tool: ${name} (kind: ${kind}).`);
}

function guarded(tool: DeclaredTool, inputs: Params, handle: ToolHandler): Work {
  return async (args, { toolCallId, signal, output }) => {
    try {
      return resultOf(await handle(withBound(tool, args, inputs), { toolCallId, signal, output }));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { status: "failed", content: `${tool.name} failed: ${withoutValues(why, tool, inputs)}` };
    }
  };
}

/** Text as it is, anything else as JSON; nothing is an empty text (PROMPTY-9.2-8). */
function resultOf(value: unknown): ToolResult {
  if (value === undefined) return { status: "succeeded", content: "", value: null };
  if (typeof value === "string") return { status: "succeeded", content: value };
  if (value instanceof Uint8Array) return { status: "succeeded", content: Buffer.from(value).toString("base64") };
  return { status: "succeeded", content: jsonOf(value), value };
}

/** Functions and symbols have no form in JSON. */
function jsonOf(value: unknown): string {
  return typeof value === "function" || typeof value === "symbol" ? "" : JSON.stringify(value);
}
