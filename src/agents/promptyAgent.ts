// A .prompty file in the `.brain` folder, as an agent to talk to: what its template says as the system is who it is.
import { dirname } from "node:path";
import type { AgentConnection, AgentDefinition, DeclaredTool } from "../protocol/agents.ts";
import { mcpPrefix, serverNamed } from "../protocol/mcp.ts";
import { LoopError } from "../protocol/errors.ts";
import type { Params } from "../protocol/messages.ts";
import type { ParsedAgent } from "./agentFile.ts";
import { asWritten, findChild } from "./promptyChild.ts";
import { connectionOf } from "./promptyConnection.ts";
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
 * @param given values for its inputs, in the place of their defaults
 * @param file its name, for the problems: `reviewer.prompty:3: …`
 */
export async function readPromptyAgent(
  path: string,
  file: string,
  source: string,
  given: Params = {},
): Promise<ParsedAgent> {
  // No variable is read for a chat, and no key but those that the person has set for an endpoint.
  const loaded = await loadPrompty(path, { env: asWritten });
  if ("problems" in loaded)
    return { problems: loaded.problems.map(({ line, message }) => `${file}:${line}: ${message}`) };
  const { prompty } = loaded;
  const wrong = unusable(prompty);
  if (wrong !== null) return { problems: [`${file}: ${wrong}`] };
  try {
    await checkTools(prompty, path);
    const identity = await identityOf(prompty, given);
    const about = { id: agentId(promptyName(file) ?? file), source, identity };
    return { agent: agentOf(prompty, about, { path, file }), warnings: await warningsOf(prompty, file) };
  } catch (error) {
    if (error instanceof LoopError) return { problems: [`${file}: ${error.message}`] };
    throw error;
  }
}

function unusable({ model }: Prompty): string | null {
  const api = model?.["apiType"];
  return api === "embedding" || api === "image" ? `is for ${api}s, not for a chat` : null;
}

/** What is wrong with prompts that are its tools is said where agents are listed. @throws LoopError */
async function checkTools({ tools }: Prompty, path: string): Promise<void> {
  const library = { env: asWritten, roots: [dirname(path)] };
  const prompts = tools.filter(({ kind }) => kind === "prompty");
  await Promise.all(prompts.map((tool) => findChild(tool, { files: [path] }, library)));
}

/** A name that no input has renders to nothing (C-41). */
async function warningsOf({ template, inputs, instructions }: Prompty, file: string): Promise<readonly string[]> {
  if (template.format.kind !== "jinja2") return [];
  const { undeclaredNames } = await import("./promptyNames.ts");
  const names = undeclaredNames(
    instructions,
    inputs.map(({ name }) => name),
  );
  return names.map((name) => `${file}: no input is called “${name}”: what its template has of it is empty`);
}

async function identityOf(prompty: Prompty, given: Params): Promise<string> {
  const usual = prompty.inputs.map(({ name, default: value }) => [name, value ?? undefined] as const);
  const { segments, rich } = await render(prompty, { ...Object.fromEntries(usual), ...given });
  const own = messagesOf(segments, rich).filter(({ role }) => role === "system" || role === "developer");
  return own.map(textOf).join("\n\n").trim();
}

function textOf({ content }: PromptMessage): string {
  return content.flatMap(({ kind, value }) => (kind === "text" ? [value] : [])).join("\n\n");
}

function agentOf(
  prompty: Prompty,
  about: Pick<AgentDefinition, "id" | "source" | "identity">,
  { path, file }: { readonly path: string; readonly file: string },
): AgentDefinition {
  const options = replyOptionsOf(prompty);
  const { name, description, displayName, model, tools } = prompty;
  const connection = connectionOf(prompty, { file, variables: [] });
  const asked = model?.["id"];
  return {
    ...about,
    name: typeof displayName === "string" ? displayName : name,
    ...(description !== undefined && { description }),
    ...(typeof asked === "string" && asked !== "" && { model: asked }),
    ...(Object.keys(options).length > 0 && { options }),
    ...(connection?.baseUrl !== undefined && { connection: withoutKey(connection) }),
    ...(tools.length > 0 && { prompt: path, tools: tools.flatMap(namesOf) }),
  };
}

/** What the model may call it: of a server, each of its tools. */
function namesOf(tool: DeclaredTool): readonly string[] {
  return tool.kind === "mcp" ? [tool.name, `${mcpPrefix(serverNamed(tool))}*`] : [tool.name];
}

function withoutKey({ apiKey: _key, ...connection }: AgentConnection): AgentConnection {
  return connection;
}
