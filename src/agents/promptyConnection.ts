// Where a .prompty asks to be answered from. Pure: whether that may be is decided by whoever makes the model.
import type { AgentConnection } from "../protocol/agents.ts";
import type { ProviderName } from "../protocol/config.ts";
import { LoopError } from "../protocol/errors.ts";
import type { Prompty } from "./promptyShape.ts";

/**
 * The wire that a prompt speaks.
 * @returns null when its file does not say
 * @throws LoopError `agent_invalid` for one that Brain does not speak
 */
function providerOf({ name, model = {} }: Prompty): ProviderName | null {
  const { provider, apiType = "chat" } = model;
  if (apiType !== "chat" && apiType !== "responses")
    throw new LoopError("agent_invalid", `“${name}” is for ${written(apiType)}: only chat and responses can be run.`);
  if (provider === undefined) return null;
  if (provider === "anthropic") return "anthropic";
  if (provider === "openai") return apiType === "responses" ? "openai-responses" : "openai-chat";
  throw new LoopError(
    "agent_invalid",
    `“${name}” asks for the provider ${written(provider)}: openai and anthropic can be used.`,
  );
}

const usable: ReadonlySet<unknown> = new Set([undefined, "key", "anonymous"]);

/**
 * @param from `file`: as people call it; `variables`: names of environment variables that its front matter has read
 * @returns null when the file says nothing about it
 * @throws LoopError `agent_invalid`
 */
export function connectionOf(
  prompty: Prompty,
  { file, variables }: Pick<AgentConnection, "file" | "variables">,
): AgentConnection | null {
  const said = prompty.model?.["connection"];
  const connection: Readonly<Record<string, unknown>> = typeof said === "object" && said !== null ? { ...said } : {};
  const { kind, endpoint, apiKey } = connection;
  if (!usable.has(kind ?? undefined))
    throw new LoopError(
      "agent_invalid",
      `“${prompty.name}” has a connection of kind ${written(kind)}: key and anonymous can be used.`,
    );
  const provider = providerOf(prompty);
  const asked = {
    ...(provider !== null && { provider }),
    ...(typeof endpoint === "string" && endpoint !== "" && { baseUrl: endpoint }),
    ...(typeof apiKey === "string" && { apiKey }),
  };
  return Object.keys(asked).length === 0 ? null : { ...asked, file, variables };
}

function written(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
