// Context messages with a say in the request itself: meta and advisors change the schema, the system text and what is sent (DIGEST 1.2).
import { renderBlock } from "./data.ts";
import type { ToolDefinition } from "./activities.ts";
import type { JsonSchema } from "./ports.ts";
import type { Message } from "../protocol/messages.ts";
import type { SolutionParts } from "./solution.ts";

/** A request before it is sent. */
export interface Outgoing {
  readonly solution: SolutionParts;
  readonly system: string;
  readonly messages: readonly Message[];
  /** Data blocks that go with the last message. */
  readonly notes: readonly string[];
}

/** What a reply holds beside calls and output. */
export interface Answered {
  readonly meta?: unknown;
  readonly advisors?: unknown;
  /** Whether the reply has an output, so that the loop would stop. */
  readonly final: boolean;
  /** Whether it answers the first request of a task. */
  readonly first: boolean;
}

export interface ContextHandler {
  /** Changes the request. @param first whether it is the first request of a task */
  prepare(outgoing: Outgoing, first: boolean): Outgoing;
  /** Takes its part of the reply. @returns what a person may read of it; `""` when there is nothing. Never throws */
  receive(answered: Answered): string;
}

/** The handlers of those context messages that have one, in the order of the context. */
export function handlersOf(context: readonly unknown[]): readonly ContextHandler[] {
  const advisors: Advisor[] = [];
  return context.flatMap((raw): ContextHandler[] => {
    const meta = metaOf(isObject(raw) && raw["type"] === "meta" ? raw["meta"] : undefined);
    if (meta) return [metaHandler(meta)];
    const advisor = advisorOf(raw);
    // The first of a name speaks: answers are told apart by it.
    if (!advisor || advisors.some(({ id }) => id === advisor.id)) return [];
    advisors.push(advisor);
    return [advisorHandler(advisor)];
  });
}

/** Puts a request through all handlers, in order. */
export function handlersPrepare(handlers: readonly ContextHandler[], outgoing: Outgoing, first: boolean): Outgoing {
  return handlers.reduce((before, handler) => handler.prepare(before, first), outgoing);
}

/** Hands a reply to all handlers. @returns what a person may read of it, one line each */
export function handlersReceive(handlers: readonly ContextHandler[], answered: Answered): string {
  return handlers
    .map((handler) => handler.receive(answered))
    .filter((line) => line !== "")
    .join("\n");
}

// ── Meta ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** The identity of a request and of what it makes. */
export interface Meta {
  readonly domain: string;
  readonly path: string;
  readonly version: string;
  readonly branches: readonly string[];
  readonly createdAt: string;
}

const metaWords = ["domain", "path", "version", "createdAt"] as const;

const metaSchema: JsonSchema = {
  type: "object",
  description: "The identity of what you make.",
  properties: {
    domain: { type: "string" },
    path: { type: "string" },
    version: { type: "string" },
    branches: { type: "array", items: { type: "string" } },
    createdAt: { type: "string" },
  },
  required: ["domain", "path", "version", "branches", "createdAt"],
  additionalProperties: false,
};

/** @returns null when a part is missing or no text */
export function metaOf(raw: unknown): Meta | null {
  if (!isObject(raw)) return null;
  const branches = raw["branches"];
  const [domain, path, version, createdAt] = metaWords.map((word) => raw[word]);
  if (typeof domain !== "string" || typeof path !== "string") return null;
  if (typeof version !== "string" || typeof createdAt !== "string") return null;
  if (!Array.isArray(branches) || !branches.every((branch) => typeof branch === "string")) return null;
  return { domain, path, version, branches, createdAt };
}

/**
 * Tells the model the identity and asks for the next one (LOOP-META-1). What the model gives counts from then on; what is
 * no identity is passed over.
 */
export function metaHandler(meta: Meta): ContextHandler {
  let current = meta;
  return {
    prepare: (outgoing) => ({
      ...outgoing,
      solution: { ...outgoing.solution, meta: metaSchema },
      system: `${outgoing.system}\n\n# Meta\n\`meta\` is the identity of what you work on. Give it in every Solution, with a higher version when you change something.`,
      notes: [...outgoing.notes, renderBlock({ kind: "meta", data: current })],
    }),
    receive(answered) {
      const next = metaOf(answered.meta);
      if (!next) return "";
      const changed = next.version !== current.version;
      current = next;
      return changed ? `Version ${next.version} of ${next.domain}${next.path}.` : "";
    },
  };
}

// ── Advisors ───────────────────────────────────────────────────────────────────────────────────────────────────

/** A view from which the model looks before it decides. */
export interface Advisor {
  readonly id: string;
  readonly role: string;
  /** What it says beside its votes. */
  readonly schema: JsonSchema | null;
  /** `start`: at the first request of a task; `finish`: with an output; `request`: always; null: when it is asked for. */
  readonly on: "start" | "finish" | "request" | null;
  readonly scopes: readonly string[];
  readonly isInstanced: boolean;
}

/** What an advisor said. It is told, and never done (LOOP-ADV-2). */
export interface Advice {
  readonly id: string;
  readonly instance?: string;
  readonly said: Readonly<Record<string, unknown>>;
  /** By tool. */
  readonly votes: ReadonlyMap<string, number>;
}

/** Reads `{type:'advisor',…}`. @returns null when it is none */
export function advisorOf(raw: unknown): Advisor | null {
  if (!isObject(raw) || (raw["type"] !== "advisor" && raw["kind"] !== "advisor")) return null;
  const { id, role, schema, on, scopes } = raw;
  if (typeof id !== "string" || id === "") return null;
  return {
    id,
    role: typeof role === "string" ? role : "",
    schema: isObject(schema) ? schema : null,
    on: on === "start" || on === "finish" || on === "request" ? on : null,
    scopes: Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === "string") : [],
    isInstanced: raw["isInstanced"] === true,
  };
}

/** Asks for an advisor's advice in front of the calls, when its time has come (LOOP-ADV-1). */
export function advisorHandler(advisor: Advisor): ContextHandler {
  return {
    prepare(outgoing, first) {
      if (!isAsked(advisor, { first, final: true })) return outgoing;
      const schemas = outgoing.solution.advisors ?? [];
      const added = { schema: adviceSchema(advisor), always: isAsked(advisor, { first, final: false }) };
      const heading = schemas.length === 0 ? `\n\n${advisorsText}` : "";
      return {
        ...outgoing,
        solution: { ...outgoing.solution, advisors: [...schemas, added] },
        system: `${outgoing.system}${heading}\n${describe(advisor)}`,
      };
    },
    receive: (answered) =>
      isAsked(advisor, answered)
        ? adviceOf(answered.advisors, advisor)
            .map((advice) => tell(advice))
            .join("\n")
        : "",
  };
}

const advisorsText = `# Advisors
Before you decide, look at the matter through each of these advisors and write what each says into \`advisors\`. Its \`calls\` is a text with JSON that gives tools a score from 0 to 100, such as "{\\"read_file\\": 80}". Advice runs nothing: only \`calls\` of the Solution does.`;

function describe({ id, role, on, scopes, isInstanced }: Advisor): string {
  const when = on === "finish" ? " Only with an output that is not null." : "";
  const where = scopes.length > 0 ? ` It looks above all at ${scopes.join(", ")}.` : "";
  const each = isInstanced ? " Once for each instance." : "";
  return `- ${id}: ${role.trim()}${where}${each}${when}`;
}

function isAsked({ on }: Advisor, { first, final }: Pick<Answered, "first" | "final">): boolean {
  return on === "request" || (on === "start" && first) || (on === "finish" && final);
}

function adviceSchema({ id, schema, isInstanced }: Advisor): JsonSchema {
  const given = isObject(schema?.["properties"]) ? Object.entries(schema["properties"]) : [];
  const own = Object.fromEntries(given.filter(([key]) => key !== "id" && key !== "calls"));
  const required = Array.isArray(schema?.["required"]) ? schema["required"] : [];
  return {
    ...schema,
    type: "object",
    properties: {
      id: { const: id },
      ...(isInstanced && { _instance: { type: "string" } }),
      ...own,
      calls: { type: "string", description: "JSON of tools and scores." },
    },
    required: [...new Set(["id", ...(isInstanced ? ["_instance"] : []), ...required, "calls"])],
  };
}

/** What of a reply's `advisors` is this advisor's. What is malformed is passed over. Pure. */
export function adviceOf(raw: unknown, advisor: Advisor): readonly Advice[] {
  const entries = (Array.isArray(raw) ? raw : []).filter((entry) => isObject(entry) && entry["id"] === advisor.id);
  const several = advisor.isInstanced ? entries : entries.slice(0, 1);
  return several.flatMap((entry: unknown): Advice[] => {
    if (!isObject(entry)) return [];
    const { id: _id, calls, _instance: instance, ...said } = entry;
    return [{ id: advisor.id, ...(typeof instance === "string" && { instance }), said, votes: votesOf(calls) }];
  });
}

function votesOf(text: unknown): ReadonlyMap<string, number> {
  if (typeof text !== "string") return new Map();
  try {
    const votes: unknown = JSON.parse(text);
    const entries = isObject(votes) ? Object.entries(votes) : [];
    return new Map(entries.filter((entry): entry is [string, number] => typeof entry[1] === "number"));
  } catch {
    return new Map();
  }
}

function tell({ id, instance, said, votes }: Advice): string {
  const words = Object.values(said).map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  const scores = [...votes].toSorted(([, a], [, b]) => b - a).map(([tool, score]) => `${tool} ${score}`);
  const parts = [...words, ...(scores.length > 0 ? [`(${scores.join(", ")})`] : [])];
  return `${id}${instance === undefined ? "" : ` on ${instance}`}: ${parts.join(" ")}`;
}

/** The latent tool through which the model asks advisors that speak only when asked; null when there are none. */
export function consultAdvisor(advisors: readonly Advisor[]): ToolDefinition | null {
  const silent = advisors.filter(({ on }) => on === null);
  if (silent.length === 0) return null;
  const roles = silent.map(describe).join("\n");
  return {
    name: "ConsultAdvisor",
    description: `Asks an advisor when you are in doubt: write its advice yourself, from its view, into _output. It runs nothing.\n${roles}`,
    parameters: {
      type: "object",
      properties: { advisor: { type: "string", enum: silent.map(({ id }) => id) } },
      required: ["advisor"],
      additionalProperties: false,
    },
    output: { anyOf: silent.map(adviceSchema) },
  };
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
