// A declared openapi tool as the engine's tools, one for each operation of its document: each call is shown as it will be sent, and asked about.
import { basename } from "node:path";
import type { CallContext, JsonSchema, Ports, Prepared, Refusal, Tool, ToolResult } from "../engine/ports.ts";
import type { DeclaredTool } from "../protocol/agents.ts";
import { LoopError } from "../protocol/errors.ts";
import type { Params } from "../protocol/messages.ts";
import { answerResult, type WebAnswer } from "./openapiAnswer.ts";
import { groupOf, listOf, textOf, type Group } from "./openapiDocument.ts";
import { mostOperations, operationsOf, type Operation } from "./openapiOperations.ts";
import { baseOf, shownRequest, toRequest, withKey, type WebRequest } from "./openapiRequest.ts";
import { documentName, findDocument } from "./openapiSource.ts";
import { boundOf, withBound } from "./promptyBindings.ts";
import type { Chain } from "./promptyChild.ts";
import type { Standing } from "./promptyDispatch.ts";
import type { ReferenceOptions } from "./promptyReferences.ts";
import { wireName } from "./wireNames.ts";

/** Whose request it is. */
export interface Sender {
  readonly tool: string;
  /** The agent's file, as people call it. */
  readonly file: string;
  /** Environment variables that the file has read: their values may go along. */
  readonly variables: readonly string[];
}

/** The way to servers: whoever makes it decides which may be reached, and which key goes where. */
export interface Outside {
  /** The text of a document; or why there is none, as the end of a sentence. Never rejects. */
  readonly fetchText: (url: URL, sender: Sender) => Promise<{ readonly text: string } | { readonly why: string }>;
  /**
   * The key for requests to an origin, `""` for none. It is asked about before anything is sent.
   * @param written as the agent's file has it
   * @throws LoopError `endpoint_refused`
   */
  readonly keyFor: (url: URL, sender: Sender, written: string) => Promise<string>;
  /** Sends it once its host may be reached. Follows nothing. Never rejects. */
  readonly send: (request: WebRequest, sender: Sender, context: CallContext) => Promise<WebAnswer>;
}

interface Making {
  readonly outside: Outside;
  readonly library: ReferenceOptions;
  readonly validate: Ports["validate"];
  /** Names that its tools must not have; those that they get are added. */
  readonly taken: Set<string>;
}

/** @throws LoopError `tool_invalid` for a document that cannot be used, `endpoint_refused` when the person refused its key */
export async function openapiTools(
  tool: DeclaredTool,
  { agent, inputs, chain }: Standing & { readonly chain: Chain },
  { outside, library, validate, taken }: Making,
): Promise<readonly Tool[]> {
  const file = chain.files.at(-1) ?? null;
  const sender = { tool: tool.name, file: file === null ? agent.name : basename(file), variables: chain.variables };
  const fetchText = (url: URL): ReturnType<Outside["fetchText"]> => outside.fetchText(url, sender);
  const { roots = [], mayRead } = library;
  const found = await findDocument(tool, { file, roots, mayRead, fetchText });
  if ("why" in found) throw invalid(tool, `${documentName(tool)} ${found.why}`);
  const operations = chosenOf(tool, found.document);
  const connection = connectionIn(tool);
  const based = operations.map((operation) => ({ operation, base: baseFor(tool, operation, found.from) }));
  const [first] = based;
  const keyed = connection.kind === "key" && first ? first.base : null;
  // A key goes to the one server that was asked about, whatever others the document names.
  const key = keyed ? await outside.keyFor(keyed, sender, connection.apiKey) : "";
  return based.map(({ operation, base }) => {
    const wanted = taken.has(wireName(operation.id)) ? `${tool.name}_${operation.id}` : operation.id;
    // A rule about an MCP server's tools is none about an operation whose document calls it like one of them.
    const name = wireName(wireName(wanted).startsWith("mcp__") ? `_${wanted}` : wanted, taken);
    taken.add(name);
    const own = keyed?.origin === base.origin ? key : "";
    return makeTool({ name, operation, base, key: own, declared: tool, inputs }, { sender, outside, validate });
  });
}

function invalid({ name }: DeclaredTool, why: string): LoopError {
  return new LoopError("tool_invalid", `The tool ${name} cannot be used: ${why}.`);
}

function connectionIn(tool: DeclaredTool): { readonly kind: string; readonly apiKey: string } {
  const { kind = "anonymous", apiKey } = groupOf(tool["connection"]);
  if (kind !== "key" && kind !== "anonymous")
    throw invalid(tool, `its connection is of kind ${JSON.stringify(kind)}, and key and anonymous can be used`);
  return { kind, apiKey: textOf(apiKey) };
}

/** All, or those that the tool names. */
function chosenOf(tool: DeclaredTool, document: Group): readonly Operation[] {
  const named = new Set(listOf(tool["operations"]).map(String));
  const chosen = operationsOf(document, named);
  const missing = [...named].find((id) => !chosen.some((one) => one.id === id));
  if (missing !== undefined)
    throw invalid(tool, `${documentName(tool)} has no operation “${missing}” that can be called`);
  if (chosen.length === 0) throw invalid(tool, `${documentName(tool)} has no operation that can be called`);
  if (chosen.length <= mostOperations) return chosen;
  throw invalid(
    tool,
    `${documentName(tool)} has ${chosen.length} operations: name those it is to have in “operations”`,
  );
}

function baseFor(tool: DeclaredTool, { server, id }: Operation, from: URL | null): URL {
  const endpoint = textOf(groupOf(tool["connection"])["endpoint"]);
  const said = endpoint === "" ? (server ?? (from ? "/" : null)) : endpoint;
  if (said === null)
    throw invalid(tool, `${documentName(tool)} names no server: name it as “endpoint” of a connection`);
  const base = baseOf(said, endpoint === "" ? from : null);
  if (base) return base;
  const shown = `“${said.slice(0, 200)}”`;
  throw invalid(
    tool,
    `the server ${shown} of its operation ${id} is no address with http or https, without a password`,
  );
}

interface Made {
  readonly name: string;
  readonly operation: Operation;
  readonly base: URL;
  /** `""`: none. */
  readonly key: string;
  readonly declared: DeclaredTool;
  /** Of the prompt. */
  readonly inputs: Params;
}

interface Sending extends Pick<Making, "outside" | "validate"> {
  readonly sender: Sender;
}

function makeTool(made: Made, { sender, outside, validate }: Sending): Tool {
  const { name, operation, base } = made;
  const { description, method } = operation;
  const parameters = parametersOf(made);
  const isLooking = method === "GET" || method === "HEAD";
  const place = [base.origin];
  return {
    name,
    description,
    parameters,
    effect: "run",
    label: () => ({ verb: name, subject: "" }),
    touches: () => ({ reads: isLooking ? place : [], writes: isLooking ? [] : place, runs: false }),
    prepare(params) {
      const problems = validate(parameters, params);
      if (problems.length > 0) return refuse([`The arguments of ${name} are wrong.`, ...problems].join("\n"));
      const shown = toRequest(operation, base, { ...params, ...hiddenOf(made) });
      if ("why" in shown) return refuse(`${name} cannot be sent: ${shown.why}`);
      const { url } = shown.request;
      const prepared: Prepared = {
        kind: "prepared",
        params,
        label: { verb: name, subject: `${method} ${url.host}${url.pathname}` },
        preview: { kind: "request", host: url.host, text: shownRequest(shown.request) },
        run: (context) => call(made, params, (request) => outside.send(request, sender, context)),
      };
      return Promise.resolve(prepared);
    },
  };
}

function refuse(content: string): Promise<Refusal> {
  return Promise.resolve({ kind: "refused", status: "failed", content });
}

/** What the model is told, without what bindings give. */
function parametersOf({ operation, declared }: Made): JsonSchema {
  const { parameters, body, properties } = operation;
  const bound = boundOf(declared);
  const all = [
    ...parameters,
    ...(body ? [{ name: body.property, property: body.property, required: body.required }] : []),
  ];
  const shown = all.filter(({ name }) => !bound.has(name));
  const required = shown.filter((one) => one.required).map(({ property }) => property);
  return {
    type: "object",
    properties: Object.fromEntries(shown.map(({ property }) => [property, properties[property] ?? {}])),
    ...(required.length > 0 && { required }),
  };
}

/** What bindings give to this operation, by the names that the model would know. */
function boundValues({ operation, declared, inputs }: Made): Params {
  const values = withBound(declared, {}, inputs);
  const all = [
    ...operation.parameters,
    ...(operation.body ? [{ name: operation.body.property, ...operation.body }] : []),
  ];
  const given = all.flatMap(({ name, property }): [string, unknown][] =>
    Object.hasOwn(values, name) ? [[property, values[name]]] : [],
  );
  return Object.fromEntries(given);
}

/** In the place of the values that the person is not shown either: they see where something is. */
function hiddenOf(made: Made): Params {
  return Object.fromEntries(Object.keys(boundValues(made)).map((property) => [property, `(${property} of the agent)`]));
}

async function call(
  made: Made,
  params: Params,
  send: (request: WebRequest) => Promise<WebAnswer>,
): Promise<ToolResult> {
  const { name, operation, base, key } = made;
  const written = toRequest(operation, base, { ...params, ...boundValues(made) });
  const asked =
    "why" in written || key === "" || !operation.key ? written : withKey(written.request, operation.key, key);
  if ("why" in asked) return { status: "failed", content: `${name} was not sent: ${asked.why}` };
  return answerResult(name, await send(asked.request), key);
}
