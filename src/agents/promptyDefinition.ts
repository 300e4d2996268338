// A .prompty that is run by itself or as a tool, as the loop's agent: what its file says, and nothing of Brain's own.
import { basename } from "node:path";
import type { AgentDefinition } from "../protocol/agents.ts";
import { connectionOf } from "./promptyConnection.ts";
import { replyOptionsOf } from "./promptyRequest.ts";
import { schemaOf } from "./promptySchema.ts";
import type { Prompty } from "./promptyShape.ts";
import { agentId } from "./template.ts";

interface Source {
  /** Null: it was given as an object. */
  readonly file: string | null;
  /** Names of environment variables that its front matter has read. */
  readonly variables: readonly string[];
  /** All that its system messages say. */
  readonly system: string;
  /** One request and no tools. */
  readonly single?: boolean;
}

/** @throws LoopError `agent_invalid` for a connection that cannot be used */
export function definitionOf(prompty: Prompty, { file, variables, system, single = false }: Source): AgentDefinition {
  const { name, description, model = {} } = prompty;
  const asked = model["id"];
  const options = replyOptionsOf(prompty);
  const connection = connectionOf(prompty, { file: file === null ? name : basename(file), variables });
  return {
    id: agentId(name),
    name,
    ...(description !== undefined && { description }),
    ...(typeof asked === "string" && asked !== "" && { model: asked }),
    ...(connection && { connection }),
    ...(Object.keys(options).length > 0 && { options }),
    ...(prompty.outputs.length > 0 && { output: schemaOf(prompty.outputs) }),
    ...(single && { limits: { maxToolIterations: 1 } }),
    dataFlow: false,
    bare: true,
    identity: system,
    source: file,
  };
}

/** The answer as the prompt's outputs have it: read as JSON where it declares some, else and where that fails the text. */
export function answerOf({ outputs }: Prompty, text: string): unknown {
  if (outputs.length === 0) return text;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}
