// Whether an agent is answered from where its own file says: only by an endpoint that was allowed, and never with a key meant for another.
import type { ModelChoice } from "./composeModel.ts";
import type { AgentConnection, AgentDefinition } from "./protocol/agents.ts";
import { addressOf, settings } from "./protocol/settings.ts";
import { LoopError } from "./protocol/errors.ts";

/** What a person is asked before the first request goes to an endpoint that a file names. */
export interface EndpointQuestion {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The agent's file, as people call it. */
  readonly file: string;
  /** Environment variables that the file has read: their values may go there. */
  readonly variables: readonly string[];
  /** What one of its tools wants there; absent: the agent is to be answered from there. */
  readonly tool?: { readonly name: string; readonly wants: "document" | "key" | "request" };
}

export interface Doors {
  /** Absent: no file may name an endpoint. */
  readonly confirm?: (question: EndpointQuestion) => Promise<boolean>;
  /** The key for an endpoint that was allowed, or `""`. */
  readonly keyFor: (connection: AgentConnection, address: string) => Promise<string>;
}

/** Whose keys these variables hold by convention: nobody else gets them, whoever allows it. */
const owners: Readonly<Record<string, string>> = {
  OPENAI_API_KEY: "api.openai.com",
  ANTHROPIC_API_KEY: "api.anthropic.com",
  OPENROUTER_API_KEY: "openrouter.ai",
  GEMINI_API_KEY: "generativelanguage.googleapis.com",
  GOOGLE_API_KEY: "generativelanguage.googleapis.com",
  MISTRAL_API_KEY: "api.mistral.ai",
  GROQ_API_KEY: "api.groq.com",
  DEEPSEEK_API_KEY: "api.deepseek.com",
  XAI_API_KEY: "api.x.ai",
  TOGETHER_API_KEY: "api.together.xyz",
  GITHUB_TOKEN: "models.github.ai",
};

/**
 * The choice for one agent: the person's own, or what its file names once that is allowed.
 * @throws LoopError `endpoint_refused` before anything is sent, with the file and the endpoint
 */
export async function choiceFor(agent: AgentDefinition, own: ModelChoice, doors: Doors): Promise<ModelChoice> {
  const { connection } = agent;
  if (connection?.baseUrl === undefined) return own;
  const { baseUrl, file, variables, provider = usual } = connection;
  const address = addressOf(provider, baseUrl);
  const { origin, host } = placeOf(address, file);
  // The person's own price holds for the person's own model.
  const { price: _price, ...rest } = own;
  refuseForeign(connection, { origin, host });
  const isOwn = own.provider !== "demo" && origin === originOf(addressOf(own.provider, own.baseUrl));
  if (isOwn && own.apiKey !== "") return { ...rest, provider, baseUrl };
  // What the caller's own code names has been chosen by the caller.
  const allowed = isOwn || agent.source === null || (await doors.confirm?.({ origin, file, variables }));
  if (allowed !== true) throw refused(`${file} asks to be answered by ${origin}, which was not allowed`);
  const apiKey = await doors.keyFor(connection, address);
  // What the person's own endpoint says of its models says nothing of this one's.
  return { ...rest, provider, baseUrl, apiKey, ...(!isOwn && { discovered: () => ({}) }) };
}

/** Which of these variables holds a key of somebody else than a host. */
export function foreignVariable(variables: readonly string[], host: string): string | undefined {
  return variables.find((name) => isForeign(name, host));
}

/** @throws LoopError `endpoint_refused` where the file has read a key of another host */
export function refuseForeign(
  { variables, file }: Pick<AgentConnection, "variables" | "file">,
  { origin, host }: Pick<URL, "origin" | "host">,
): void {
  const foreign = foreignVariable(variables, host);
  if (foreign !== undefined)
    throw refused(`${file} asks to be answered by ${origin}, with ${foreign}, which is a key for ${owners[foreign]}`);
}

interface KeyQuestion extends Pick<AgentConnection, "variables" | "file"> {
  readonly tool: string;
  /** The key as the file has it. */
  readonly written: string;
}

/**
 * The key for the requests of a tool: by the same rules as that of an endpoint.
 * @throws LoopError `endpoint_refused` before anything is sent
 */
export async function keyOfTool(
  { origin, host }: URL,
  { tool: name, file, variables, written }: KeyQuestion,
  { confirm, keyFor }: Doors,
): Promise<string> {
  refuseForeign({ variables, file }, { origin, host });
  const allowed = await confirm?.({ origin, file, variables, tool: { name, wants: "key" } });
  if (allowed === true) return keyFor({ file, variables, baseUrl: origin, apiKey: written }, origin);
  throw refused(`The tool ${name} of ${file} asks for a key for ${origin}, which was not allowed`);
}

function originOf(address: string): string | undefined {
  return URL.parse(address)?.origin;
}

function isForeign(variable: string, host: string | undefined): boolean {
  return Object.hasOwn(owners, variable) && owners[variable] !== host;
}

/**
 * The endpoint of whoever runs an agent, as far as they name one; else the provider's own, with the key of the file.
 * @param given `apiKey`: for the address that is given; where none is, for that of the provider, which is OpenAI if not said
 */
export function ownEndpoint(
  { connection }: AgentDefinition,
  given: Partial<ModelChoice>,
): Pick<ModelChoice, "provider" | "baseUrl" | "apiKey"> {
  const provider = given.provider ?? connection?.provider ?? usual;
  const { baseUrl = settings.baseUrl.default } = given;
  const address = addressOf(provider, baseUrl);
  const isMeant = originOf(address) === originOf(addressOf(given.provider ?? usual, baseUrl));
  const written = given.baseUrl === undefined && connection ? keyIn(connection, address) : "";
  return { provider, baseUrl, apiKey: (isMeant ? given.apiKey : undefined) ?? written };
}

const usual = "openai-chat";

/** Of a file that names no endpoint: what it names goes with its key. */
function keyIn({ baseUrl, apiKey = "", variables }: AgentConnection, address: string): string {
  const host = URL.parse(address)?.host;
  return baseUrl !== undefined || variables.some((name) => isForeign(name, host)) ? "" : apiKey;
}

function placeOf(address: string, file: string): URL {
  const url = URL.parse(address);
  if (url && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "") return url;
  throw refused(
    `${file} asks to be answered by “${address}”, which is no address that starts with https:// or http://`,
  );
}

function refused(why: string): LoopError {
  return new LoopError("endpoint_refused", `${why}. Nothing was sent.`);
}
