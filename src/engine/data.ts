// Messages of structured context: one shape out of every spelling of the chapters (C-21), and the text a model reads of them. Pure.
import { follow, parseReference } from "./references.ts";
import { foldKind, outputMethods, type DataMessage } from "./state.ts";

type Raw = Readonly<Record<string, unknown>>;

/** Message types that carry data; all others (`text`, `tool`, `plan`, `meta`, `advisor`, …) have meanings of their own. */
const dataTypes: ReadonlySet<unknown> = new Set(["data", "state", "input", "error"]);
const bookkeeping: ReadonlySet<string> = new Set(["_instance", "_call", "_date", "_outputMethod"]);

/**
 * Reads a context message in any of its spellings (LOOP-DATA-4): `{type:'data',kind,data}`, `{type:'state',state}`,
 * `{type:'state',…properties}`, `{type:'input',input}`, `{type:'error',call,error}`.
 * @returns null when it is no data message: without a type, an object is only a value
 */
export function dataMessage(raw: unknown): DataMessage | null {
  if (!isObject(raw)) return null;
  const { type } = raw;
  if (typeof type !== "string" || !dataTypes.has(type)) return null;
  const given = raw["kind"];
  const named = typeof given === "string" && given !== "" ? given : type;
  const kind = type === "data" ? named : type;
  const { schema, description, _instance: instance } = raw;
  const message = { kind, data: payload(raw, type) };
  return {
    ...message,
    ...(typeof instance === "string" && instance !== "" && { instance }),
    ...(isObject(schema) && { schema }),
    ...(typeof description === "string" && { description }),
    ...written(raw, message),
  };
}

/** The data messages among an agent's or a request's context. */
export function dataOf(context: readonly unknown[] = []): readonly DataMessage[] {
  return context.flatMap((message) => dataMessage(message) ?? []);
}

/** The value is under `data`, or alone under the name of the type; otherwise it is all that the message has. */
function payload(raw: Raw, type: string): unknown {
  if (type === "data") return raw["data"];
  const own = Object.entries(raw).filter(([key, value]) => !describes(key, value, type));
  const [first] = own;
  const wrapped = first && own.length === 1 && (first[0] === "data" || (first[0] === type && type !== "error"));
  return wrapped ? first[1] : Object.fromEntries(own);
}

function describes(key: string, value: unknown, type: string): boolean {
  if (key === "schema") return isObject(value);
  if (key === "description") return typeof value === "string";
  return key === "type" || (key === "kind" && value === type) || bookkeeping.has(key);
}

/** Where a call put it. A message that has several of the call's places is merged as a whole. */
function written(raw: Raw, { kind, data }: DataMessage): Pick<DataMessage, "written"> {
  const call = raw["_call"];
  if (!isObject(call)) return {};
  const parsed = parseReference(call["_outputPath"]);
  const places = parsed.kind === "expression" ? parsed.expression.flat() : [];
  const [place, ...more] = places.filter((one) => one.kind === kind && follow(data, one.path).found);
  if (!place || more.length > 0) return {};
  const wanted = raw["_outputMethod"] ?? call["_outputMethod"];
  const method = outputMethods.find((name) => name === wanted) ?? "set";
  return { written: { path: place.path, method } };
}

/**
 * What the model reads of all data: one block for each kind and instance, in order of first appearance (LOOP-DATA-2).
 * Where and how values were written stays out (LOOP-DATA-3). Each error is a block of its own: merged they would be one.
 */
export function renderData(messages: readonly DataMessage[]): readonly string[] {
  const groups = new Map<string, DataMessage[]>();
  messages.forEach((message, index) => {
    const { kind, instance } = message;
    const identity = kind === "error" ? `${index}` : JSON.stringify([kind, instance ?? null]);
    groups.set(identity, [...(groups.get(identity) ?? []), message]);
  });
  return [...groups.values()].map(renderGroup);
}

function renderGroup(group: readonly DataMessage[]): string {
  const { kind = "", instance } = group[0] ?? {};
  const folded = foldKind(group, kind, instance);
  const schema = group.findLast((message) => message.schema)?.schema;
  const description = group.findLast((message) => message.description !== undefined)?.description;
  return renderBlock({ kind, instance, schema, description, data: folded.found ? folded.value : undefined });
}

const inputNote = "These are the inputs of the task: read them as a part of the prompt.";

/** One message as a block. Inside it everything is JSON, so that no text in the data can pass for a block of its own. */
export function renderBlock({ kind, data, instance, schema, description }: DataMessage): string {
  const lines = [`## Data: ¶${kind}${instance === undefined ? "" : ` (instance ${instance})`}`, toJson(data)];
  if (kind === "input") lines.push(inputNote);
  if (description !== undefined && description.trim() !== "") lines.push(description.trim());
  if (schema) lines.push(`Schema of ¶${kind}: ${toJson(schema)}`);
  return lines.join("\n");
}

function toJson(value: unknown): string {
  return value === undefined ? "null" : JSON.stringify(value);
}

function isObject(value: unknown): value is Raw {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
