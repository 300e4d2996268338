// Invocations for tests: an agent as an object or files, a scripted model, and everything that was seen.
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { systemClock } from "../../src/compose.ts";
import { AgentError, startAgent, type AgentRun, type InvokeOptions, type Surroundings } from "../../src/invoke.ts";
import type { AgentObject, InvokeTools } from "../../src/invokeParts.ts";
import type { Model } from "../../src/engine/ports.ts";
import type { LoopEvent } from "../../src/protocol/events.ts";
import type { Params } from "../../src/protocol/messages.ts";
import type { Tracer } from "../../src/protocol/tracing.ts";
import { scriptedModel, type Script, type ScriptedModel } from "./kit.ts";

export interface Invoking {
  readonly agent?: string | AgentObject;
  readonly inputs?: Params;
  readonly tools?: InvokeTools;
  /** Replies of the model, in the order of requests, of prompts that are tools too. */
  readonly scripts?: readonly Script[];
  /** By the agent's name, in place of `scripts`. */
  readonly models?: Readonly<Record<string, Model>>;
  readonly options?: InvokeOptions;
  readonly library?: Surroundings["library"];
  readonly tracer?: Tracer;
}

interface Invoked {
  readonly run: AgentRun;
  readonly model: ScriptedModel;
  readonly events: readonly LoopEvent[];
}

/** An agent with one function, `look`, unless the test says otherwise. */
export const plainAgent: AgentObject = {
  name: "plain",
  instructions: "system:\nYou help.\n\nuser:\n{{ question }}",
  inputs: [{ name: "question", kind: "string", default: "Go." }],
  tools: [{ name: "look", kind: "function", parameters: [{ name: "at", kind: "string" }] }],
};

export function invoking({ agent = plainAgent, inputs = {}, tools = {}, ...how }: Invoking): Invoked {
  const model = scriptedModel(...(how.scripts ?? []));
  const events: LoopEvent[] = [];
  const around: Surroundings = {
    model: ({ name }) => Promise.resolve(how.models?.[name] ?? model),
    library: how.library ?? { roots: [] },
    clock: systemClock,
    tracer: how.tracer,
    log: () => undefined,
  };
  const { onEvent, ...rest } = how.options ?? {};
  const hear = (event: LoopEvent): void => {
    events.push(event);
    onEvent?.(event);
  };
  const run = startAgent(agent, inputs, tools, { around, options: { ...rest, onEvent: hear } });
  return { run, model, events };
}

/** Why an invocation has no answer. */
export async function errorOf(run: AgentRun): Promise<AgentError> {
  const error: unknown = await run.result.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof AgentError) return error;
  throw new Error(`It did not end with an AgentError: ${String(error)}`);
}

/** Writes files into a folder of their own, for as long as the work takes. */
export async function withPrompts(
  files: Readonly<Record<string, string>>,
  work: (dir: string) => Promise<void>,
): Promise<void> {
  const dir = await realpath(await mkdtemp(path.join(tmpdir(), "prompts-")));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(dir, name)), { recursive: true });
      await writeFile(path.join(dir, name), text);
    }
    await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
