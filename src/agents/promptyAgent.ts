// A .prompty file in the `.brain` folder, as an agent to talk to: what its template says as the system is who it is.
import type { AgentDefinition } from "../protocol/agents.ts";
import { LoopError } from "../protocol/errors.ts";
import type { ParsedAgent } from "./agentFile.ts";
import { loadPrompty } from "./promptyFile.ts";
import { messagesOf, type PromptMessage } from "./promptyMessages.ts";
import { render } from "./promptyRender.ts";
import { replyOptionsOf } from "./promptyRequest.ts";
import type { Prompty } from "./promptyShape.ts";
import { agentId } from "./template.ts";

const extension = /\.prompty$/i;

/** The name that a .prompty is called by; null when a file's name is not that of one. */
export function promptyName(file: string): string | null {
  return extension.test(file) ? file.replace(extension, "") : null;
}

/**
 * Reads a .prompty as an agent. Its inputs have their defaults: in a chat, what the person writes takes the place of the
 * messages that the template has for the user.
 * @param path where it is
 * @param file its name, for the problems: `reviewer.prompty:3: …`
 */
export async function readPromptyAgent(path: string, file: string, source: string): Promise<ParsedAgent> {
  // No variable is read for a chat, which has its own connection: a reference to one stays as it is written.
  const loaded = await loadPrompty(path, { env: (name) => `\${env:${name}}` });
  if ("problems" in loaded)
    return { problems: loaded.problems.map(({ line, message }) => `${file}:${line}: ${message}`) };
  const { prompty } = loaded;
  const wrong = unusable(prompty);
  if (wrong !== null) return { problems: [`${file}: ${wrong}`] };
  try {
    return { agent: agentOf(prompty, await identityOf(prompty), { id: agentId(promptyName(file) ?? file), source }) };
  } catch (error) {
    if (error instanceof LoopError) return { problems: [`${file}: ${error.message}`] };
    throw error;
  }
}

function unusable({ tools, model }: Prompty): string | null {
  const api = model?.["apiType"];
  if (api === "embedding" || api === "image") return `is for ${api}s, not for a chat`;
  if (tools.length === 0) return null;
  return `has tools of its own, which a chat cannot run: ${tools.map(({ name }) => name).join(", ")}`;
}

async function identityOf(prompty: Prompty): Promise<string> {
  const usual = prompty.inputs.map(({ name, default: value }) => [name, value ?? undefined] as const);
  const { segments, rich } = await render(prompty, Object.fromEntries(usual));
  const own = messagesOf(segments, rich).filter(({ role }) => role === "system" || role === "developer");
  return own.map(textOf).join("\n\n").trim();
}

function textOf({ content }: PromptMessage): string {
  return content.flatMap(({ kind, value }) => (kind === "text" ? [value] : [])).join("\n\n");
}

function agentOf(
  prompty: Prompty,
  identity: string,
  { id, source }: Pick<AgentDefinition, "id" | "source">,
): AgentDefinition {
  const { name, description, displayName, model } = prompty;
  const options = replyOptionsOf(prompty);
  const asked = model?.["id"];
  return {
    id,
    name: typeof displayName === "string" ? displayName : name,
    ...(description !== undefined && { description }),
    ...(typeof asked === "string" && asked !== "" && { model: asked }),
    ...(Object.keys(options).length > 0 && { options }),
    identity,
    source,
  };
}
